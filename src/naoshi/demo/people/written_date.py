"""Dates as receipts print them, read the way the people of the demo read them: the day comes before the month."""

import re
import unicodedata
from datetime import date
from typing import Final

_ERAS: Final = {"令和": 2018, "平成": 1988, "R": 2018, "H": 1988}
_MONTHS: Final = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_MONTH: Final = "(?P<name>JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)[A-Z]*"
_SEPARATOR: Final = r"\s*[-/.]\s*"
_FORMS: Final = tuple(
    re.compile(form)
    for form in (
        r"(?P<era>令和|平成|R|H)\s*(?P<year>\d{1,2}|元)\s*[年./-]\s*(?P<month>\d{1,2})\s*[月./-]\s*(?P<day>\d{1,2})日?",
        r"(?P<year>\d{4})\s*[年./-]\s*(?P<month>\d{1,2})\s*[月./-]\s*(?P<day>\d{1,2})日?",
        rf"(?P<day>\d{{1,2}}){_SEPARATOR}(?P<month>\d{{1,2}}){_SEPARATOR}(?P<year>\d{{4}}|\d{{2}})",
        rf"(?P<day>\d{{1,2}})[\s/-]*{_MONTH}[\s/,.'-]*(?P<year>\d{{4}}|\d{{2}})",
        rf"{_MONTH}\s*(?P<day>\d{{1,2}})\s*,?\s*(?P<year>\d{{4}})",
    )
)


def read_date(text: str) -> date | None:
    """Return the date that *text* as a whole stands for (brackets aside), or None."""
    folded = unicodedata.normalize("NFKC", text).upper().strip(" ()")
    for form in _FORMS:
        match = form.fullmatch(folded)
        if match:
            return _date(match.groupdict())
    return None


def month_name(day: date) -> str:
    """Return the English name of the month of *day* in three capitals, whatever the locale."""
    return _MONTHS[day.month - 1]


def _date(parts: dict[str, str | None]) -> date | None:
    year = 1 if parts["year"] == "元" else int(parts["year"] or 0)
    era, name = parts.get("era"), parts.get("name")
    if era:
        year += _ERAS[era]
    elif year < 100:
        year += 2000
    month = _MONTHS.index(name) + 1 if name else int(parts.get("month") or 0)
    try:
        return date(year, month, int(parts["day"] or 0))
    except ValueError:
        return None
