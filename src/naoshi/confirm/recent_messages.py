"""Messages that came while nothing was asked, remembered until something is."""

from collections import OrderedDict
from threading import Lock

from naoshi.records.confirmation import REMEMBERED_MESSAGES, ConversationState

_CONVERSATIONS = 4096


class RecentMessages:
    """Marks of the latest messages of the latest conversations, in this process.

    A message that came before a question must not answer it when its channel delivers it again. Keeping each one
    durably would cost every idle turn a write; so they are kept here and go into the state with the next question.
    """

    def __init__(self) -> None:
        self._marks: OrderedDict[str, tuple[str, ...]] = OrderedDict()
        self._lock = Lock()

    def add(self, conversation_id: str, mark: str) -> None:
        """Remember the message of *mark*."""
        with self._lock:
            marks = (*self._marks.pop(conversation_id, ()), mark)[-REMEMBERED_MESSAGES:]
            self._marks[conversation_id] = marks
            if len(self._marks) > _CONVERSATIONS:
                self._marks.popitem(last=False)

    def has(self, conversation_id: str, mark: str) -> bool:
        """Return whether the message of *mark* came."""
        return mark in self._marks.get(conversation_id, ())

    def joined(self, state: ConversationState) -> tuple[str, ...]:
        """Return the marks of *state* and those remembered here, the latest last."""
        here = self._marks.get(state.conversation_id, ())
        return tuple(dict.fromkeys((*state.message_marks, *here)))[-REMEMBERED_MESSAGES:]
