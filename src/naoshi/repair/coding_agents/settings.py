"""The `[repair.codex]` and `[repair.claude]` sections of naoshi.toml."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

SandboxMode = Literal["auto", "require", "off"]


class CodexSettings(BaseModel):
    """How Codex is started and whom it asks.

    ``program`` is its name or path. ``model`` is empty for Codex's own choice. ``base_url`` is that of a Responses API,
    ``provider`` what Codex calls it, ``key_variable`` the variable of your environment that holds the key (empty: none
    is needed). ``effort`` is Codex's `model_reasoning_effort`. ``retries`` is how often a request is tried again.
    ``command_sandbox`` is Codex's own sandbox for the commands that it runs; `danger-full-access` leaves all to ours
    and is for machines where one sandbox does not work inside another.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    program: str = "codex"
    model: str = ""
    provider: str = Field(default="naoshi", pattern=r"^[A-Za-z0-9_-]+$")
    base_url: str = "https://api.openai.com/v1"
    key_variable: str = "OPENAI_API_KEY"
    effort: str = ""
    retries: int = Field(default=4, ge=0)
    command_sandbox: Literal["workspace-write", "danger-full-access"] = "workspace-write"


class ClaudeSettings(BaseModel):
    """How Claude Code is started and whom it asks.

    ``program`` is its name or path. ``model`` is empty for its own choice. ``base_url`` is that of a Messages API,
    ``key_variable`` the variable of your environment that holds the key (empty: none is needed). ``tools`` are those
    that it may use unasked. ``retries`` is how often a failed request is tried again.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    program: str = "claude"
    model: str = ""
    base_url: str = "https://api.anthropic.com"
    key_variable: str = "ANTHROPIC_API_KEY"
    tools: tuple[str, ...] = ("Bash", "Edit", "Write", "Read", "Glob", "Grep")
    retries: int = Field(default=4, ge=0)
