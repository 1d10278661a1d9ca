"""Plausible slips of OCR: signs taken for others, dropped spaces, a line split in two, a line lost."""

import random
import string
from dataclasses import dataclass, replace

_CONFUSED = {
    "0": "O", "O": "0", "1": "I", "I": "1", "5": "S", "S": "5", "8": "B", "B": "8",
    "シ": "ツ", "ソ": "ン", "合": "台", "東": "束", "日": "曰", "一": "ー", "大": "太", "千": "干",
}  # fmt: skip
_LETTER_PITCH = 11


@dataclass(frozen=True, kw_only=True)
class PrintedLine:
    """One piece of print on the page; the edges are in pixels."""

    text: str
    left: int
    top: int
    right: int
    bottom: int


def with_slips(lines: list[PrintedLine], *, chance: random.Random, rate: float) -> list[PrintedLine]:
    """Return *lines* as the OCR gives them; each line has a slip with probability *rate* (0 to 1)."""
    read: list[PrintedLine] = []
    for line in lines:
        read += _slip(line, chance) if chance.random() < rate else [line]
    return read


def _slip(line: PrintedLine, chance: random.Random) -> list[PrintedLine]:
    kind = chance.choice(("confuse", "confuse", "confuse", "space", "split", "speck"))
    places = [place for place, sign in enumerate(line.text) if sign in _CONFUSED]
    gaps = [place for place, sign in enumerate(line.text) if sign == " " and 0 < place < len(line.text) - 1]
    if kind == "confuse" and places:
        place = chance.choice(places)
        return [replace(line, text=line.text[:place] + _CONFUSED[line.text[place]] + line.text[place + 1 :])]
    if kind == "space" and gaps:
        place = chance.choice(gaps)
        return [replace(line, text=line.text[:place] + line.text[place + 1 :])]
    if kind == "split" and gaps:
        place = chance.choice(gaps)
        edge = line.left + (line.right - line.left) * place // len(line.text)
        return [
            replace(line, text=line.text[:place], right=edge),
            replace(line, text=line.text[place + 1 :], left=edge + _LETTER_PITCH),
        ]
    return [replace(line, text=line.text + chance.choice(" .'`-") + chance.choice(string.punctuation[:4]))]
