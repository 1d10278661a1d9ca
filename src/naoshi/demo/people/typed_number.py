"""How people type the number of a choice, and what they type when they are not ready to."""

from collections.abc import Sequence
from random import Random
from typing import Final

from naoshi.records.language import Language

_FULL_WIDTH: Final = str.maketrans("0123456789", "０１２３４５６７８９")
_FIRST_CIRCLED: Final = 0x2460
_CIRCLED: Final = 20
_FORMS: Final[dict[Language, tuple[Sequence[str], Sequence[int]]]] = {
    "ja": (
        ("{n}", "{f}", "{c}", " {n} ", "{n}番", "{f}番", "{n}.", "{n}です", "{n}番で", "その{n}", "{n}でお願いします"),
        (30, 25, 12, 6, 10, 5, 3, 3, 2, 2, 2),
    ),
    "en": (
        ("{n}", " {n} ", "{n}.", "{n})", "#{n}", "No.{n}", "option {n}", "{c}"),
        (60, 10, 10, 5, 5, 4, 4, 2),
    ),
}
_NOT_READY: Final[dict[Language, Sequence[str]]] = {
    "ja": ("ちょっと待って", "うーん", "元の画像を見てから", "今見ています", "どれだろう"),
    "en": ("hold on", "hmm", "let me look first", "one moment please", "which one was it"),
}


def typed_number(number: int, *, lot: Random, language: Language) -> str:
    """Return *number* as a person types it; the grammar of `naoshi.confirm` reads every form as that number."""
    forms, weights = _FORMS[language]
    circled = chr(_FIRST_CIRCLED + number - 1) if 1 <= number <= _CIRCLED else str(number)
    form = lot.choices(forms, weights)[0]
    return form.format(n=number, f=str(number).translate(_FULL_WIDTH), c=circled)


def not_ready(*, lot: Random, language: Language) -> str:
    """Return words of someone who has not decided; the grammar of `naoshi.confirm` reads none as a number."""
    return lot.choice(_NOT_READY[language])
