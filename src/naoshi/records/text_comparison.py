"""When two values of a field count as the same, and the key that says so."""

import re
import unicodedata
from enum import StrEnum

from naoshi.records.base import canonical_json

_NOT_LETTER_OR_DIGIT = re.compile(r"[\W_]+")


class Comparison(StrEnum):
    """How two values of a field are compared.

    ``exact``: equal text. ``spacing``: runs of white space are one space, ends are trimmed.
    ``letters_and_digits``: only letters and digits count, in upper case.
    """

    exact = "exact"
    spacing = "spacing"
    letters_and_digits = "letters_and_digits"

    def key(self, value: object) -> str:
        """Return the text that stands for *value*: equal keys are equal values. None is the empty text."""
        text = as_text(value)
        if self is Comparison.exact:
            return text
        if self is Comparison.spacing:
            return " ".join(text.split())
        return _NOT_LETTER_OR_DIGIT.sub("", text).upper()

    def same(self, left: object, right: object) -> bool:
        """Return whether both values have the same key."""
        return self.key(left) == self.key(right)


def as_text(value: object) -> str:
    """Return *value* as the text a person compares: None is empty, text itself, all else its JSON (NaN as `nan`)."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    try:
        return canonical_json(value)
    except ValueError:
        return str(value)


def loosened(value: object) -> str:
    """Return the letters and digits of *value* under compatibility folding, for "is it the same after all"."""
    return _NOT_LETTER_OR_DIGIT.sub("", unicodedata.normalize("NFKC", as_text(value))).casefold()
