"""naoshi.toml and the environment, read into one checked object."""

import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from naoshi.errors import ConfigError
from naoshi.flow.settings import LoopSettings
from naoshi.system.files import read_text
from naoshi.system.git import Git

CONFIG_NAME = "naoshi.toml"


class Settings(BaseSettings, LoopSettings):  # pyright: ignore[reportIncompatibleVariableOverride]
    """Every setting, from the strongest source to the weakest: environment, naoshi.toml, default.

    A variable of the environment is ``NAOSHI_`` and the name, sections joined by two underscores:
    ``NAOSHI_LANGUAGE=ja``, ``NAOSHI_AGENT__TIMEOUT=30``. ``database_url`` is a `postgresql://` address; empty keeps
    everything in `.naoshi/naoshi.db`.
    """

    model_config = SettingsConfigDict(frozen=True, extra="forbid", env_prefix="NAOSHI_", env_nested_delimiter="__")

    database_url: str = ""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let the environment win over the file, which is handed in as arguments."""
        return env_settings, init_settings

    def for_loop(self) -> LoopSettings:
        """Return what the stages need, with the language handed down to sections that do not set their own."""
        document: dict[str, Any] = dict(self)
        del document["database_url"]
        for section in ("triage", "repair", "review"):
            part: BaseModel = document[section]
            if "language" in dict(part) and "language" not in part.model_fields_set:
                document[section] = part.model_copy(update={"language": self.language})
        document["repair"] = document["repair"].guarding(self.evals.folder)
        return LoopSettings.model_construct(**document)


def read_settings(path: Path) -> Settings:
    """Return the settings of the file at *path* and of the environment.

    Raises:
        ConfigError: there is no such file, it is not TOML, or a value is not allowed; one line names the place.
    """
    if not path.is_file():
        raise ConfigError(f"there is no {path.name} in {path.parent}", hint="write one with `naoshi init`")
    return _settings_of(read_text(path), path.name)


def settings_at(git: Git, ref: str) -> Settings:
    """Return the settings as the commit or branch *ref* of *git* has them, and of the environment.

    Raises:
        RepositoryError: there is no such commit.
        ConfigError: it has no naoshi.toml, or that is wrong.
    """
    found = git.attempt("show", f"{git.commit_of(ref)}:{CONFIG_NAME}")
    if found.status != 0:
        raise ConfigError(f"{ref} has no {CONFIG_NAME}")
    return _settings_of(found.stdout, f"{CONFIG_NAME} of {ref}")


def first_fault(error: ValidationError) -> str:
    """Return the first thing that a validation found, as ``place: message``, and how many more there are."""
    faults = error.errors(include_url=False, include_context=False)
    place = ".".join(str(part) for part in faults[0]["loc"]) or "the whole file"
    more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
    return f"{place}: {faults[0]['msg']}{more}"


def _settings_of(text: str, name: str) -> Settings:
    try:
        document: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{name} is not TOML: {error}") from error
    try:
        return Settings(**document)
    except ValidationError as error:
        raise ConfigError(f"{name}: {first_fault(error)}") from error
