"""Records that the tests of evals are made of."""

from datetime import UTC, datetime

from pydantic import JsonValue

from naoshi.evals.mint import mint
from naoshi.evals.settings import EvalSettings
from naoshi.records import (
    Artifact,
    Assertion,
    Cause,
    Comparison,
    Correction,
    EvalCase,
    FieldRule,
    FieldRules,
    Trace,
    Triage,
    TriageClass,
    TriageProposal,
)

NOW = datetime(2026, 3, 8, 9, 30, tzinfo=UTC)
LOOSE = FieldRules(default=FieldRule(comparison=Comparison.letters_and_digits))


def case(case_id: str = "case_1", **more: object) -> EvalCase:
    fields: dict[str, object] = {
        "vars": {"say": "yes"},
        "assertions": (Assertion(type="equals", value="yes", transform="output.said"),),
        **more,
    }
    return EvalCase(case_id=case_id, **fields)  # type: ignore[arg-type]


def correction(corrected: JsonValue, **more: object) -> Correction:
    fields: dict[str, object] = {
        "correction_id": "correction_1",
        "trace_id": "trace_1",
        "artifact": "fields",
        "field": "total",
        "submitted": "11.30",
        "practitioner": "akiko",
        "document": "box/007.csv",
        "at": NOW,
        **more,
    }
    return Correction(corrected=corrected, **fields)  # type: ignore[arg-type]


def triage(decision: TriageClass = TriageClass.defect, correction_id: str = "correction_1") -> Triage:
    proposal = TriageProposal(
        correction_id=correction_id,
        decision=decision,
        cause=Cause.extraction_miss,
        rule="found",
        statement="it is there",
    )
    return Triage(
        triage_id="triage_1",
        correction_id=correction_id,
        decision=decision,
        cause=Cause.extraction_miss,
        proposal=proposal,
        overridden=False,
        decided_by="kenji",
        decided_at=NOW,
    )


def trace(output: JsonValue = None, **more: object) -> Trace:
    fields: dict[str, object] = {
        "trace_id": "trace_1",
        "started_at": NOW,
        "vars": {"document": "box/007.csv"},
        "artifacts": (Artifact(name="fields", value=output),) if isinstance(output, dict) else (),
        **more,
    }
    return Trace(output=output, **fields)  # type: ignore[arg-type]


def minted(
    corrected: JsonValue,
    *,
    output: JsonValue = None,
    fields: FieldRules = LOOSE,
    settings: EvalSettings | None = None,
    **more: object,
) -> EvalCase:
    recorded = {"total": "11.30", "company": "直し商店"} if output is None else output
    return mint(
        correction(corrected, **more),
        triage(),
        trace=trace(recorded),
        fields=fields,
        settings=settings or EvalSettings(),
    )
