"""What was last read or written of each conversation's file, so that a turn does not parse the same bytes again."""

from collections import OrderedDict
from threading import Lock

from naoshi.confirm.state_file import StateFile, read_state_file

_REMEMBERED = 128


class LatestReads:
    """Remembers the bytes of the latest files with what they say. Other bytes are always parsed anew."""

    def __init__(self) -> None:
        self._read: OrderedDict[str, tuple[bytes, StateFile]] = OrderedDict()
        self._lock = Lock()

    def read(self, data: bytes, path: str) -> StateFile | None:
        """Return what *data*, the bytes of the file *path*, say; None where no state is in them.

        Raises:
            StoreError: they are damaged, cut short, or something else than a state file.
        """
        known = self._read.get(path)
        if known is not None and known[0] == data:
            return known[1]
        found = read_state_file(data, path)
        if found is not None:
            self.remember(data, path, found)
        return found

    def remember(self, data: bytes, path: str, found: StateFile) -> None:
        """Remember that *data* say *found*."""
        with self._lock:
            self._read[path] = (data, found)
            if len(self._read) > _REMEMBERED:
                self._read.popitem(last=False)
