"""Runs of an agent that wait for a person, kept beside the questions."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from pydantic import AwareDatetime, Field

from naoshi.confirm import ConfirmationStore
from naoshi.confirm.confirmations import utc_now
from naoshi.errors import StoreError
from naoshi.integrations.kept_values import KeptValues
from naoshi.integrations.tool_call import ToolCall
from naoshi.records.base import Record


class PausedRun(Record):
    """A run that a framework stopped because calls of it need a person's word.

    ``state`` is the framework's own text of the run, from which alone it goes on. ``calls`` are those that wait, in
    the order in which they are asked about, ``decisions`` whether each may run, by call. ``run_id`` tells this pause
    from any other. ``taken_up_at`` is when a process began to go on with it. ``unknown`` is the conversation in which a
    person is asked whether a call happened that a process died in.
    """

    run_id: str
    state: str
    calls: tuple[ToolCall, ...]
    decisions: dict[str, bool] = Field(default_factory=dict)
    taken_up_at: AwareDatetime | None = None
    unknown: str | None = None

    @property
    def waiting(self) -> tuple[ToolCall, ...]:
        """The calls that nobody has decided on yet, the next one first."""
        return tuple(call for call in self.calls if call.call_id not in self.decisions)

    def approved(self, call_id: str) -> ToolCall | None:
        """Return the call with this identifier if a person let it run, else None."""
        return next((call for call in self.calls if call.call_id == call_id and self.decisions.get(call_id)), None)

    def effect_key(self, call_id: str) -> str:
        """Return the key under which the call is done once; see `naoshi.confirm.Effects`."""
        return f"{self.run_id}/{call_id}"

    def asked_whether(self, unknown: str | None) -> "PausedRun":
        """Return the run as one of which a person is asked in the conversation *unknown*; None: no longer."""
        return self.model_copy(update={"unknown": unknown, "taken_up_at": None})

    def decided(self, call: ToolCall, *, runs: bool) -> "PausedRun":
        """Return the run with the decision on *call*."""
        return self.model_copy(update={"decisions": {**self.decisions, call.call_id: runs}})

    def taken_up(self, *, now: datetime) -> "PausedRun":
        """Return the run as one that a process goes on with since *now*."""
        return self.model_copy(update={"taken_up_at": now})


@dataclass(frozen=True, kw_only=True)
class KeptRun:
    """What is kept for a conversation: its paused run, if any, and the revision that a change has to follow."""

    run: PausedRun | None
    revision: int


class PausedRuns:
    """Keeps at most one paused run for each conversation, in a store of confirmations; see `KeptValues`.

    Args:
        store: keeps the runs.
        clock: gives the present time, with its zone.
    """

    def __init__(self, store: ConfirmationStore, *, clock: Callable[[], datetime] = utc_now) -> None:
        self._values = KeptValues(store, name="paused-run", clock=clock)

    def get(self, conversation_id: str) -> KeptRun:
        """Return what is kept for the conversation.

        Raises:
            StoreError: it cannot be read.
        """
        kept = self._values.get(conversation_id)
        try:
            run = None if kept.value is None else PausedRun.model_validate(kept.value)
        except ValueError as error:
            raise StoreError(f"the paused run of the conversation {conversation_id!r} cannot be read") from error
        return KeptRun(run=run, revision=kept.revision)

    def put(self, conversation_id: str, run: PausedRun | None, *, after: int) -> int | None:
        """Keep *run*, or that there is none, and return the new revision; None where another process was faster.

        Raises:
            StoreError: it cannot be written.
        """
        return self._values.put(conversation_id, None if run is None else run.model_dump(mode="json"), after=after)
