"""A store for tests and for agents that live as long as their conversations."""

from threading import Lock

from naoshi.confirm.own_actions import with_own_actions
from naoshi.records.confirmation import ConversationState, Settlement


class MemoryStore:
    """Keeps states in this process. Safe between threads; nothing survives the process."""

    def __init__(self) -> None:
        self._states: dict[str, ConversationState] = {}
        self._lock = Lock()

    def save(self, state: ConversationState, *, after: int | None = None) -> bool:
        """Keep *state*; see `ConfirmationStore.save`."""
        with self._lock:
            kept = self._states.get(state.conversation_id)
            revision = kept.revision if kept else 0
            if after is not None and revision != after:
                return False
            self._states[state.conversation_id] = with_own_actions(state.model_copy(update={"revision": revision + 1}))
            return True

    def get(self, conversation_id: str) -> ConversationState | None:
        """Return the state; see `ConfirmationStore.get`."""
        kept = self._states.get(conversation_id)
        return with_own_actions(kept) if kept else None

    def clear(
        self,
        conversation_id: str,
        *,
        confirmation_id: str | None = None,
        settlement: Settlement | None = None,
    ) -> bool:
        """Take away the pending question; see `ConfirmationStore.clear`."""
        with self._lock:
            kept = self._states.get(conversation_id)
            if kept is None or not kept.has_pending(confirmation_id):
                return False
            self._states[conversation_id] = with_own_actions(kept.without_question(settlement))
            return True
