"""Texts that are the same but for characters that OCR takes for one another: 0 and O, 1 and I, 日 and 曰."""

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from naoshi.records.evidence import Evidence
from naoshi.records.source_document import SourceDocument
from naoshi.records.text_comparison import as_text

_SHORTEST = 4
_MOST_LINES = 8
_IN_NUMBERS = frozenset(".,")
_IN_DATES = frozenset("年月日曰")


def misread_places(source: SourceDocument, value: object, groups: tuple[str, ...]) -> tuple[tuple[Evidence, ...], ...]:
    """Return the runs of lines in *source* where *value* stands as a whole, the characters of a group being equal.

    Values of fewer than four letters and digits are not looked for: too much would look like them.
    """
    wanted, _ = _key(as_text(value), groups)
    if len(wanted) < _SHORTEST:
        return ()
    joined = "\n".join(line.text.replace("\n", " ") for line in source.lines)
    key, origins = _key(joined, groups)
    line_of = _line_numbers(joined)
    found: dict[tuple[int, int], None] = {}
    start = key.find(wanted)
    while start >= 0:
        first, last = origins[start], origins[start + len(wanted) - 1]
        if not _goes_on(joined, first, -1) and not _goes_on(joined, last, 1):
            found[line_of[first], line_of[last]] = None
        start = key.find(wanted, start + 1)
    return tuple(
        tuple(Evidence(path=source.path, line=line.number, quote=line.text) for line in source.lines[first : last + 1])
        for first, last in found
        if last - first < _MOST_LINES
    )


def around(text: str, value: object, groups: tuple[str, ...] = ()) -> tuple[str, str]:
    """Return what stands before and after *value* in *text*, found by letters and digits; empty where it is not."""
    wanted, _ = _key(as_text(value), groups)
    key, origins = _key(text, groups)
    start = key.find(wanted)
    if start < 0 or not wanted:
        return "", ""
    return text[: origins[start]], text[origins[start + len(wanted) - 1] + 1 :]


def stands_apart(text: str, value: object) -> bool:
    """Return whether no letter or digit of any script touches *value* in *text*."""
    before, after = around(text, value)
    return not before[-1:].isalnum() and not after[:1].isalnum()


def _key(text: str, groups: tuple[str, ...]) -> tuple[str, list[int]]:
    """Return the letters and digits of *text*, one of each group for all of it, and the index of each in *text*."""
    table = _table(groups)
    key: list[str] = []
    origins: list[int] = []
    for index, character in enumerate(text):
        folded = character if character.isascii() else unicodedata.normalize("NFKC", character)
        for sign in folded.upper().translate(table):
            if sign.isalnum():
                key.append(sign)
                origins.append(index)
    return "".join(key), origins


@lru_cache(maxsize=8)
def _table(groups: tuple[str, ...]) -> dict[int, str]:
    return {ord(sign): group[0] for group in groups for sign in group}


def _line_numbers(joined: str) -> list[int]:
    numbers: list[int] = []
    line = 0
    for character in joined:
        numbers.append(line)
        line += character == "\n"
    return numbers


def _goes_on(text: str, edge: int, step: int) -> bool:
    """Return whether the word or number at *edge* goes on; letters and digits may stand for one another here."""
    beside = text[edge + step : edge + step + 1] if edge + step >= 0 else ""
    beyond = text[edge + 2 * step : edge + 2 * step + 1] if edge + 2 * step >= 0 else ""
    if (beside.isascii() and beside.isalnum()) or (beside in _IN_DATES and text[edge].isdigit()):
        return True
    return beside in _IN_NUMBERS and beyond.isdigit() if beside else False


def quoted_lines(place: Iterable[Evidence]) -> str:
    """Return the text of the lines of a place, joined by spaces."""
    return " ".join(line.quote or "" for line in place)
