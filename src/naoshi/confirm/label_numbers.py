"""Which numbers and letters the choices' own texts begin with, and where those contradict the choices' places."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from naoshi.confirm.reply_grammar import ENCLOSED, ENCLOSED_LETTERS, FOLD, PREFIXES, TRIM
from naoshi.records.confirmation import Style

T = TypeVar("T")

_KANJI = {character: value for value, character in enumerate("〇一二三四五六七八九十")}
_WORDS = {
    word: value
    for value, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
}
# A numeral of Chinese characters is a number only before one of these: 一部 and 一覧 are words, 一人 and 一つ count.
_COUNTERS = "つ人名個件回日月年枚本円番時分秒週章案部屋台社店度点号行"
_NOT_COUNTED = ("一部", "一度", "一番", "一行", "一点", "一本化", "一日中", "一時")

_WORD_PREFIX = re.compile(rf"(?:{'|'.join(PREFIXES)})", re.ASCII | re.IGNORECASE)
_SIGN_PREFIX = re.compile(r"(?:no\. ?|№ ?)", re.ASCII | re.IGNORECASE)
_WORD = re.compile(rf"({'|'.join(_WORDS)})(?![a-z'’-])", re.ASCII | re.IGNORECASE)
_LETTER = re.compile(r"([A-Za-z])(?![A-Za-z'’]| [A-Za-z])", re.ASCII)
# What goes on so is another number: 1,200 does not begin with 1, nor does 1.5; but 1,2 is a list.
_GROUPED = re.compile(r"\.[0-9]|,[0-9]{3}(?![0-9])", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class LabelNumbers:
    """What a set of labels points at.

    ``begins`` maps a number to the 1-based places of the labels that begin with it; ``worded`` the same for labels
    that begin with a word and the number (``Option 2``); ``letters`` for a single letter, as its place in the
    alphabet; ``texts`` maps a whole label, folded, to its places.
    """

    begins: dict[int, frozenset[int]]
    worded: dict[int, frozenset[int]]
    letters: dict[int, frozenset[int]]
    texts: dict[str, frozenset[int]]


def fold_text(text: str) -> str:
    """Return *text* trimmed, its full-width forms narrow, letter case aside."""
    return text.strip(TRIM).translate(FOLD).casefold()


def _skip_marks(text: str) -> str:
    start = 0
    while start < len(text) and text[start] not in ENCLOSED and unicodedata.category(text[start])[0] in "PSZC":
        if text[start] in ENCLOSED_LETTERS:
            break
        start += 1
    return text[start:]


def _leading_digits(text: str) -> int | None:
    end = 0
    value = 0
    while end < len(text) and (digit := unicodedata.decimal(text[end], None)) is not None:
        value = min(value * 10 + digit, 10**9)
        end += 1
    if not end or _GROUPED.match(text, end):
        return None
    return value


def _leading_kanji(text: str) -> int | None:
    if text[:1] not in _KANJI or (text.startswith(_NOT_COUNTED) and text not in _NOT_COUNTED):
        return None
    rest = text[1:2]
    return _KANJI[text[0]] if not rest or rest in _COUNTERS or unicodedata.category(rest)[0] in "PSZ" else None


def _leading_number(text: str) -> int | None:
    if not text:
        return None
    if text[0] in ENCLOSED:
        return ENCLOSED[text[0]]
    if word := _WORD.match(text):
        return _WORDS[word.group(1).lower()]
    numeric = unicodedata.numeric(text[0], None)
    if text[0] not in _KANJI and numeric is not None and unicodedata.decimal(text[0], None) is None:
        return int(numeric) if numeric == int(numeric) else None
    kanji = _leading_kanji(text)
    return kanji if kanji is not None else _leading_digits(text)


def _leading_letter(text: str) -> int | None:
    if text[:1] in ENCLOSED_LETTERS:
        return ENCLOSED_LETTERS[text[0]]
    letter = _LETTER.match(text)
    return ord(letter.group(1).upper()) - ord("A") + 1 if letter else None


def _without(prefix: re.Pattern[str], text: str) -> str | None:
    match = prefix.match(text)
    return _skip_marks(text[match.end() :]) if match else None


def _gather(values: Sequence[T | None]) -> dict[T, frozenset[int]]:
    places: dict[T, set[int]] = {}
    for place, value in enumerate(values, start=1):
        if value is not None:
            places.setdefault(value, set()).add(place)
    return {value: frozenset(found) for value, found in places.items()}


@lru_cache(maxsize=512)
def read_labels(labels: tuple[str, ...]) -> LabelNumbers:
    """Return what *labels* begin with. The answer is remembered, for the same question is read again and again."""
    starts = [_skip_marks(label.strip(TRIM).translate(FOLD)) for label in labels]
    plain = [_leading_number(_without(_SIGN_PREFIX, start) or start) for start in starts]
    worded = [_leading_number(rest) if (rest := _without(_WORD_PREFIX, start)) else None for start in starts]
    letters = [_leading_letter(start) for start in starts]
    texts = [fold_text(label) or None for label in labels]
    return LabelNumbers(begins=_gather(plain), worded=_gather(worded), letters=_gather(letters), texts=_gather(texts))


def label_warnings(labels: Sequence[str], *, style: Style | str = Style.numbers) -> tuple[str, ...]:
    """Return one sentence for each choice that its mark cannot reach, because another choice's text begins with it.

    With such a warning the asker can mark the choices the other way (``style="letters"``), or word them anew.
    """
    found = read_labels(tuple(labels))
    mine = found.begins if style == Style.numbers else found.letters
    warnings: list[str] = []
    for number in range(1, len(labels) + 1):
        others = sorted(mine.get(number, frozenset()) - {number})
        if others:
            mark = str(number) if style == Style.numbers else chr(ord("A") + number - 1)
            named = ", ".join(map(str, others))
            warnings.append(f"{mark} does not choose: the text of choice {named} begins with {mark}")
    for places in found.texts.values():
        if len(places) > 1:
            warnings.append(f"choices {', '.join(map(str, sorted(places)))} have the same text")
    return tuple(warnings)
