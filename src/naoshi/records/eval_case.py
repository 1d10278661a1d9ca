"""Permanent regression tests in Promptfoo's format."""

from enum import StrEnum

from pydantic import JsonValue

from naoshi.records.base import Record, content_hash


class Split(StrEnum):
    """Who may see a case.

    The coding agent sees ``diagnose``; ``validate`` judges its change; ``holdout`` is kept from everybody.
    """

    diagnose = "diagnose"
    validate_ = "validate"
    holdout = "holdout"


class Assertion(Record, defer_build=True):
    """One check of an output. ``type`` is Promptfoo's name; ``transform`` is applied to the output first."""

    type: str
    value: JsonValue = None
    threshold: float | None = None
    weight: float = 1.0
    metric: str | None = None
    transform: str | None = None


class Provenance(Record):
    """Where a case came from. All None for a case that a person wrote by hand."""

    trace_id: str | None = None
    correction_id: str | None = None
    triage_id: str | None = None
    group_id: str | None = None
    artifact: str | None = None
    field: str | None = None
    observed: JsonValue = None
    corrected: JsonValue = None


class EvalCase(Record, defer_build=True):
    """One permanent regression test. It passes at or above ``threshold`` (0–1).

    With ``every`` it passes when each assertion does, as Promptfoo has it where a test gives no threshold.
    ``source_key`` groups cases of one source trace or document, so that a split never tears them apart.
    """

    case_id: str
    description: str = ""
    vars: dict[str, JsonValue] = {}
    assertions: tuple[Assertion, ...] = ()
    category: str = "general"
    threshold: float = 0.7
    every: bool = False
    split: Split = Split.diagnose
    source_key: str = ""
    provenance: Provenance = Provenance()

    @property
    def content_hash(self) -> str:
        """Return the hash of what is tested (vars, assertions, threshold), 64 hexadecimal digits."""
        tested = [self.vars, [vars(item) for item in self.assertions], self.threshold]
        return content_hash([*tested, "every"] if self.every else tested)


class Suite(Record, defer_build=True):
    """A file of cases. ``path`` is relative to the repository; ``digest`` is the SHA-256 of the file's bytes."""

    name: str
    path: str
    digest: str
    cases: tuple[EvalCase, ...] = ()
