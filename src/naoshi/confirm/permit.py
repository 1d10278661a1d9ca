"""What the guard says to one action, and how its effect is bracketed."""

from dataclasses import dataclass, field
from enum import StrEnum
from types import TracebackType
from typing import Protocol, Self

from naoshi.confirm.policy import Ruling
from naoshi.records.confirmation import Confirmation


class PermitState(StrEnum):
    """Whether an action may be done now, and if not, why.

    ``allowed``: do it. ``asked``: a person is asked. ``waiting``: another question is open; this one comes after it.
    ``refused``: a person said no. ``running``: it is being done. ``done``: it was done in this turn.
    ``outcome_unknown``: it began once and nothing says how it ended; a person is asked what they find.
    """

    allowed = "allowed"
    asked = "asked"
    waiting = "waiting"
    refused = "refused"
    running = "running"
    done = "done"
    outcome_unknown = "outcome_unknown"


class Use(Protocol):
    """The one use of an approval."""

    def begin(self) -> None:
        """Say that the effect begins."""
        ...

    def end(self, error: BaseException | None) -> None:
        """Say that it ended, well or with *error*."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Permit:
    """The guard's word on one action. It is true where the action may be done, and then once.

    Do the action inside ``with permit:``, so that its end is kept too; an error inside means that it failed. An
    action whose end is never kept has an unknown outcome.

    ``confirmation`` is the question that is open, to be shown to the person, or the one that decided. ``context`` is
    text for the model, to be returned as the tool's result where the action is not done.
    """

    state: PermitState
    tool: str
    ruling: Ruling
    confirmation: Confirmation | None = None
    context: str = ""
    use: Use | None = field(default=None, repr=False)

    def __bool__(self) -> bool:
        return self.state is PermitState.allowed

    def __enter__(self) -> Self:
        if self.use is not None:
            self.use.begin()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self.use is not None:
            self.use.end(error)
