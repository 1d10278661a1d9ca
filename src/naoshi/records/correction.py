"""What a practitioner changed, and what may become of it."""

from enum import StrEnum

from pydantic import AwareDatetime, JsonValue

from naoshi.records.base import Record
from naoshi.records.evidence import Evidence


class Correction(Record):
    """A practitioner's change of one field: source value → extracted → mapped → submitted → corrected.

    ``document`` is the path (relative to the data root) of the source that the field was taken from.
    """

    correction_id: str
    trace_id: str
    artifact: str
    field: str
    source_value: JsonValue = None
    extracted: JsonValue = None
    mapped: JsonValue = None
    submitted: JsonValue = None
    corrected: JsonValue
    practitioner: str
    reason: str = ""
    document: str | None = None
    at: AwareDatetime


class Cause(StrEnum):
    """Where a failure came from."""

    extraction_miss = "extraction_miss"
    mapping_problem = "mapping_problem"
    missing_product_support = "missing_product_support"
    workflow_noise = "workflow_noise"

    @property
    def is_improvable(self) -> bool:
        """Whether a change of the agent can mend it; noise in the way people work cannot be mended there."""
        return self is not Cause.workflow_noise


class TriageClass(StrEnum):
    """May this correction become an eval case? Only a defect does."""

    defect = "defect"
    judgement = "judgement"
    noise = "noise"
    unclear = "unclear"


class TriageProposal(Record):
    """What the stated rules make of a correction; a person confirms it or decides otherwise.

    ``rule`` is the name of the rule that decided, ``statement`` says it in words, ``evidence`` is what it stands on.
    """

    correction_id: str
    decision: TriageClass
    cause: Cause
    rule: str
    statement: str
    evidence: tuple[Evidence, ...] = ()


class Triage(Record):
    """A person's decision on a correction. ``overridden`` says that it differs from the proposal."""

    triage_id: str
    correction_id: str
    decision: TriageClass
    cause: Cause
    proposal: TriageProposal
    overridden: bool
    decided_by: str
    decided_at: AwareDatetime
    confirmation_id: str | None = None
