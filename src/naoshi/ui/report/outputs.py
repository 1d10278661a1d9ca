"""Two outputs side by side, line by line, with what differs marked."""

import difflib
import json
from dataclasses import dataclass

from pydantic import JsonValue

_LONGEST = 4_000
_MOST_LINES_COMPARED = 400


@dataclass(frozen=True, kw_only=True)
class Shown:
    """An output as lines, each with whether the other output lacks it. ``cut`` is how many characters were left out."""

    lines: tuple[tuple[str, bool], ...]
    cut: int


def side_by_side(before: JsonValue, after: JsonValue) -> tuple[Shown | None, Shown | None]:
    """Return both outputs; None stands for one that is null."""
    texts = [_text(before), _text(after)]
    lines = [None if text is None else text[:_LONGEST].split("\n") for text in texts]
    old, new = (found or [] for found in lines)
    marked = _differing(old, new)
    shown: list[Shown | None] = []
    for text, own, marks in zip(texts, lines, marked, strict=True):
        if text is None or own is None:
            shown.append(None)
        else:
            pairs = tuple((line, number in marks) for number, line in enumerate(own))
            shown.append(Shown(lines=pairs, cut=max(0, len(text) - _LONGEST)))
    return shown[0], shown[1]


def as_lines(value: JsonValue) -> str:
    """Return *value* as it is read best: text as it is, anything else as indented JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def _text(value: JsonValue) -> str | None:
    return None if value is None else as_lines(value)


def _differing(old: list[str], new: list[str]) -> tuple[set[int], set[int]]:
    if not old or not new or max(len(old), len(new)) > _MOST_LINES_COMPARED:
        return set(), set()
    matcher = difflib.SequenceMatcher(a=old, b=new, autojunk=False)
    gone, come = set(range(len(old))), set(range(len(new)))
    for block in matcher.get_matching_blocks():
        gone -= set(range(block.a, block.a + block.size))
        come -= set(range(block.b, block.b + block.size))
    return gone, come
