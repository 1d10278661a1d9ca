"""What a store of confirmations offers, whatever keeps it."""

from typing import Protocol

from naoshi.records.confirmation import ConversationState, Settlement


class ConfirmationStore(Protocol):
    """Keeps one state for each conversation. Three operations, each atomic between threads and processes.

    A store that cannot read or write, or that finds something other than what it wrote, raises `StoreError`. It
    never answers as if nothing were there.
    """

    def save(self, state: ConversationState, *, after: int | None = None) -> bool:
        """Keep *state* durably in place of what its conversation had, and return True.

        Args:
            state: the new state.
            after: where given, nothing is written, and False returned, unless the kept state still has this
                revision (0 where nothing is kept).

        Raises:
            StoreError: the state cannot be written, or what is there cannot be read.
        """
        ...

    def get(self, conversation_id: str) -> ConversationState | None:
        """Return the state of the conversation, or None where nothing was ever kept.

        Raises:
            StoreError: the state cannot be read, is damaged, or belongs to something else.
        """
        ...

    def clear(
        self,
        conversation_id: str,
        *,
        confirmation_id: str | None = None,
        settlement: Settlement | None = None,
    ) -> bool:
        """Take away the pending question, and return whether this caller was the one who did.

        Of any number of callers that clear the same question, exactly one gets True.

        Args:
            conversation_id: the conversation.
            confirmation_id: where given, only the question with this identifier is cleared.
            settlement: the decision to remember, written in the same act.

        Raises:
            StoreError: the state cannot be read or written.
        """
        ...
