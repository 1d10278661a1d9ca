"""The source that an agent read, as it saw it, and where a value stands in it."""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from naoshi.records.base import Record
from naoshi.records.evidence import Evidence
from naoshi.records.text_comparison import Comparison

_MAX_JOINED_LINES = 8
_CASED = frozenset({"Lu", "Ll", "Lt"})
_IN_NUMBERS = frozenset(".,/:-")


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

        A value may span up to eight neighbouring lines. It stands as a whole only: not as a part of a longer word
        (``BOOK`` in ``BOOKS``) or number (``9.00`` in ``19.00``, ``31`` in ``31.00``). Under `letters_and_digits`
        full and half width are the same. An empty value stands nowhere.
        """
        folded = _folded("\n".join(line.text.replace("\n", " ") for line in self.lines), comparison)
        wanted = _folded(comparison.key(value), comparison).key
        starts = _line_starts(folded.text)
        found: dict[tuple[int, int], None] = {}
        for first, last in _whole_matches(folded, wanted):
            start, end = bisect_right(starts, first) - 1, bisect_right(starts, last) - 1
            if end - start < _MAX_JOINED_LINES:
                found[start, end] = None
        return tuple(tuple(self._evidence(index) for index in range(start, end + 1)) for start, end in found)

    def _evidence(self, index: int) -> Evidence:
        line = self.lines[index]
        return Evidence(path=self.path, line=line.number, quote=line.text)


@dataclass(frozen=True, kw_only=True)
class _Folded:
    """A text, the part of it that counts, and for each character of that part its index in the text."""

    text: str
    key: str
    origins: list[int]


def _folded(text: str, comparison: Comparison) -> _Folded:
    if comparison is not Comparison.letters_and_digits:
        text = text if comparison is Comparison.exact else _single_spaced(text)
        return _Folded(text=text, key=text.replace("\n", " "), origins=list(range(len(text))))
    text = unicodedata.normalize("NFKC", text)
    kept = [(character.upper(), index) for index, character in enumerate(text) if character.isalnum()]
    return _Folded(
        text=text,
        key="".join(upper for upper, _ in kept),
        origins=[index for upper, index in kept for _ in upper],
    )


def _single_spaced(text: str) -> str:
    return "\n".join(" ".join(line.split()) for line in text.split("\n"))


def _line_starts(text: str) -> list[int]:
    return [0, *(index + 1 for index, character in enumerate(text) if character == "\n")]


def _whole_matches(folded: _Folded, wanted: str) -> Iterator[tuple[int, int]]:
    """Yield the first and last index in the text of each place where *wanted* stands as a whole."""
    start = folded.key.find(wanted) if wanted else -1
    while start >= 0:
        first, last = folded.origins[start], folded.origins[start + len(wanted) - 1]
        if not _goes_on(folded.text, first, -1) and not _goes_on(folded.text, last, 1):
            yield first, last
        start = folded.key.find(wanted, start + 1)


def _goes_on(text: str, edge: int, step: int) -> bool:
    """Return whether the word or number at index *edge* goes on in the direction of *step*."""
    beside = edge + step
    if not 0 <= beside < len(text):
        return False
    if text[edge].isdigit():
        beyond = beside + step
        joined = text[beside] in _IN_NUMBERS and 0 <= beyond < len(text) and text[beyond].isdigit()
        return text[beside].isdigit() or joined
    return unicodedata.category(text[edge]) in _CASED and unicodedata.category(text[beside]) in _CASED
