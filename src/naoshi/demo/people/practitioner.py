"""The people who correct the agent's work in the demo, and what each is used to."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from naoshi.demo.people.habits import (
    Habit,
    abbreviated,
    amount_with_currency,
    amount_without_cents,
    date_with_month_name,
    iso_date,
    title_case,
    without_punctuation,
)
from naoshi.records.field_rule import FieldKind


@dataclass(frozen=True, kw_only=True)
class Practitioner:
    """One person: the name that stands in their corrections, and their habits of writing by kind of field."""

    name: str
    habits: Mapping[FieldKind, tuple[Habit, ...]]


TEAM: Final = (
    Practitioner(
        name="sato",
        habits={FieldKind.date: (iso_date,), FieldKind.text: (abbreviated,)},
    ),
    Practitioner(
        name="lim",
        habits={FieldKind.amount: (amount_with_currency,), FieldKind.text: (without_punctuation, abbreviated)},
    ),
    Practitioner(
        name="aisha",
        habits={FieldKind.date: (date_with_month_name,), FieldKind.text: (title_case,)},
    ),
    Practitioner(
        name="kumar",
        habits={FieldKind.amount: (amount_without_cents,), FieldKind.date: (iso_date,)},
    ),
)
"""The team of the demo. Each document is one person's; a colleague may look at it as well."""
