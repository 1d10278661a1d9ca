"""Slips of the keyboard: what a hurried person types in place of what they meant."""

from random import Random
from typing import Final

from naoshi.records.text_comparison import loosened

_ROWS: Final = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")


def _neighbours() -> dict[str, str]:
    beside: dict[str, str] = {}
    for row in _ROWS:
        for index, key in enumerate(row):
            beside[key] = row[max(0, index - 1) : index] + row[index + 1 : index + 2]
    return beside


_NEIGHBOURS: Final = _neighbours()
_KINDS: Final = ("transposed", "doubled", "dropped", "neighbouring key")


def slip(text: str, *, lot: Random, never: frozenset[str]) -> str | None:
    """Return *text* with one slip in its letters or digits, or None where no slip is possible.

    A slip transposes two neighbours, doubles or drops a character, or hits the key beside. The result's letters and
    digits (`loosened`) are none of *never*, so that a slip cannot be right by chance. *lot* decides which.
    """
    positions = [index for index, character in enumerate(text) if character.isalnum()]
    tries = [(kind, index) for index in positions for kind in _KINDS]
    lot.shuffle(tries)
    for kind, index in tries:
        slipped = _slipped(text, index, kind, lot)
        if loosened(slipped) and loosened(slipped) not in never:
            return slipped
    return None


def _slipped(text: str, index: int, kind: str, lot: Random) -> str:
    before, character, after = text[:index], text[index], text[index + 1 :]
    if kind == "doubled":
        return before + character * 2 + after
    if kind == "dropped":
        return before + after
    if kind == "transposed":
        return before + after[:1] + character + after[1:]
    beside = _NEIGHBOURS.get(character.lower(), "")
    if not beside:
        return text
    hit = lot.choice(beside)
    return before + (hit.upper() if character.isupper() else hit) + after
