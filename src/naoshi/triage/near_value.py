"""Where a source has almost the same text: the place with the fewest changes of a character."""

from dataclasses import dataclass

from naoshi.records.evidence import Evidence
from naoshi.records.source_document import SourceDocument
from naoshi.records.text_comparison import loosened

_LONGEST_VALUE = 400
_LONGEST_SOURCE = 60_000


@dataclass(frozen=True, kw_only=True)
class NearValue:
    """A place with almost the same text. ``distance`` counts inserted, missing and other characters."""

    distance: int
    place: tuple[Evidence, ...]


def near_value(document: SourceDocument, value: object, *, within: int) -> NearValue | None:
    """Return the place in *document* whose letters and digits are closest to those of *value*, or None.

    At most *within* characters differ; a value of four characters or fewer has no near ones. Myers' bit-parallel
    search (J. ACM 46(3), 1999) takes one step for each character of the source.
    """
    wanted = loosened(value)
    if not 4 < len(wanted) <= _LONGEST_VALUE:
        return None
    text, lines = _flattened(document)
    end, distance = _closest_end(text, wanted)
    if end < 0 or distance > within:
        return None
    start = max(0, end - len(wanted) + 1)
    covered = range(lines[start], lines[end] + 1)
    place = tuple(
        Evidence(path=document.path, line=document.lines[index].number, quote=document.lines[index].text)
        for index in covered
    )
    return NearValue(distance=distance, place=place)


def edit_distance(left: str, right: str) -> int:
    """Return how many characters have to be inserted, removed or replaced to make *left* out of *right*."""
    row = list(range(len(right) + 1))
    for index, character in enumerate(left, start=1):
        before, row[0] = row[0], index
        for place, other in enumerate(right, start=1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (character != other))
    return row[-1]


def _flattened(document: SourceDocument) -> tuple[str, list[int]]:
    """Return the letters and digits of the document, and for each the index of its line."""
    parts: list[str] = []
    lines: list[int] = []
    for index, line in enumerate(document.lines):
        key = loosened(line.text)
        parts.append(key)
        lines += [index] * len(key)
        if len(lines) > _LONGEST_SOURCE:
            break
    return "".join(parts), lines


def _closest_end(text: str, wanted: str) -> tuple[int, int]:
    """Return the index in *text* where the closest match of *wanted* ends (-1: *text* is empty), and its distance."""
    size = len(wanted)
    mask, last = (1 << size) - 1, 1 << (size - 1)
    where: dict[str, int] = {}
    for index, character in enumerate(wanted):
        where[character] = where.get(character, 0) | 1 << index
    plus, minus, distance = mask, 0, size
    best, best_end = size + 1, -1
    for end, character in enumerate(text):
        equal = where.get(character, 0)
        vertical = equal | minus
        horizontal = (((equal & plus) + plus) ^ plus) | equal
        up, down = minus | (~(horizontal | plus) & mask), plus & horizontal
        if up & last:
            distance += 1
        elif down & last:
            distance -= 1
        up, down = (up << 1) & mask, (down << 1) & mask
        plus, minus = down | (~(vertical | up) & mask), up & vertical
        if distance < best:
            best, best_end = distance, end
    return best_end, best
