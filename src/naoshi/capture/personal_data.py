"""Masking personal data: a closed set of forms that can be told from other text by their shape or their check digit.

There is no guessing: names, addresses and birthdays have no form, and stay. Libraries were looked at: those that find
names load models, and the one that finds telephone numbers takes 20 s for a megabyte and sees them in identifiers.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from naoshi.capture.personal_forms import (
    HIDDEN,
    PersonalData,
    is_wholly,
    kind_named,
    may_hold_any,
    places_of,
    shadow,
)
from naoshi.capture.redaction import MASK, Json, redact

MASKS: Final = {
    PersonalData.email: "[e-mail address]",
    PersonalData.iban: "[bank account]",
    PersonalData.card: "[card number]",
    PersonalData.my_number: "[individual number]",
    PersonalData.postal_code: "[postal code]",
    PersonalData.phone: "[phone number]",
}
"""What stands in the place of each kind."""

NUMBER_MASK: Final = "0"
"""What stands in the place of digits that are a number in a JSON text, which would be none with a mask in it."""

ALL_KINDS: Final = frozenset(PersonalData)

_LONGEST_NAME = 200
_A_MASK = re.compile("|".join(re.escape(mask) for mask in (*MASKS.values(), MASK)))
_NUMBER = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
_BEFORE_NUMBER = re.compile(r"(?:\"\s{0,3}:|[\[,])\s{0,3}-?$")
_AFTER_NUMBER = re.compile(r"\s{0,3}[,\]}]")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NAMES_IDENTIFIER = re.compile(r"(?:^|[._-])(?:ids?|uuid|digest|hash|commit|sha(?:256)?)$", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Masking:
    """Masks secrets, and personal data of ``kinds``; it can be given wherever a `Redactor` can.

    Identifiers stay: what a name that ends in `id`, `hash` and the like holds, and digits inside of longer words.
    Masked text is masked once: ``masking(masking(x)) == masking(x)``.
    """

    kinds: Collection[PersonalData] = ALL_KINDS

    def __call__(self, value: Json, /, *, name: str = "") -> Json:
        """Return *value* with what is secret or personal in its texts and numbers masked, however deep."""
        return self._personal(redact(value, name=name), name) if self.kinds else redact(value, name=name)

    def text(self, text: str) -> str:
        """Return *text* with what is secret or personal masked; what is JSON stays JSON."""
        return str(self(text))

    def _personal(self, value: Json, name: str) -> Json:
        if isinstance(value, str):
            return self._masked(value, name)
        if isinstance(value, list):
            return [self._personal(item, name) for item in value]
        if isinstance(value, dict):
            return {mask_personal_data(key, self.kinds): self._personal(item, key) for key, item in value.items()}
        if isinstance(value, int) and not isinstance(value, bool):
            masked = self._masked(str(value), name)
            return value if masked == str(value) else masked
        return value

    def _masked(self, text: str, name: str) -> str:
        if not may_hold_any(text):
            return text
        is_identifier, kind = _told_by(name[-_LONGEST_NAME:])
        if is_identifier:
            return text
        if kind in self.kinds and kind is not None and is_wholly(kind, shadow(text, _A_MASK)):
            return MASKS[kind]
        return mask_personal_data(text, self.kinds)


def mask_personal_data(text: str, kinds: Collection[PersonalData] = ALL_KINDS) -> str:
    """Return *text* with personal data of *kinds* masked, each by a word that says what stood there.

    Digits that may be a number in a JSON text become `0`.
    """
    if not may_hold_any(text):
        return text
    seen = shadow(text, _A_MASK)
    found: dict[int, tuple[int, PersonalData]] = {}
    for kind in PersonalData:
        if kind not in kinds:
            continue
        places = tuple(places_of(kind, seen))
        found |= {begin: (end, kind) for begin, end in places}
        seen = _replaced(seen, [(begin, end, HIDDEN * (end - begin)) for begin, end in places])
    put = [
        (begin, end, NUMBER_MASK if _is_json_number(text, begin, end) else MASKS[kind])
        for begin, (end, kind) in sorted(found.items())
    ]
    return _replaced(text, put)


@lru_cache(maxsize=1024)
def _told_by(name: str) -> tuple[bool, PersonalData | None]:
    """Return whether *name* is that of an identifier, and which kind it says that its value is of."""
    spaced = _CAMEL.sub("_", name)
    return _NAMES_IDENTIFIER.search(spaced) is not None, kind_named(spaced)


def _replaced(text: str, put: Sequence[tuple[int, int, str]]) -> str:
    """Return *text* with a word in place of what is between each begin and end, which are in order."""
    if not put:
        return text
    kept: list[str] = []
    done = 0
    for begin, end, word in put:
        kept += [text[done:begin], word]
        done = end
    return "".join((*kept, text[done:]))


def _is_json_number(text: str, begin: int, end: int) -> bool:
    return (
        _NUMBER.fullmatch(text, begin, end) is not None
        and _BEFORE_NUMBER.search(text, max(0, begin - 9), begin) is not None
        and _AFTER_NUMBER.match(text, end) is not None
    )
