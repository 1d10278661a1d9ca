"""Reading one reply: a choice where the whole reply is certainly one, and otherwise nothing.

`resolve_reply` is pure and total, and its time is bounded by the length limit. See ``docs/confirm-reading.md``.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from naoshi.confirm.label_numbers import LabelNumbers, contradicted, fold_text, read_labels
from naoshi.confirm.reply_grammar import (
    CHINESE_ORDINAL,
    ENCLOSED,
    ENCLOSED_LETTERS,
    FOLD,
    FRAMED_LETTER,
    FRAMED_NUMBER,
    NO_WORDS,
    NUMBERS_ONLY,
    PAIRS,
    SEVERAL_SEPARATOR,
    SEVERAL_TAIL,
    SEVERAL_TOKEN,
    TERMINALS,
    TRIM,
    YES_WORDS,
)
from naoshi.records.confirmation import Reason, Resolution, Style

MAX_LENGTH = 12
_UNRESOLVED = {reason: Resolution(reason=reason) for reason in Reason if reason is not Reason.resolved}
_RESOLVED = tuple(Resolution(choice=n, choices=(n,), reason=Reason.resolved) for n in range(1, 100))
# int() refuses very long numerals; past this many digits every list of choices is at its end anyway.
_MAX_DIGITS = 9
_BEYOND = 10**_MAX_DIGITS


@dataclass(frozen=True)
class _Mark:
    """The place that a reply names, None where the numeral is no plain one."""

    value: int | None


_PLAIN: dict[str, _Mark] = {
    **{str(number): _Mark(number) for number in range(100)},
    **{str(number).translate({0x30 + d: chr(0xFF10 + d) for d in range(10)}): _Mark(number) for number in range(100)},
    **{character: _Mark(value) for character, value in ENCLOSED.items()},
}


def resolve_reply(
    reply: str,
    labels: Sequence[str],
    *,
    max_length: int = MAX_LENGTH,
    style: Style | str = Style.numbers,
    multiple: bool = False,
    yes: int | None = None,
    no: int | None = None,
) -> Resolution:
    """Read *reply* against the closed grammar, and resolve it only where all of it is covered.

    Args:
        reply: what the person typed, as it came.
        labels: the choices' texts, in order. A text that begins with a number can contradict a typed one.
        max_length: how many characters, white space included, a reply may have and still be read.
        style: what marks the choices on screen; with ``"letters"`` only ``A``, ``B`` … are read.
        multiple: whether the question takes several choices (``1,3``, ``①③``), numbers only.
        yes: the 1-based choice that はい, yes … stand for, where the asker has said so.
        no: the 1-based choice that いいえ, no … stand for, where the asker has said so.

    Returns:
        The resolution. Its reason is ``resolved``, ``empty``, ``too_long``, ``out_of_range``, ``ambiguous`` (numbers,
        but not one plain choice, or one that a label contradicts) or ``free_text``.
    """
    if len(reply) > max_length:
        return _UNRESOLVED[Reason.too_long]
    text = reply.strip(TRIM)
    if not text:
        return _UNRESOLVED[Reason.empty]
    letters = style == Style.letters
    mark = _PLAIN.get(text) if not letters else None
    if mark is None:
        text = text.translate(FOLD)
        mark = _read_mark(text, letters=letters)
    if mark is not None:
        return _choose(mark, text, read_labels(tuple(labels)), len(labels), letters=letters)
    if (yes or no) and (polar := _read_polarity(text, yes, no)):
        return _choose_declared(polar, text, read_labels(tuple(labels)), len(labels), agrees=polar == yes)
    if multiple and not letters and (several := _read_several(text)):
        return _choose_several(several, read_labels(tuple(labels)), len(labels))
    return _UNRESOLVED[Reason.ambiguous if NUMBERS_ONLY.fullmatch(text) else Reason.free_text]


def _read_mark(text: str, *, letters: bool) -> _Mark | None:
    """Return the one mark that all of *text* (trimmed and folded) names, or None."""
    text = _unwrap(text)
    pattern = FRAMED_LETTER if letters else FRAMED_NUMBER
    match = pattern.fullmatch(text)
    if match is not None:
        if not _brackets_fit(match.group("open"), match.group("close")):
            return None
    elif letters or (match := CHINESE_ORDINAL.fullmatch(text)) is None:
        return None
    value = _letter_value(match) if letters else _number_value(match)
    return _Mark(value)


def _unwrap(text: str) -> str:
    """Return *text* without one pair of brackets or quotes around all of it and a stop after them."""
    closer = PAIRS.get(text[0])
    if closer is None:
        return text
    body = text[:-1] if text[-1] in TERMINALS else text
    if len(body) > 2 and body[-1] == closer:
        return body[1:-1].strip(TRIM) or text
    return text


def _brackets_fit(opened: str | None, closed: str | None) -> bool:
    if opened is not None:
        return PAIRS[opened] == closed
    return closed in (None, ")")


def _letter_value(match: re.Match[str]) -> int:
    letter = match.group("letter")
    return ord(letter.upper()) - ord("A") + 1 if letter else ENCLOSED_LETTERS[match.group("enclosed")]


def _number_value(match: re.Match[str]) -> int | None:
    enclosed = match.group("enclosed")
    if enclosed:
        return ENCLOSED[enclosed]
    digits = match.group("digits")
    if len(digits) > 1 and (digits[0] == "0" or match.group("keycap")):
        return None
    return int(digits) if len(digits) <= _MAX_DIGITS else _BEYOND


def _choose(mark: _Mark, text: str, found: LabelNumbers, count: int, *, letters: bool) -> Resolution:
    value = mark.value
    if value is None:
        return _UNRESOLVED[Reason.ambiguous]
    pointed = (found.letters if letters else found.numbers).get(value, frozenset[int]())
    pointed |= found.texts.get(fold_text(text), frozenset())
    if pointed - {value}:
        return _UNRESOLVED[Reason.ambiguous]
    if not 1 <= value <= count:
        return _UNRESOLVED[Reason.out_of_range]
    return _resolved(value)


def _resolved(value: int) -> Resolution:
    if value <= len(_RESOLVED):
        return _RESOLVED[value - 1]
    return Resolution(choice=value, choices=(value,), reason=Reason.resolved)


def _read_polarity(text: str, yes: int | None, no: int | None) -> int | None:
    word = text.casefold()
    if word.endswith((".", "。", "!")):
        word = word[:-1]
    if yes and word in YES_WORDS:
        return yes
    return no if no and word in NO_WORDS else None


def _choose_declared(value: int, text: str, found: LabelNumbers, count: int, *, agrees: bool) -> Resolution:
    if contradicted(found, value, agrees=agrees) or found.texts.get(fold_text(text), frozenset[int]()) - {value}:
        return _UNRESOLVED[Reason.ambiguous]
    return _resolved(value) if 1 <= value <= count else _UNRESOLVED[Reason.out_of_range]


def _read_several(text: str) -> list[_Mark] | None:
    """Return the marks of a list such as ``1,3`` or ``①③``, or None where *text* is not wholly such a list."""
    marks: list[_Mark] = []
    position = 0
    while match := SEVERAL_TOKEN.match(text, position):
        marks.append(_Mark(_number_value(match)))
        position = match.end()
        if SEVERAL_TAIL.fullmatch(text, position):
            return marks if len(marks) > 1 else None
        separator = SEVERAL_SEPARATOR.match(text, position)
        touching = match.group("enclosed") or match.group("keycap")
        if separator:
            position = separator.end()
        elif not touching:
            return None
    return None


def _choose_several(marks: list[_Mark], found: LabelNumbers, count: int) -> Resolution:
    values = [mark.value for mark in marks if mark.value is not None]
    if len(values) < len(marks) or len(set(values)) < len(values):
        return _UNRESOLVED[Reason.ambiguous]
    if any(found.numbers.get(value, frozenset[int]()) - {value} for value in values):
        return _UNRESOLVED[Reason.ambiguous]
    if not all(1 <= value <= count for value in values):
        return _UNRESOLVED[Reason.out_of_range]
    return Resolution(choices=tuple(sorted(values)), reason=Reason.resolved)
