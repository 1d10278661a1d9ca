"""What people who corrected a document left as it was: evidence that it is right, though not a case of its own."""

from collections.abc import Collection

from pydantic import JsonValue

from naoshi.errors import MintRefusedError, SuiteError
from naoshi.evals.mint import as_literal, source_key
from naoshi.evals.score import score
from naoshi.evals.settings import EvalSettings
from naoshi.evals.splits import assign_split
from naoshi.records.base import content_id
from naoshi.records.correction import Correction
from naoshi.records.eval_case import EvalCase, Provenance
from naoshi.records.eval_run import ResultState
from naoshi.records.field_rule import FieldRules
from naoshi.records.trace import Trace


def left_alone(
    trace: Trace, corrections: Collection[Correction], *, fields: FieldRules, settings: EvalSettings
) -> tuple[EvalCase, ...]:
    """Return a check for every filled field of *trace* that none of its *corrections* touches.

    Somebody who corrected one field of a record looked at the others too. These checks guard against breaking them;
    they are made afresh from what is stored, are in no suite, and go when somebody corrects the field after all. A run
    without corrections may never have been looked at, and gives none.
    """
    checks: list[EvalCase] = []
    for artifact in sorted({correction.artifact for correction in corrections}):
        mine = [correction for correction in corrections if correction.artifact == artifact]
        touched = {correction.field for correction in mine}
        for field, value in _record(trace, artifact).items():
            if field not in touched and value not in (None, "", [], {}):
                check = _check(trace, mine[0], field, value, fields=fields, settings=settings)
                if check is not None:
                    checks.append(check)
    return tuple(checks)


def _record(trace: Trace, artifact: str) -> dict[str, JsonValue]:
    found = trace.artifact(artifact)
    value = found.value if found is not None else trace.output
    return value if isinstance(value, dict) else {}


def _check(
    trace: Trace, beside: Correction, field: str, value: JsonValue, *, fields: FieldRules, settings: EvalSettings
) -> EvalCase | None:
    """Return the check of *field*, or None where the output does not show the field as the record does."""
    key = source_key(beside, trace)
    try:
        case = EvalCase(
            case_id=content_id("left", trace.vars, beside.artifact, field),
            description=f"{field} of {key} stays as people left it",
            vars=trace.vars,
            assertions=as_literal(trace, beside.artifact, field, value, fields=fields),
            category=fields.category(beside.artifact, field),
            threshold=settings.threshold,
            split=assign_split(key, settings.split_weights, settings.split_salt),
            source_key=key,
            provenance=Provenance(trace_id=trace.trace_id, artifact=beside.artifact, field=field, corrected=value),
        )
    except (MintRefusedError, SuiteError, ValueError):
        return None
    return case if score(case, trace.output).state is ResultState.pass_ else None
