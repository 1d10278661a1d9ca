"""Whether a claim's value stands in the text that it quotes."""

import re
import unicodedata
from decimal import Decimal, InvalidOperation

from pydantic import JsonValue

from naoshi.records.text_comparison import loosened

_NUMBER = re.compile(r"(?<!\d)(?<!\d[.,])[-+]?\d+(?:[,']\d{3})*(?:\.\d+)?(?![\d])")
_LONGEST_NUMBER = 60
_CURRENCIES = frozenset("$ ¥ 円 € £ ₩ % us$ s$ hk$ rm myr usd jpy eur gbp sgd hkd krw cny 元 kr chf aud cad".split())


def numbers_in(text: str) -> frozenset[Decimal]:
    """Return the numbers that stand in *text*, thousands separators left out."""
    found: set[Decimal] = set()
    for match in _NUMBER.finditer(_folded(text)):
        number = _decimal(match.group())
        if number is not None:
            found.add(number)
    return frozenset(found)


def number_of(value: JsonValue) -> Decimal | None:
    """Return the number that *value* is, with or without a currency before or after it, or None."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        return _decimal(str(value))
    if not isinstance(value, str) or len(value) > _LONGEST_NUMBER:
        return None
    folded = _folded(value).strip()
    numbers = list(_NUMBER.finditer(folded))
    if len(numbers) != 1 or sum(map(str.isdigit, folded)) != sum(map(str.isdigit, numbers[0].group())):
        return None
    rest = folded[: numbers[0].start()] + folded[numbers[0].end() :]
    plain = rest.strip(" .:()-")
    return _decimal(numbers[0].group()) if not plain or plain in _CURRENCIES else None


def value_stands_in(value: JsonValue, quotes: str) -> bool:
    """Return whether every leaf of *value* stands in *quotes*: numbers as whole numbers, texts by letters and digits.

    A text that begins or ends with a digit must not go on with one in the quotes. True and false are
    not looked for; NaN and the infinities stand nowhere.
    """
    text = _folded(quotes)
    numbers: frozenset[Decimal] | None = None
    for leaf in _leaves(value):
        number = number_of(leaf)
        if number is not None:
            numbers = numbers_in(quotes) if numbers is None else numbers
            if abs(number) not in {abs(item) for item in numbers}:
                return False
        elif isinstance(leaf, str):
            if not _text_stands_in(leaf, text):
                return False
        elif isinstance(leaf, float):
            return False
    return True


def states_the_same(left: JsonValue, right: JsonValue) -> bool:
    """Return whether two values say the same: as numbers where both are numbers, else by letters and digits."""
    one, other = number_of(left), number_of(right)
    if one is not None and other is not None:
        return one == other
    return loosened(left) == loosened(right)


def missing_numbers(text: str, quotes: str) -> tuple[Decimal, ...]:
    """Return the numbers of a claim's *text* that do not stand in its *quotes*, smallest first."""
    there = {abs(number) for number in numbers_in(quotes)}
    return tuple(sorted(number for number in numbers_in(text) if abs(number) not in there))


def _text_stands_in(value: str, folded_quotes: str) -> bool:
    wanted = "".join(filter(str.isalnum, _folded(value)))
    if not wanted:
        return True
    places = [index for index, character in enumerate(folded_quotes) if character.isalnum()]
    text = "".join(folded_quotes[index] for index in places)
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        first, last = places[start], places[end - 1]
        cut = wanted[0].isdigit() and folded_quotes[first - 1 : first].isdigit()
        cut = cut or (wanted[-1].isdigit() and folded_quotes[last + 1 : last + 2].isdigit())
        if not cut:
            return True
        start = text.find(wanted, start + 1)
    return False


def _leaves(value: JsonValue) -> list[JsonValue]:
    leaves: list[JsonValue] = []
    waiting: list[JsonValue] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += item
        elif isinstance(item, dict):
            waiting += item.values()
        else:
            leaves.append(item)
    return leaves


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().replace("−", "-")


def _decimal(text: str) -> Decimal | None:
    try:
        number = Decimal(text.replace(",", "").replace("'", ""))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
