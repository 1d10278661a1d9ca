"""Which numbers and letters the choices' own texts begin with, and where those contradict the choices' places."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from naoshi.confirm.label_patterns import KANJI, NUMBER_WORDS, called_by, differing_letters, differing_numbers
from naoshi.confirm.reply_grammar import ENCLOSED, ENCLOSED_LETTERS, FOLD, NO_WORDS, PREFIXES, TRIM, YES_WORDS
from naoshi.records.confirmation import Style

# A numeral of Chinese characters is a number only before one of these: 一部 and 一覧 are words, 一人 and 一つ count.
_COUNTERS = "つ人名個件回日月年枚本円番時分秒週章案部屋台社店度点号行"
_NOT_COUNTED = ("一部", "一度", "一番", "一行", "一点", "一本化", "一日中", "一時")

_WORD_PREFIX = re.compile(rf"(?:{'|'.join(PREFIXES)})", re.ASCII | re.IGNORECASE)
_SIGN_PREFIX = re.compile(r"(?:no\. ?|№ ?)", re.ASCII | re.IGNORECASE)
_WORD = re.compile(rf"({'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))})(?![a-z'’-])", re.ASCII | re.IGNORECASE)
_LETTER = re.compile(r"([A-Za-z])(?![A-Za-z'’]| [A-Za-z])", re.ASCII)
# What goes on so is another number: 1,200 does not begin with 1, nor does 1.5; but 1,2 is a list.
_GROUPED = re.compile(r"\.[0-9]|,[0-9]{3}(?![0-9])", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class LabelNumbers:
    """What a set of labels points at, each as the 1-based places of the labels.

    ``plain`` are the labels, trimmed and narrow. ``numbers`` are the places by number: of the labels that begin with
    it, that a word and the number name (``Option 2``, 第2案), or that are told apart by it (``Send 2 copies`` beside
    ``Send 3 copies``). ``letters`` are the same by letter, as its place in the alphabet. ``texts`` are the places by a
    whole label, folded.
    """

    plain: tuple[str, ...]
    numbers: dict[int, frozenset[int]]
    texts: dict[str, frozenset[int]]

    @cached_property
    def letters(self) -> dict[int, frozenset[int]]:
        """The places by letter; few questions are lettered."""
        letters = zip(map(_letters_of, self.plain), differing_letters(self.plain), strict=True)
        return _gather(own | told for own, told in letters)

    @cached_property
    def agrees(self) -> frozenset[int]:
        """The places of the labels that begin with a word for yes."""
        return self._beginning(YES_WORDS)

    @cached_property
    def declines(self) -> frozenset[int]:
        """The places of the labels that begin with a word for no."""
        return self._beginning(NO_WORDS)

    def _beginning(self, words: Collection[str]) -> frozenset[int]:
        return frozenset(place for place, label in enumerate(self.plain, start=1) if _begins_with(label, words))


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
    if text[:1] not in KANJI or (text.startswith(_NOT_COUNTED) and text not in _NOT_COUNTED):
        return None
    rest = text[1:2]
    return KANJI[text[0]] if not rest or rest in _COUNTERS or unicodedata.category(rest)[0] in "PSZ" else None


def _leading_number(text: str) -> int | None:
    if not text:
        return None
    if text[0] in ENCLOSED:
        return ENCLOSED[text[0]]
    if word := _WORD.match(text):
        return NUMBER_WORDS[word.group(1).lower()]
    numeric = unicodedata.numeric(text[0], None)
    if text[0] not in KANJI and numeric is not None and unicodedata.decimal(text[0], None) is None:
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


def _numbers_of(label: str) -> set[int]:
    start = _skip_marks(label)
    rest = _without(_WORD_PREFIX, start)
    found = [_leading_number(_without(_SIGN_PREFIX, start) or start), _leading_number(rest) if rest else None]
    name = called_by(start)
    return {number for number in (*found, int(name) if name and name.isdigit() else None) if number is not None}


def _letters_of(label: str) -> set[int]:
    start = _skip_marks(label)
    rest = _without(_WORD_PREFIX, start)
    name = called_by(start)
    found = (_leading_letter(start), _leading_letter(rest) if rest else None, _leading_letter(name) if name else None)
    return {letter for letter in found if letter is not None}


def _begins_with(label: str, words: Collection[str]) -> bool:
    start = _skip_marks(label).casefold()
    if _SIGN_PREFIX.match(start):
        return False
    return any(start.startswith(word) and not start[len(word) :][:1].isalpha() for word in words)


def _gather(values: Iterable[Collection[int]]) -> dict[int, frozenset[int]]:
    places: dict[int, set[int]] = {}
    for place, found in enumerate(values, start=1):
        for value in found:
            places.setdefault(value, set()).add(place)
    return {value: frozenset(found) for value, found in places.items()}


@lru_cache(maxsize=512)
def read_labels(labels: tuple[str, ...]) -> LabelNumbers:
    """Return what *labels* point at. The answer is remembered, for the same question is read again and again."""
    plain = tuple(label.strip(TRIM).translate(FOLD) for label in labels)
    texts: dict[str, set[int]] = {}
    for place, label in enumerate(plain, start=1):
        if label:
            texts.setdefault(label.casefold(), set()).add(place)
    numbers = zip(map(_numbers_of, plain), differing_numbers(plain), strict=True)
    return LabelNumbers(
        plain=plain,
        numbers=_gather(own | told for own, told in numbers),
        texts={text: frozenset(places) for text, places in texts.items()},
    )


def contradicted(found: LabelNumbers, value: int, *, agrees: bool) -> bool:
    """Return whether the labels contradict that a word for yes (*agrees*), or for no, stands for the choice *value*."""
    same, other = (found.agrees, found.declines) if agrees else (found.declines, found.agrees)
    return bool(same - {value}) or value in other


def label_warnings(
    labels: Sequence[str], *, style: Style | str = Style.numbers, yes: int | None = None, no: int | None = None
) -> tuple[str, ...]:
    """Return one sentence for each choice that its mark cannot reach, because it could mean another by its text.

    With such a warning the asker can mark the choices the other way (``style="letters"``), or word them anew. The same
    for *yes* and *no*, where they were declared and a text says otherwise.
    """
    found = read_labels(tuple(labels))
    mine = found.numbers if style == Style.numbers else found.letters
    warnings: list[str] = []
    for number in range(1, len(labels) + 1):
        others = sorted(mine.get(number, frozenset()) - {number})
        if others:
            mark = str(number) if style == Style.numbers else chr(ord("A") + number - 1)
            named = ", ".join(map(str, others))
            warnings.append(f"{mark} does not choose: by its text it could mean choice {named}")
    for word, value in (("yes", yes), ("no", no)):
        if value is not None and contradicted(found, value, agrees=word == "yes"):
            warnings.append(f"{word} does not choose: the texts say otherwise")
    for places in found.texts.values():
        if len(places) > 1:
            warnings.append(f"choices {', '.join(map(str, sorted(places)))} have the same text")
    return tuple(warnings)
