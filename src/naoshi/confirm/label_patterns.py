"""What choices are called by, where their texts are alike but for a number or a letter, or name one after a word."""

import re
from collections.abc import Callable, Sequence
from typing import Final

from naoshi.confirm.reply_grammar import ENCLOSED, ENCLOSED_LETTERS

KANJI: Final = {character: value for value, character in enumerate("〇一二三四五六七八九十")}
_COUNTED = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ORDERED = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
NUMBER_WORDS: Final = {
    **{word: value for value, word in enumerate(_COUNTED)},
    **{word: value for value, word in enumerate(_ORDERED, start=1)},
}
_ROMAN: Final = {
    **{word: value for value, word in enumerate("I II III IV V VI VII VIII IX X XI XII".split(), start=1)},
    **{chr(first + step): step + 1 for first in (0x2160, 0x2170) for step in range(12)},
}
# 1,200 is a number of its own, and no 1; 2.0 is a version that a 2 may stand for.
_NUMBER = re.compile(
    r"(?P<digits>[0-9]+(?:[.,][0-9]+)*)(?:(?:st|nd|rd|th)(?![a-z]))?"
    rf"|(?P<mark>[{''.join(ENCLOSED)}{''.join(KANJI)}])"
    rf"|(?<![a-z])(?P<word>{'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))})(?![a-z])"
    rf"|(?<![a-z])(?P<roman>(?-i:{'|'.join(sorted(_ROMAN, key=len, reverse=True))}))(?![a-z])",
    re.ASCII | re.IGNORECASE,
)
_LETTER = re.compile(rf"(?<![A-Za-z])[A-Z](?![A-Za-z'’])|[{''.join(ENCLOSED_LETTERS)}]", re.ASCII)
_PLURAL = re.compile(r"(?<=[a-z])s\b", re.ASCII | re.IGNORECASE)
# プラン2, 第2案, Plan B: a word and what it is called by, and no more than a particle or a remark after it.
_CALLED = re.compile(
    r"(?:第 ?|[^\W\d_]{1,12}[ .-]?)(?P<name>[0-9]{1,9}(?![0-9A-Za-z])|(?<![A-Za-z])[A-Z](?![A-Za-z]))"
    r"(?= ?(?:$|[(:、,–—「【\[案番号つをにではがの]))"
)


def _number(match: re.Match[str]) -> int | None:
    digits, mark, roman = match.group("digits"), match.group("mark"), match.group("roman")
    if digits:
        whole = digits.partition(".")[0]
        return int(whole) if whole.isdigit() and len(whole) < 10 else None
    if roman:
        return _ROMAN[roman]
    if mark:
        return ENCLOSED[mark] if mark in ENCLOSED else KANJI[mark]
    return NUMBER_WORDS[match.group("word").lower()]


def _letter(match: re.Match[str]) -> int:
    mark = match.group()
    return ENCLOSED_LETTERS[mark] if mark in ENCLOSED_LETTERS else ord(mark) - ord("A") + 1


def differing_numbers(labels: Sequence[str]) -> list[set[int]]:
    """Return, for each of *labels* (folded), the numbers by which it differs from others that are else the same."""
    return _differing(_without_lettering(labels), _NUMBER, _number)


def differing_letters(labels: Sequence[str]) -> list[set[int]]:
    """Return the same for single capital letters, as their places in the alphabet."""
    return _differing(labels, _LETTER, _letter)


def called_by(label: str) -> str | None:
    """Return the number or the letter that a word at the start of *label* (folded) is followed by, as its name."""
    match = _CALLED.match(label)
    return match.group("name") if match else None


def _without_lettering(labels: Sequence[str]) -> list[str]:
    """Return *labels* with the letters hidden by which they count as A, B, C …, so that I, V and X are no numbers."""
    patterns = [_LETTER.sub("\0", label).casefold() for label in labels]
    lettered = {
        pattern
        for pattern, label in zip(patterns, labels, strict=True)
        if patterns.count(pattern) > 1 and set(_LETTER.findall(label)) - set("IVX")
    }
    return [
        _LETTER.sub("_", label) if pattern in lettered else label
        for pattern, label in zip(patterns, labels, strict=True)
    ]


def _differing(
    labels: Sequence[str], token: re.Pattern[str], read: Callable[[re.Match[str]], int | None]
) -> list[set[int]]:
    patterns = [_PLURAL.sub("", token.sub("\0", label)).casefold() for label in labels]
    values = [[read(match) for match in token.finditer(label)] for label in labels]
    alike: dict[str, list[int]] = {}
    for place, pattern in enumerate(patterns):
        alike.setdefault(pattern, []).append(place)
    found: list[set[int]] = [set() for _ in labels]
    for places in alike.values():
        for column in zip(*(values[place] for place in places), strict=True):
            if len(set(column)) > 1:
                for place, value in zip(places, column, strict=True):
                    found[place] |= set() if value is None else {value}
    return found
