"""The live table of the demo on the terminal: one line a cycle, in columns that hold with wide characters too."""

import unicodedata
from collections.abc import Sequence
from typing import Final

from rich.cells import cell_len

from naoshi.demo.report.document import CycleRow
from naoshi.demo.report.words import words_in
from naoshi.pages import percent
from naoshi.records.language import Language

_GREEN: Final = "\x1b[32m"
_RED: Final = "\x1b[31m"
_DIM: Final = "\x1b[2m"
_PLAIN: Final = "\x1b[0m"
_GAP: Final = " "
_NARROWEST: Final = 4


class RowTable:
    """Writes rows as text. The first row comes with the header; its fields decide the columns.

    Args of the constructor: *language* of the texts; *colour*, whether ANSI colours are wanted (True only for a
    terminal).
    """

    def __init__(self, *, language: Language, colour: bool = False) -> None:
        self._words = words_in(language)
        self._colour = colour
        self._fields: tuple[str, ...] | None = None

    def lines(self, row: CycleRow) -> tuple[str, ...]:
        """Return the lines of *row* without line ends: the header before the first, the reason of a refusal after."""
        out: list[str] = []
        if self._fields is None:
            self._fields = tuple(row.holdout.by_field)
            out.append(self._painted(f"{self._aligned(self._header())}{_GAP}{self._words.outcome}", _DIM))
        colour = _GREEN if row.released else _RED if row.cycle else _DIM
        out.append(f"{self._aligned(self._cells(row))}{_GAP}{self._painted(self._outcome(row), colour)}")
        if row.reason and not row.released:
            out.append(self._painted(f"{' ' * (_NARROWEST + len(_GAP))}{one_line(row.reason)}", _DIM))
        return tuple(out)

    def _header(self) -> list[str]:
        words = self._words
        fields = [one_line(words.fields.get(name, name)) for name in self._fields or ()]
        return [
            words.cycle, words.version_short, "75%+", "90%+", "100%", *fields,
            words.cases, words.questions, words.refused_corrections,
        ]  # fmt: skip

    def _cells(self, row: CycleRow) -> list[str]:
        score = row.holdout
        shares = [score.at_least_75, score.at_least_90, score.all]
        fields = [score.by_field.get(name) for name in self._fields or ()]
        return [
            str(row.cycle), one_line(row.version),
            *("-" if share is None else percent(share).replace(" ", "") for share in (*shares, *fields)),
            str(row.cases), str(row.questions), str(row.refused_corrections),
        ]  # fmt: skip

    def _outcome(self, row: CycleRow) -> str:
        if row.released:
            return self._words.released
        return self._words.refused if row.cycle else self._words.start

    def _aligned(self, cells: Sequence[str]) -> str:
        """Return *cells* to the right of columns that are as wide, in cells of the terminal, as their titles."""
        widths = [max(_NARROWEST, cell_len(title)) for title in self._header()]
        return _GAP.join(" " * max(0, width - cell_len(cell)) + cell for cell, width in zip(cells, widths, strict=True))

    def _painted(self, text: str, colour: str) -> str:
        return f"{colour}{text}{_PLAIN}" if self._colour else text


def one_line(text: str) -> str:
    """Return *text* on one line, with white space as spaces and characters that steer a terminal left out."""
    spaced = " ".join(text.split())
    return "".join(character for character in spaced if unicodedata.category(character) not in {"Cc", "Cf", "Cs"})
