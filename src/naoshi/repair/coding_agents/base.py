"""What a coding agent is to us: something that edits a checkout."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from naoshi.errors import (
    CodingAgentCredentialsError,
    CodingAgentRateLimitError,
    ConfigError,
    MissingProgramError,
    NaoshiError,
)

EventKind = Literal["message", "command", "edit", "problem"]

_FOR_A_PERSON = (MissingProgramError, ConfigError, CodingAgentCredentialsError, CodingAgentRateLimitError)


@dataclass(frozen=True, kw_only=True)
class AgentEvent:
    """One thing that a coding agent said or did.

    ``text`` is the message, the command, the edited path or the problem; ``output`` is what a command gave back and
    ``status`` its exit status. ``seconds`` counts from the start of the agent.
    """

    kind: EventKind
    text: str
    output: str = ""
    status: int | None = None
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class WorkOrder:
    """What a coding agent is given: a checkout with ``codex_handoff.md`` and ``task.md``, and a scratch home folder.

    ``data_root`` holds copies of the cited documents, ``scratch`` is for temporary files; ``environment`` is all the
    environment that it gets. ``forbidden`` are the folders that it must not see where a sandbox can see to it.
    ``on_event`` hears of each thing that it does, while it does it.
    """

    checkout: Path
    home: Path
    data_root: Path
    scratch: Path
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    forbidden: tuple[Path, ...] = ()
    on_event: Callable[[AgentEvent], None] = lambda _: None

    @property
    def folder(self) -> Path:
        """The folder that all of it lies in."""
        return self.checkout.parent


@dataclass(frozen=True, kw_only=True)
class Work:
    """How a coding agent ended. ``error`` is None when it says that it is done; ``log`` is what it printed.

    ``tokens`` are those that its model read and wrote, where it tells.
    """

    error: NaoshiError | None
    log: str
    seconds: float
    events: tuple[AgentEvent, ...] = ()
    tokens: int | None = None

    @property
    def final(self) -> bool:
        """Whether trying again cannot help before a person has mended something or time has passed."""
        return isinstance(self.error, _FOR_A_PERSON)


class CodingAgent(Protocol):
    """Edits a checkout. It never raises for what the program does; a failure is a reason."""

    @property
    def name(self) -> str:
        """How the agent is called in records."""
        ...

    @property
    def secrets(self) -> tuple[str, ...]:
        """What it was given that must not be in a change."""
        ...

    def work(self, order: WorkOrder) -> Work:
        """Carry *order* out, within limits, and leave no process behind."""
        ...

    def command_line(self) -> tuple[str, ...]:
        """Return the command that `work` starts, as a person may read it; secrets are not in it."""
        ...
