"""A coding agent that is any program: it is started in the checkout, and what it changed there is its answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from naoshi.errors import CodingAgentError, ConfigError
from naoshi.repair.coding_agents.base import Work, WorkOrder
from naoshi.repair.coding_agents.program_run import Limits, ProgramRun
from naoshi.repair.sandbox import Sandbox
from naoshi.system.process import command_words


@dataclass(frozen=True, kw_only=True)
class CommandAgent:
    """Runs ``command`` in the checkout, in ``sandbox`` if there is one. Its exit status 0 says that it is done.

    ``environment`` is handed on besides `PATH`, the language and the time zone; nothing else of ours is.
    """

    command: str | Sequence[str]
    limits: Limits = field(default_factory=Limits)
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    sandbox: Sandbox | None = None
    name: str = "command"

    @property
    def secrets(self) -> tuple[str, ...]:
        """Nothing: what ``environment`` of the settings holds is in naoshi.toml anyhow."""
        return ()

    def work(self, order: WorkOrder) -> Work:
        """Run the program to its end or its limits. Everything that it started is ended with it."""
        words = command_words(self.command)
        if not words:
            hint = "write `command` under [repair] in naoshi.toml"
            return Work(error=ConfigError("no coding agent is configured", hint=hint), log="", seconds=0)
        how = ProgramRun(limits=self.limits, sandbox=self.sandbox, environment=self.environment)
        done = how.run(words, order)
        complaint = done.complaint()
        error = done.error or (CodingAgentError(complaint) if complaint else None)
        return Work(error=error, log=done.log, seconds=done.seconds)

    def command_line(self) -> tuple[str, ...]:
        """Return the words of ``command``."""
        return tuple(command_words(self.command))
