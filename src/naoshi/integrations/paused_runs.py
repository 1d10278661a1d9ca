"""Runs of an agent that wait for a person, kept beside the questions."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from pydantic import AwareDatetime, Field

from naoshi.confirm import Choice, Confirmation, ConfirmationStore, ConversationState, Settlement
from naoshi.confirm.confirmations import utc_now
from naoshi.errors import StoreError
from naoshi.integrations.tool_call import ToolCall
from naoshi.records.base import Record

_NAME = "paused-run"
_NO_CHOICE = (Choice(number=1, label="(go on)"),)


class PausedRun(Record):
    """A run that a framework stopped because calls of it need a person's word.

    ``state`` is the framework's own text of the run, from which alone it goes on. ``calls`` are those that wait, in
    the order in which they are asked about, ``decisions`` whether each may run, by call. ``run_id`` tells this pause
    from any other. ``taken_up_at`` is when a process began to go on with it.
    """

    run_id: str
    state: str
    calls: tuple[ToolCall, ...]
    decisions: dict[str, bool] = Field(default_factory=dict)
    taken_up_at: AwareDatetime | None = None

    @property
    def waiting(self) -> tuple[ToolCall, ...]:
        """The calls that nobody has decided on yet, the next one first."""
        return tuple(call for call in self.calls if call.call_id not in self.decisions)

    def approved(self, call_id: str) -> ToolCall | None:
        """Return the call with this identifier if a person let it run, else None."""
        return next((call for call in self.calls if call.call_id == call_id and self.decisions.get(call_id)), None)

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
    """Keeps at most one paused run for each conversation, in a store of confirmations.

    A store keeps states of conversations and nothing else. So the run is the action of a settled question in a
    conversation of its own that nobody speaks in, ``paused-run:`` and the conversation's name: as durable and as
    atomic as the questions are, on every store, and never shown as pending.

    Args:
        store: keeps the runs.
        clock: gives the present time, with its zone.
    """

    def __init__(self, store: ConfirmationStore, *, clock: Callable[[], datetime] = utc_now) -> None:
        self._store = store
        self._clock = clock

    def get(self, conversation_id: str) -> KeptRun:
        """Return what is kept for the conversation.

        Raises:
            StoreError: it cannot be read.
        """
        state = self._store.get(_key(conversation_id))
        if state is None or state.settled is None:
            return KeptRun(run=None, revision=state.revision if state else 0)
        action = state.settled.confirmation.action
        try:
            run = None if action is None else PausedRun.model_validate(action)
        except ValueError as error:
            raise StoreError(f"the paused run of the conversation {conversation_id!r} cannot be read") from error
        return KeptRun(run=run, revision=state.revision)

    def put(self, conversation_id: str, run: PausedRun | None, *, after: int) -> int | None:
        """Keep *run*, or that there is none, and return the new revision; None where another process was faster.

        Raises:
            StoreError: it cannot be written.
        """
        now = self._clock()
        question = Confirmation(
            id=f"{_NAME}:{run.run_id if run else 'none'}",
            conversation_id=_key(conversation_id),
            question="(a run that waits for a person)",
            choices=_NO_CHOICE,
            action=None if run is None else run.model_dump(mode="json"),
            fingerprint=_NAME,
            created_at=now,
            updated_at=now,
            expires_at=now,
        )
        state = ConversationState(
            conversation_id=_key(conversation_id),
            revision=after,
            settled=Settlement(confirmation=question, choices=(), actor="naoshi", at=now),
        )
        return after + 1 if self._store.save(state, after=after) else None


def _key(conversation_id: str) -> str:
    return f"{_NAME}:{conversation_id}"
