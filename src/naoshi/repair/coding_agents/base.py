"""What a coding agent is to us: something that edits a checkout."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, kw_only=True)
class WorkOrder:
    """What a coding agent is given: a checkout with ``codex_handoff.md`` and ``task.md``, and a scratch home folder.

    ``data_root`` holds copies of the cited documents; ``environment`` is all the environment that it gets.
    """

    checkout: Path
    home: Path
    data_root: Path
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, kw_only=True)
class Work:
    """How a coding agent ended. ``failure`` is None when it says that it is done; ``log`` is what it printed.

    ``final`` says that trying again cannot help, since a person has to mend something first.
    """

    failure: str | None
    log: str
    seconds: float
    final: bool = False


class CodingAgent(Protocol):
    """Edits a checkout. It never raises for what the program does; a failure is a reason."""

    @property
    def name(self) -> str:
        """How the agent is called in records."""
        ...

    def work(self, order: WorkOrder) -> Work:
        """Carry *order* out, within limits, and leave no process behind."""
        ...
