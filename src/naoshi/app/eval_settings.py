"""The three sections of naoshi.toml that running a suite needs, read without loading the other stages."""

import os
import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from naoshi.evals.judging.settings import JudgeSettings
from naoshi.evals.settings import AgentSettings, EvalSettings
from naoshi.system.files import read_text

_CONFIG_NAME = "naoshi.toml"
_PREFIXES = ("NAOSHI_AGENT", "NAOSHI_EVALS", "NAOSHI_JUDGE")


class SuiteSettings(BaseModel):
    """``[agent]``, ``[evals]`` and ``[judge]``."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    agent: AgentSettings = AgentSettings()
    evals: EvalSettings = EvalSettings()
    judge: JudgeSettings = JudgeSettings()


def read_eval_settings(repository: Path) -> SuiteSettings:
    """Return the settings for running a suite in *repository*, as `read_settings` reads them.

    Raises:
        ConfigError: naoshi.toml is missing, is not TOML, or a value in these sections is not allowed.
    """
    path = repository / _CONFIG_NAME
    document = _document(path) if path.is_file() else None
    if document is not None and not any(name.upper().startswith(_PREFIXES) for name in os.environ):
        try:
            return SuiteSettings.model_validate(document)
        except ValidationError:
            document = None  # read again below, by what words the mistake
    # The settings of every stage take a second to load; only the environment or a mistake calls for them.
    from naoshi.app.settings import read_settings

    settings = read_settings(path)
    return SuiteSettings(agent=settings.agent, evals=settings.evals, judge=settings.judge)


def _document(path: Path) -> dict[str, Any] | None:
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError:
        return None
