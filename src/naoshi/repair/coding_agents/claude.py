"""Anthropic's Claude Code as a coding agent: print mode with streamed JSON, model and provider from the settings."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from naoshi.errors import CodingAgentCredentialsError, CodingAgentError, NaoshiError
from naoshi.repair.coding_agents.base import Work, WorkOrder
from naoshi.repair.coding_agents.claude_events import ClaudeEvents
from naoshi.repair.coding_agents.event_reader import EventLog
from naoshi.repair.coding_agents.model_failure import model_failure
from naoshi.repair.coding_agents.program_run import Limits, ProgramEnd, ProgramRun
from naoshi.repair.coding_agents.prompt import PROMPT
from naoshi.repair.coding_agents.settings import ClaudeSettings
from naoshi.repair.sandbox import Sandbox


@dataclass(frozen=True, kw_only=True)
class ClaudeAgent:
    """Runs Claude Code in the checkout with a home of its own. ``key`` is the value of the variable that settings name.

    Only our sandbox keeps the commands that it runs from the network: Claude Code has none of its own in print mode.
    """

    settings: ClaudeSettings
    key: str | None
    limits: Limits = field(default_factory=Limits)
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    sandbox: Sandbox | None = None
    name: str = "claude"

    @property
    def secrets(self) -> tuple[str, ...]:
        """The key."""
        return (self.key,) if self.key else ()

    def work(self, order: WorkOrder) -> Work:
        """Let Claude Code carry *order* out. Its commands and messages are told while they come."""
        variable = self.settings.key_variable
        if variable and not self.key:
            error = CodingAgentCredentialsError(f"Claude Code has no key: the variable {variable} is not set")
            return Work(error=error, log="", seconds=0)
        begun = time.monotonic()
        log = EventLog(tell=order.on_event, clock=lambda: time.monotonic() - begun, secrets=self.secrets)
        events = ClaudeEvents(log)
        how = ProgramRun(
            limits=self.limits,
            sandbox=self.sandbox,
            environment=self._environment(),
            stdin=PROMPT,
            on_line=events.read,
            tokens=lambda: events.tokens,
        )
        done = how.run(self.command_line(), order)
        return Work(
            error=_error(done, events),
            log=log.masked(done.log),
            seconds=done.seconds,
            events=tuple(log.events),
            tokens=events.tokens or None,
        )

    def command_line(self) -> tuple[str, ...]:
        """Return the command; the task comes through its input."""
        words = [self.settings.program, "-p", "--output-format", "stream-json", "--verbose",
                 "--no-session-persistence", "--strict-mcp-config", "--allowedTools",
                 ",".join(self.settings.tools)]  # fmt: skip
        words += ["--model", self.settings.model] if self.settings.model else []
        return tuple(words)

    def _environment(self) -> dict[str, str]:
        return {
            **self.environment,
            "ANTHROPIC_BASE_URL": self.settings.base_url,
            # Without any key it would ask for a login, which nobody can give it here.
            "ANTHROPIC_API_KEY": self.key or "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_MAX_RETRIES": str(self.settings.retries),
            "DISABLE_AUTOUPDATER": "1",
        }


def _error(done: ProgramEnd, events: ClaudeEvents) -> NaoshiError | None:
    if done.error is not None:
        return done.error
    if events.error is not None:
        return events.error
    if done.status == 0 and events.ended:
        return None
    complaint = done.complaint()
    return CodingAgentError("it ended in the middle of its turn") if complaint is None else model_failure(complaint)
