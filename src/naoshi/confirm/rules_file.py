"""Rules in a file that take effect when it changes, without ending what runs under the old ones."""

import json
import os
import time
import tomllib
from pathlib import Path
from threading import Lock
from typing import Any, cast

from naoshi.confirm.policy import Policy, checked_settings
from naoshi.errors import ConfigError, NaoshiError
from naoshi.system.files import read_text, write_durably

_SECTION = "confirm"


def read_policy(path: str | os.PathLike[str]) -> Policy:
    """Return the rules in the ``[confirm]`` section of the TOML file at *path*.

    Raises:
        MissingPathError: there is no such file.
        InputError: it cannot be read as text.
        ConfigError: it is not TOML, has no such section, or the rules do not hold together.
    """
    return _parse(read_text(Path(path)), place=Path(path).name)


class RulesFile:
    """The rules of a file, read again when it changes.

    A changed file that is broken leaves the last good rules in force, and ``fault`` says why. A change is taken up
    once the file has been still for a moment, so that one half written is never in force.

    Args:
        path: a TOML file with a section ``[confirm]``, as naoshi.toml.
        keep: the folder in which every version that was in force is kept, for conversations that began under it;
            without one, `.naoshi/rules` beside the file.
        settle_seconds: how long the file must have been still.

    Raises:
        MissingPathError: there is no such file.
        InputError: it cannot be read as text.
        ConfigError: it is not TOML, has no such section, or the rules do not hold together.
        StoreError: the version cannot be kept.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, keep: str | os.PathLike[str] | None = None, settle_seconds: float = 0.2
    ) -> None:
        self._path = Path(path)
        self._keep = Path(keep) if keep else self._path.parent / ".naoshi" / "rules"
        self._settle = settle_seconds
        self._lock = Lock()
        self._fault: str | None = None
        self._seen = read_text(self._path)
        self._seen_fault: str | None = None
        self._policy = _parse(self._seen, place=self._path.name)
        self._versions = {self._policy.version: self._policy}
        self._store(self._policy)

    def current(self) -> Policy:
        """Return the newest good rules. Never raises: what is wrong with newer ones is in ``fault``."""
        with self._lock:
            try:
                self._look()
            except (NaoshiError, OSError) as error:
                self._fault = str(error)
            return self._policy

    def at(self, version: str) -> Policy | None:
        """Return the rules of *version*, or None where they are not kept or what is kept is damaged."""
        with self._lock:
            if version not in self._versions:
                policy = self._kept(version)
                if policy is None:
                    return None
                self._versions[version] = policy
            return self._versions[version]

    @property
    def fault(self) -> str | None:
        """Why the file as it stands is not in force, or None where it is."""
        return self._fault

    def _look(self) -> None:
        text = read_text(self._path)
        if text != self._seen:
            # A time that lies ahead says nothing.
            if 0 <= time.time() - self._path.stat().st_mtime < self._settle:
                return
            # A broken file is told once, and not parsed again at every action.
            self._seen = text
            self._seen_fault = self._take_up(text)
        self._fault = self._seen_fault

    def _take_up(self, text: str) -> str | None:
        """Put the rules in *text* in force, or return why they are not."""
        try:
            policy = _parse(text, place=self._path.name)
            self._store(policy)
        except NaoshiError as error:
            return str(error)
        self._versions[policy.version] = policy
        self._policy = policy
        return None

    def _store(self, policy: Policy) -> None:
        path = self._keep / f"{policy.version}.json"
        if not path.exists():
            write_durably(path, policy.settings.model_dump_json(exclude_unset=True, by_alias=False))

    def _kept(self, version: str) -> Policy | None:
        if not version.isalnum():
            return None
        try:
            document = json.loads(read_text(self._keep / f"{version}.json"))
            policy = Policy(checked_settings(document, place=version))
        except (NaoshiError, ValueError, RecursionError):
            return None
        return policy if policy.version == version else None


def _parse(text: str, *, place: str) -> Policy:
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{place} is not TOML: {error}") from error
    section = document.get(_SECTION)
    if not isinstance(section, dict):
        raise ConfigError(f"{place} has no section [{_SECTION}]", hint="docs/choosing-what-to-ask.md has an example")
    rules = cast("dict[str, Any]", section)
    language = document.get("language")
    return Policy(checked_settings({"language": language, **rules} if language else rules, place=place))
