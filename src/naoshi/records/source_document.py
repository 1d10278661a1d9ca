"""The source that an agent read, as it saw it, and where a value stands in it."""

from naoshi.records.base import Record
from naoshi.records.evidence import Evidence
from naoshi.records.text_comparison import Comparison

_MAX_JOINED_LINES = 8


class SourceLine(Record):
    """One line of a source: its number in the file (from 1) and its text."""

    number: int
    text: str


class SourceDocument(Record):
    """The lines of one file that a run read, in reading order. ``path`` is relative to the data root."""

    path: str
    lines: tuple[SourceLine, ...]

    def places(
        self, value: object, comparison: Comparison = Comparison.letters_and_digits
    ) -> tuple[tuple[Evidence, ...], ...]:
        """Return each place where *value* stands, as the run of lines that hold it (most often one).

        A value may span up to eight neighbouring lines, whole lines joined by a space. An empty value stands nowhere.
        """
        wanted = comparison.key(value)
        if not wanted:
            return ()
        keys = [comparison.key(line.text) for line in self.lines]
        found: list[tuple[Evidence, ...]] = []
        for start, key in enumerate(keys):
            if wanted in key:
                found.append((self._evidence(start),))
                continue
            end = _joined_end(keys, start, wanted)
            if end is not None:
                found.append(tuple(self._evidence(index) for index in range(start, end + 1)))
        return tuple(found)

    def _evidence(self, index: int) -> Evidence:
        line = self.lines[index]
        return Evidence(path=self.path, line=line.number, quote=line.text)


def _joined_end(keys: list[str], start: int, wanted: str) -> int | None:
    """Return the last line of the run from *start* whose joined keys hold *wanted* across its seams."""
    if not keys[start]:
        return None
    joined = keys[start]
    for end in range(start + 1, min(start + _MAX_JOINED_LINES, len(keys))):
        joined += keys[end]
        position = joined.find(wanted)
        if position >= 0:
            return end if position < len(keys[start]) else None
    return None
