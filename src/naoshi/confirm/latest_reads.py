"""What was last read or written of each conversation's file, so that a turn does not parse the same bytes again."""

from collections import OrderedDict
from copy import deepcopy
from threading import Lock

from naoshi.confirm.state_file import StateFile, read_state_file
from naoshi.records.confirmation import Confirmation, ConversationState

_REMEMBERED = 128


class LatestReads:
    """Remembers the bytes of the latest files with what they say. Other bytes are always parsed anew."""

    def __init__(self) -> None:
        self._read: OrderedDict[str, tuple[bytes, StateFile]] = OrderedDict()
        self._lock = Lock()

    def read(self, data: bytes, path: str) -> StateFile:
        """Return what *data*, the bytes of the file *path*, say.

        Raises:
            StoreError: they are damaged, cut short, or something else than a state file.
        """
        known = self._read.get(path)
        if known is not None and known[0] == data:
            return known[1]
        found = read_state_file(data, path)
        self.remember(data, path, found)
        return found

    def remember(self, data: bytes, path: str, found: StateFile) -> None:
        """Remember that *data* say *found*."""
        with self._lock:
            self._read[path] = (data, found)
            if len(self._read) > _REMEMBERED:
                self._read.popitem(last=False)


def apart(state: ConversationState) -> ConversationState:
    """Return *state* with actions of its own, which nobody who holds the other one can alter."""
    pending, settled = state.pending, state.settled
    update: dict[str, object] = {}
    if pending is not None and _can_be_altered(pending):
        update["pending"] = pending.model_copy(update={"action": deepcopy(pending.action)})
    if settled is not None and _can_be_altered(settled.confirmation):
        confirmation = settled.confirmation.model_copy(update={"action": deepcopy(settled.confirmation.action)})
        update["settled"] = settled.model_copy(update={"confirmation": confirmation})
    return state.model_copy(update=update) if update else state


def _can_be_altered(confirmation: Confirmation) -> bool:
    return isinstance(confirmation.action, dict | list)
