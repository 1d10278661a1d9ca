"""Values of our own beside the questions, in a store that keeps nothing but the states of conversations."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from pydantic import JsonValue

from naoshi.confirm import Choice, Confirmation, ConfirmationStore, ConversationState, Settlement

_NO_CHOICE = (Choice(number=1, label="(none)"),)


@dataclass(frozen=True, kw_only=True)
class KeptValue:
    """What is kept under a key, None where nothing is, and the revision that a change has to follow."""

    value: JsonValue
    revision: int


class KeptValues:
    """Keeps one JSON value for each conversation under a *name*.

    A value is the action of a settled question in a conversation of its own that nobody speaks in, called *name*, a
    colon and the conversation's name. So it is as durable and as atomic as the questions are, on every store, and it
    is never shown as pending.

    Args:
        store: keeps the values.
        name: tells these values from others.
        clock: gives the present time, with its zone.
    """

    def __init__(self, store: ConfirmationStore, *, name: str, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._name = name
        self._clock = clock

    def get(self, conversation_id: str) -> KeptValue:
        """Return what is kept for the conversation.

        Raises:
            StoreError: it cannot be read.
        """
        state = self._store.get(self._key(conversation_id))
        value = state.settled.confirmation.action if state and state.settled else None
        return KeptValue(value=value, revision=state.revision if state else 0)

    def put(self, conversation_id: str, value: JsonValue, *, after: int | None = None) -> int | None:
        """Keep *value*, and return the new revision; None where another process changed it since *after*.

        Raises:
            StoreError: it cannot be written.
        """
        now = self._clock()
        question = Confirmation(
            id=f"{self._name}:kept",
            conversation_id=self._key(conversation_id),
            question=f"({self._name})",
            choices=_NO_CHOICE,
            action=value,
            fingerprint=self._name,
            created_at=now,
            updated_at=now,
            expires_at=now,
        )
        state = ConversationState(
            conversation_id=self._key(conversation_id),
            revision=after or 0,
            settled=Settlement(confirmation=question, choices=(), actor="naoshi", at=now),
        )
        return (after or 0) + 1 if self._store.save(state, after=after) else None

    def _key(self, conversation_id: str) -> str:
        return f"{self._name}:{conversation_id}"
