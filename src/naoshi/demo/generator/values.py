"""Dates and sums of money as receipts print them."""

import datetime
import re

_MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_FULL_WIDTH = str.maketrans("0123456789/", "０１２３４５６７８９／")
_REIWA_BEGINS = 2018


def date_text(day: datetime.date, form: str) -> str:
    """Return *day* in the given form, the same on every machine and in every locale.

    ``%Y %y %m %d`` are as in `strftime`, ``%-m %-d`` without a leading zero, ``%b`` an English month in
    three capitals, ``%E`` the year of the Reiwa era (令和6年), ``%W`` the whole date in full-width digits.
    """
    parts = {
        "%Y": f"{day.year:04d}",
        "%y": f"{day.year % 100:02d}",
        "%-m": str(day.month),
        "%-d": str(day.day),
        "%m": f"{day.month:02d}",
        "%d": f"{day.day:02d}",
        "%b": _MONTHS[day.month - 1],
        "%E": f"令和{day.year - _REIWA_BEGINS}年",
        "%W": f"{day.year:04d}/{day.month:02d}/{day.day:02d}".translate(_FULL_WIDTH),
    }
    return re.sub(r"%-?[A-Za-z]", lambda part: parts[part.group()], form)


def money_text(amount: int, form: str, *, minor: bool) -> str:
    """Return *amount* in the given form; it counts hundredths where *minor* is true, whole units elsewhere."""
    text = form.format(amount / 100 if minor else amount)
    return text.translate(_FULL_WIDTH) if "￥" in form else text
