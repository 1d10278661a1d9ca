"""Amounts and dates as people write them, read as every value that they may stand for."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation

from naoshi.records.field_rule import FieldKind
from naoshi.records.text_comparison import as_text

_LONGEST = 60
_CURRENCY = (
    r"(?:RM|MYR|USD|US\$|S\$|SGD|HK\$|HKD|NT\$|A\$|AUD|CAD|NZD|EUR|GBP|JPY|CNY|KRW|CHF|INR|THB|IDR|PHP|TWD|VND|"
    r"[$¥€£₩₹฿]|RS\.?)"
)
_DIGITS = r"\d+(?:[,.' ]\d{3})*(?:[.,]\d+)?|[.,]\d+"
_AMOUNT = re.compile(
    rf"(?P<open>\()?\s*(?P<sign>[-+▲△])?\s*{_CURRENCY}?\s*(?P<sign2>[-+▲△])?\s*(?P<digits>{_DIGITS})\s*"
    rf"(?P<ten>万|千)?\s*(?:円|元|{_CURRENCY})?\s*(?P<sign3>-)?\s*(?P<close>\))?"
)
_AMOUNT_IN_TEXT = re.compile(rf"(?<![\d.,/:-]){_CURRENCY}? ?[-+▲△]?(?:{_DIGITS})(?![\d/:]|[.,-]\d)(?:\s?円)?")

_MONTHS: tuple[str, ...] = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_BETWEEN = r"\s*[-/. ]\s*"
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925, "大正": 1911, "r": 2018, "h": 1988, "s": 1925, "t": 1911}
_WEEKDAY = r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[,. ]*)?"
_DATE_FORMS = tuple(
    re.compile(form)
    for form in (
        r"(?P<era>令和|平成|昭和|大正|[rhst])\s*(?P<y>\d{1,2}|元)\s*[年./-]\s*(?P<m>\d{1,2})\s*[月./-]\s*(?P<d>\d{1,2})\s*日?",
        r"(?P<y>\d{4}|\d{2})\s*年\s*(?P<m>\d{1,2})\s*月\s*(?P<d>\d{1,2})\s*日?",
        rf"(?P<y>\d{{4}}){_BETWEEN}(?P<m>\d{{1,2}}){_BETWEEN}(?P<d>\d{{1,2}})",
        r"(?P<y>(?:19|20)\d\d)(?P<m>\d\d)(?P<d>\d\d)",
        rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)?[-/., ]*{_MONTH}[-/., ']*(?P<y>\d{{4}}|\d{{2}})",
        rf"{_MONTH}[-/., ]*(?P<d>\d{{1,2}})(?:st|nd|rd|th)?[-/., ]+(?P<y>\d{{4}}|\d{{2}})",
        rf"(?P<y>\d{{4}}){_BETWEEN}{_MONTH}{_BETWEEN}(?P<d>\d{{1,2}})",
    )
)
_DATE_OF_NUMBERS = re.compile(
    rf"(\d{{1,2}}){_BETWEEN}(\d{{1,2}}){_BETWEEN}(\d{{4}}|\d{{2}})|(\d\d)(\d\d)((?:19|20)\d\d)"
)
_DATE_IN_TEXT = re.compile(
    r"(?<![\d])(?:(?:令和|平成|昭和|[RHS])\s?(?:\d{1,2}|元)\s?[年./-]\s?\d{1,2}\s?[月./-]\s?\d{1,2}日?"
    r"|\d{2,4}\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?日?"
    r"|\d{1,4}\s?[-/.]\s?\d{1,2}\s?[-/.]\s?\d{1,4}"
    r"|\d{1,4}[-/., ]{0,2}(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)[A-Z]*[-/., ']{0,3}\d{1,4}"
    r"|(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)[A-Z]*[-/., ]{0,2}\d{1,2}[-/., ]{1,2}\d{2,4}"
    r"|(?:19|20)\d{6})(?!\d)",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True)
class DateReadings:
    """The dates that a text may stand for: with the day before the month, with the month first, with the year first.

    A text that can be read in one way only has that date in all three. A reading that is no date is None.
    """

    day_first: date | None
    month_first: date | None
    year_first: date | None

    @property
    def all(self) -> frozenset[date]:
        """All possible dates."""
        return frozenset(item for item in (self.day_first, self.month_first, self.year_first) if item is not None)


def amounts(value: object) -> frozenset[Decimal]:
    """Return the amounts that the whole of *value* may stand for: ``1,200`` is 1200, ``1.200`` is 1.2 or 1200.

    Full width, currencies before or after, thousands separators, brackets and ``▲`` for minus are understood.
    """
    text = _folded(value).upper()
    match = _AMOUNT.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None or (match["open"] is None) != (match["close"] is None):
        return frozenset()
    # A dash after an amount in yen ends it; after others it is a minus, as ledgers write it.
    signs = ("sign", "sign2") if "¥" in text or "円" in text else ("sign", "sign2", "sign3")
    marks = [match[name] for name in signs if match[name]]
    negative = bool(match["open"]) or any(mark in "-▲△" for mark in marks)
    factor = {"万": 10_000, "千": 1_000, None: 1}[match["ten"]]
    return frozenset((-number if negative else number) * factor for number in _numbers(match["digits"]))


def dates(value: object) -> DateReadings | None:
    """Return the dates that the whole of *value* may stand for (a weekday, brackets and a time of day aside), or None.

    A two-digit year is one of 1970 to 2069. Japanese eras are understood.
    """
    text = _folded(value).casefold()
    if len(text) > _LONGEST:
        return None
    text = re.sub(r"[\s,t]+\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?\s*(?:[ap]\.?m\.?)?z?$", "", text).strip(" ()[]")
    text = re.sub(r"\s*\([月火水木金土日a-z]+\)?$", "", re.sub(f"^{_WEEKDAY}", "", text))
    for form in _DATE_FORMS:
        match = form.fullmatch(text)
        if match is not None:
            day = _date(match.groupdict())
            if day is not None:
                return DateReadings(day_first=day, month_first=day, year_first=day)
    match = _DATE_OF_NUMBERS.fullmatch(text)
    return _of_numbers(*(item for item in match.groups() if item is not None)) if match is not None else None


def surely_the_same(kind: FieldKind, left: object, right: object) -> bool:
    """Return whether both are one value of *kind*, written in whatever way, under one reading of day and month."""
    if kind is FieldKind.amount:
        return bool(amounts(left) & amounts(right))
    if kind is not FieldKind.date:
        return False
    one, other = dates(left), dates(right)
    if one is None or other is None or not one.all & other.all:
        return False
    if len(one.all) == 1 or len(other.all) == 1:
        return True
    pairs = (
        (one.day_first, other.day_first),
        (one.month_first, other.month_first),
        (one.year_first, other.year_first),
    )
    across = ((one.year_first, other.day_first), (one.day_first, other.year_first))
    if one.year_first is None or other.year_first is None:
        pairs += across
    return any(a is not None and a == b for a, b in pairs)


def possibly_the_same(kind: FieldKind, left: object, right: object) -> bool:
    """Return whether both are one value of *kind* under some reading of each: 03/04 is the 4th of March, or April."""
    if kind is not FieldKind.date:
        return surely_the_same(kind, left, right)
    one, other = dates(left), dates(right)
    return one is not None and other is not None and bool(one.all & other.all)


def is_written_as(kind: FieldKind, value: object) -> bool:
    """Return whether the whole of *value* is written as an amount or as a date."""
    if kind is FieldKind.amount:
        return bool(amounts(value))
    return kind is FieldKind.date and dates(value) is not None


def has_decimals(value: object) -> bool:
    """Return whether an amount is written with one or two decimals."""
    return re.search(r"\d[.,]\d{1,2}(?!\d)", _folded(value)) is not None


def has_currency(value: object) -> bool:
    """Return whether an amount is written with a currency."""
    return re.search(rf"{_CURRENCY}|円|元", _folded(value).upper()) is not None


def without_currency(value: object) -> str:
    """Return the signs of a written value other than its currency and spaces, in upper case."""
    return re.sub(rf"{_CURRENCY}|円|\s", "", _folded(value).upper())


def values_in(kind: FieldKind, text: str) -> tuple[str, ...]:
    """Return the texts in *text* that are written as a value of *kind*, in order; none for plain text."""
    if kind is FieldKind.text:
        return ()
    pattern = _AMOUNT_IN_TEXT if kind is FieldKind.amount else _DATE_IN_TEXT
    return tuple(match.group().strip() for match in pattern.finditer(unicodedata.normalize("NFKC", text)))


def _folded(value: object) -> str:
    text = unicodedata.normalize("NFKC", as_text(value)).strip()
    return text.replace("−", "-").replace("\\", "¥")


def _numbers(digits: str) -> Iterator[Decimal]:
    digits = digits.replace("'", "").replace(" ", "")
    decimal_point = digits.replace(",", "")
    decimal_comma = digits.replace(".", "").replace(",", ".")
    grouped_by_comma = re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits) is not None
    readings = {decimal_point} if "," not in digits or grouped_by_comma else {decimal_comma}
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+", digits):
        readings.add(decimal_comma)
    for reading in readings:
        try:
            yield Decimal(reading)
        except InvalidOperation:
            continue


def _date(parts: dict[str, str | None]) -> date | None:
    era, name = parts.get("era"), parts.get("name")
    year = 1 if parts["y"] == "元" else int(parts["y"] or 0)
    year = year + _ERAS[era] if era else _full_year(year)
    month = _MONTHS.index(name[:3]) + 1 if name else int(parts.get("m") or 0)
    return _made(year, month, int(parts["d"] or 0))


def _of_numbers(first: str, second: str, third: str) -> DateReadings | None:
    a, b, c = int(first), int(second), int(third)
    readings = DateReadings(
        day_first=_made(_full_year(c), b, a),
        month_first=_made(_full_year(c), a, b),
        year_first=_made(_full_year(a), b, c) if len(third) == 2 and len(first) == 2 else None,
    )
    return readings if readings.all else None


def _full_year(year: int) -> int:
    if year >= 100:
        return year
    return year + (2000 if year < 70 else 1900)


def _made(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
