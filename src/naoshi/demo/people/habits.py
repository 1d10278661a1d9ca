"""Preferences of format: how some people write a value, whatever the document says.

A habit takes the value as it should be and the whole text of the document, and returns the value as the person
writes it, or None where the habit does not apply.
"""

import re
import unicodedata
from collections.abc import Callable
from typing import Final

from naoshi.demo.people.written_date import month_name, read_date

Habit = Callable[[str, str], str | None]

_AMOUNT: Final = re.compile(r"(?P<currency>[A-Z¥$£€]*)\s*(?P<number>[\d,]+(?:\.\d+)?)\s*(?P<yen>円?)-?")
_SHORT_ENGLISH: Final = (
    (r",?\s*\b(SDN\.?\s*BHD|PTE\.?\s*LTD|PTY\.?\s*LTD|LTD|LLC|INC)\b\.?", ""),
    (r"\bENTERPRISE\b", "ENT"),
    (r"\bTRADING\b", "TRDG"),
    (r"\bRESTAURANT\b", "REST."),
    (r"\bRESTORAN\b", "REST."),
    (r"\bSTATIONER(Y|S)\b", "STATNRY"),
    (r"\bJALAN\b", "JLN"),
    (r"\bTAMAN\b", "TMN"),
    (r"\bLORONG\b", "LRG"),
    (r"\bBANDAR\b", "BDR"),
    (r"\bKAMPUNG\b", "KG"),
    (r"\bJOHOR BAHRU\b", "JB"),
    (r"\bSTREET\b", "ST"),
    (r"\bROAD\b", "RD"),
    (r"\bAVENUE\b", "AVE"),
    (r"\bLANE\b", "LN"),
    (r"\bAND\b", "&"),
    (r"&", "AND"),
)
_SHORT_JAPANESE: Final = (
    (r"株式会社", "(株)"),
    (r"有限会社", "(有)"),
    (r"合同会社", "(同)"),
    (r"^(東京都|北海道|(?:京都|大阪)府|[一-鿿]{2,3}県)", ""),
    (r"(\d+)-(\d+)-(\d+)", r"\1丁目\2番\3号"),
)


def iso_date(value: str, document: str) -> str | None:
    """Write a date as 2018-12-25."""
    day = read_date(value)
    return day.isoformat() if day else None


def date_with_month_name(value: str, document: str) -> str | None:
    """Write a date as 25 Dec 2018."""
    day = read_date(value)
    return f"{day.day} {month_name(day).title()} {day.year}" if day else None


def amount_with_currency(value: str, document: str) -> str | None:
    """Write an amount with the code of the currency of the document, or without where it is printed with one."""
    match = _amount(value)
    if not match:
        return None
    if match["currency"] or match["yen"]:
        return match["number"]
    if "円" in document or "¥" in document or "￥" in document:
        return f"{match['number']}円"
    return f"{'RM' if re.search(r'RM|MYR|SDN', document) else 'USD'} {match['number']}"


def amount_without_cents(value: str, document: str) -> str | None:
    """Write an amount in whole units and without currency, cents cut off."""
    match = _amount(value)
    if not match:
        return None
    return match["number"].partition(".")[0].replace(",", "")


def abbreviated(value: str, document: str) -> str | None:
    """Write a name or an address short: the usual abbreviations, the legal form of a company left out."""
    for pattern, short in (*_SHORT_ENGLISH, *_SHORT_JAPANESE):
        written = re.sub(pattern, short, value, flags=re.IGNORECASE).strip(" ,")
        if written and written != value:
            return " ".join(written.split())
    return None


def title_case(value: str, document: str) -> str | None:
    """Write Capitals As In A Title."""
    return _if_changed(value.title() if value != value.title() else value.upper(), value)


def without_punctuation(value: str, document: str) -> str | None:
    """Leave out commas, full stops and brackets."""
    bare = "".join(" " if unicodedata.category(character) in {"Po", "Ps", "Pe"} else character for character in value)
    return _if_changed(" ".join(bare.split()), value)


def _if_changed(written: str, value: str) -> str | None:
    return written if written and written != value else None


def _amount(value: str) -> re.Match[str] | None:
    return _AMOUNT.fullmatch(unicodedata.normalize("NFKC", value).strip().replace("\\", "¥"))
