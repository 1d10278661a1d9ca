"""How the fields of an artifact are compared and counted."""

from enum import StrEnum

from naoshi.records.base import Record
from naoshi.records.text_comparison import Comparison


class FieldKind(StrEnum):
    """What a field holds, so that two ways to write one value are seen as one (1,200 and 1200.00; 3/8 and 8 March)."""

    text = "text"
    amount = "amount"
    date = "date"


class FieldRule(Record):
    """How one field is compared (``comparison``) and what it holds (``kind``).

    Its cases count in ``category``, or in the category that has the field's name if that is empty.
    """

    comparison: Comparison = Comparison.exact
    kind: FieldKind = FieldKind.text
    category: str = ""


class FieldRules(Record):
    """The rules of all fields, by artifact and field; ``default`` serves the rest."""

    default: FieldRule = FieldRule()
    artifacts: dict[str, dict[str, FieldRule]] = {}

    def rule(self, artifact: str, field: str) -> FieldRule:
        """Return the rule of *field* of *artifact*."""
        return self.artifacts.get(artifact, {}).get(field, self.default)

    def category(self, artifact: str, field: str) -> str:
        """Return the category that cases of *field* count in."""
        return self.rule(artifact, field).category or field
