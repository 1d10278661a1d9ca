"""OpenAI's Codex as a coding agent: `codex exec --json`, its model and provider from the settings."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from naoshi.errors import CodingAgentCredentialsError, CodingAgentError, CodingAgentRefusalError, NaoshiError
from naoshi.repair.coding_agents.base import Work, WorkOrder
from naoshi.repair.coding_agents.codex_events import CodexEvents, tokens_of_session
from naoshi.repair.coding_agents.event_reader import EventLog
from naoshi.repair.coding_agents.model_failure import model_failure
from naoshi.repair.coding_agents.program_run import Limits, ProgramEnd, ProgramRun
from naoshi.repair.coding_agents.prompt import PROMPT
from naoshi.repair.coding_agents.settings import CodexSettings
from naoshi.repair.sandbox import Sandbox


@dataclass(frozen=True, kw_only=True)
class CodexAgent:
    """Runs Codex in the checkout with a home of its own. ``key`` is the value of the variable that settings name.

    The commands that Codex runs are in its own sandbox besides ours; they reach no network unless ``network``.
    """

    settings: CodexSettings
    key: str | None
    limits: Limits = field(default_factory=Limits)
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    sandbox: Sandbox | None = None
    network: bool = False
    name: str = "codex"

    @property
    def secrets(self) -> tuple[str, ...]:
        """The key."""
        return (self.key,) if self.key else ()

    def work(self, order: WorkOrder) -> Work:
        """Let Codex carry *order* out. Its commands and messages are told while they come."""
        variable = self.settings.key_variable
        if variable and not self.key:
            error = CodingAgentCredentialsError(f"Codex has no key: the variable {variable} is not set")
            return Work(error=error, log="", seconds=0)
        home = order.home / ".codex"
        home.mkdir()
        begun = time.monotonic()
        log = EventLog(tell=order.on_event, clock=lambda: time.monotonic() - begun, secrets=self.secrets)
        events = CodexEvents(log)
        how = ProgramRun(
            limits=self.limits,
            sandbox=self.sandbox,
            environment={**self.environment, "CODEX_HOME": str(home), **({variable: self.key} if self.key else {})},
            stdin=PROMPT,
            on_line=events.read,
            tokens=lambda: tokens_of_session(home),
        )
        done = how.run(self.command_line(), order)
        return Work(
            error=_error(done, events, log),
            log=log.masked(done.log),
            seconds=done.seconds,
            events=tuple(log.events),
            tokens=max(events.tokens, tokens_of_session(home)) or None,
        )

    def command_line(self) -> tuple[str, ...]:
        """Return the command; the task comes through its input."""
        settings = self.settings
        provider = f"model_providers.{settings.provider}"
        values: dict[str, object] = {
            "model_provider": settings.provider,
            f"{provider}.name": settings.provider,
            f"{provider}.base_url": settings.base_url,
            f"{provider}.wire_api": "responses",
            f"{provider}.requires_openai_auth": False,
            f"{provider}.request_max_retries": settings.retries,
            f"{provider}.stream_max_retries": settings.retries,
            "analytics.enabled": False,
            "sandbox_workspace_write.network_access": self.network,
            "shell_environment_policy.exclude": ["*KEY*", "*SECRET*", "*TOKEN*"],
        }
        if settings.key_variable:
            values[f"{provider}.env_key"] = settings.key_variable
        if settings.effort:
            values["model_reasoning_effort"] = settings.effort
        words = [settings.program, "exec", "--json", "--skip-git-repo-check", "-s", settings.command_sandbox]
        words += ["-m", settings.model] if settings.model else []
        words += [part for name, value in values.items() for part in ("-c", f"{name}={json.dumps(value)}")]
        return (*words, "-")


def _error(done: ProgramEnd, events: CodexEvents, log: EventLog) -> NaoshiError | None:
    if done.error is not None:
        return done.error
    if done.status == 0 and events.ended:
        if not log.has("message", "command", "edit"):
            return CodingAgentRefusalError("its model ended the turn without a word and without doing anything")
        return None
    if events.error is not None:
        return events.error
    complaint = done.complaint()
    if complaint is None:
        return CodingAgentError("it ended in the middle of its turn")
    return model_failure(complaint)
