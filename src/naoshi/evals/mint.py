"""Makes permanent cases of corrections that a person called defects, and refuses what would prove nothing."""

import json

from pydantic import JsonValue

from naoshi.errors import MintRefusedError, SuiteError
from naoshi.evals.score import score
from naoshi.evals.settings import EvalSettings
from naoshi.evals.splits import assign_split
from naoshi.evals.suite_references import REFERENCE, first_reference
from naoshi.evals.transform import MissingValueError, compile_transform, field_transform
from naoshi.evals.written_case import case_as_test
from naoshi.records.base import content_id
from naoshi.records.correction import Correction, Triage, TriageClass
from naoshi.records.eval_case import Assertion, EvalCase, Provenance
from naoshi.records.eval_run import ResultState
from naoshi.records.field_rule import FieldRules
from naoshi.records.text_comparison import Comparison
from naoshi.records.trace import Trace

_SHOWN = 80


def mint(
    correction: Correction,
    triage: Triage,
    *,
    trace: Trace,
    fields: FieldRules,
    settings: EvalSettings,
    group_id: str | None = None,
) -> EvalCase:
    """Return the case that fails on what *trace* put out and passes on what *correction* says.

    Its identifier depends on the trace's vars and the field, so that the same correction again is the same case.
    The case is literal; only a field that the settings name as not literal is graded by a rubric made of the reason.

    Raises:
        MintRefusedError: the correction is no defect, belongs to another trace, cannot be asked again, or gives a
            case that does not fail on the recorded output or does not pass on the corrected one.
    """
    _require_defect(correction, triage, trace)
    path = _place_in_output(trace, correction.artifact, correction.field)
    observed = _value_at(trace.output, path)
    corrected = _as_observed(correction.corrected, observed)
    comparison = fields.rule(correction.artifact, correction.field).comparison
    try:
        case = EvalCase(
            case_id=content_id("case", trace.vars, correction.artifact, correction.field),
            description=_description(correction, observed, corrected),
            vars=trace.vars,
            assertions=_assertions(correction, path, comparison, corrected, settings),
            category=fields.category(correction.artifact, correction.field),
            threshold=settings.threshold,
            source_key=source_key(correction, trace),
            provenance=Provenance(
                trace_id=trace.trace_id,
                correction_id=correction.correction_id,
                triage_id=triage.triage_id,
                group_id=group_id,
                artifact=correction.artifact,
                field=correction.field,
                observed=observed,
                corrected=corrected,
            ),
        )
        _require_writable(case)
        _require_telling(case, trace.output, _with_value(trace.output, path, corrected))
    except (SuiteError, ValueError) as error:
        raise MintRefusedError(f"{_named(correction)}: {error}") from error
    split = assign_split(case.source_key, settings.split_weights, settings.split_salt)
    return case.model_copy(update={"split": split})


def _require_writable(case: EvalCase) -> None:
    if first_reference(case_as_test(case)) is not None:
        raise SuiteError(f"Promptfoo would take a `{REFERENCE}` in it for a reference, and no suite can say otherwise")


def _require_defect(correction: Correction, triage: Triage, trace: Trace) -> None:
    if triage.correction_id != correction.correction_id:
        raise MintRefusedError(f"{_named(correction)}: the triage is of another correction")
    if triage.decision is not TriageClass.defect:
        raise MintRefusedError(
            f"{_named(correction)}: it was triaged as {triage.decision.value}", hint="only a defect becomes a case"
        )
    if correction.trace_id != trace.trace_id:
        raise MintRefusedError(f"{_named(correction)}: the trace is another run's")
    if not trace.vars:
        raise MintRefusedError(
            f"{_named(correction)}: the trace does not say what the agent was asked", hint="record the run with `vars`"
        )


def _require_telling(case: EvalCase, recorded: JsonValue, corrected: JsonValue) -> None:
    on_recorded = score(case, recorded)
    if on_recorded.state is not ResultState.fail:
        raise MintRefusedError(
            f"{case.description}: the recorded output does not fail this case ({on_recorded.state.value})"
        )
    on_corrected = score(case, corrected)
    judged = any(item.type == "llm-rubric" for item in case.assertions)
    if on_corrected.state is not ResultState.pass_ and not (judged and on_corrected.state is ResultState.not_run):
        raise MintRefusedError(f"{case.description}: the corrected output does not pass it ({on_corrected.reason})")


def _assertions(
    correction: Correction, path: tuple[str, ...], comparison: Comparison, corrected: JsonValue, settings: EvalSettings
) -> tuple[Assertion, ...]:
    if f"{correction.artifact}.{correction.field}" in settings.rubric_fields and correction.reason.strip():
        return _rubric(correction, path, corrected)
    return _literal(path, comparison, corrected)


def _literal(path: tuple[str, ...], comparison: Comparison, corrected: JsonValue) -> tuple[Assertion, ...]:
    if corrected is None or corrected == "":
        return (_absence(path),)
    if not isinstance(corrected, str):
        return (Assertion(type="equals", value=corrected, transform=field_transform(path, Comparison.exact)),)
    transform = field_transform(path, comparison)
    try:
        key = compile_transform(transform)(_with_value({}, path, corrected)) if transform else corrected
    except MissingValueError as error:
        raise SuiteError(str(error)) from error
    if key == "":
        raise SuiteError(f"the corrected value {corrected[:_SHOWN]!r} has nothing that the comparison counts")
    return (Assertion(type="equals", value=key, transform=transform),)


def _absence(path: tuple[str, ...]) -> Assertion:
    """Return the assertion that the field at *path* is null, empty, or not there."""
    schema: dict[str, JsonValue] = {"enum": [None, ""]}
    if not path:
        return Assertion(type="equals", value="")
    for name in reversed(path):
        schema = {"type": "object", "properties": {name: schema}}
    return Assertion(type="is-json", value=schema)


def _rubric(correction: Correction, path: tuple[str, ...], corrected: JsonValue) -> tuple[Assertion, ...]:
    """Return the rule in words, and beside it that the rejected text does not come again."""
    rule = (
        f"The {correction.field} keeps this rule, given by a person who does this work: {correction.reason.strip()} "
        f"An example that keeps it: {json.dumps(corrected, ensure_ascii=False)}"
    )
    picked = field_transform(path, Comparison.exact)
    assertions = [Assertion(type="llm-rubric", value=rule, transform=picked)]
    rejected = correction.submitted
    if isinstance(rejected, str) and rejected.strip():
        assertions.append(Assertion(type="not-contains", value=rejected, transform=picked))
    return tuple(assertions)


def as_literal(
    trace: Trace, artifact: str, field: str, value: JsonValue, *, fields: FieldRules
) -> tuple[Assertion, ...]:
    """Return the assertion that the output of the run in *trace* has *value* as its *field*, as a case would say it.

    Raises:
        MintRefusedError: the output does not hold the field, so that no case could see it.
        SuiteError: the comparison of the field counts nothing in *value*.
    """
    path = _place_in_output(trace, artifact, field)
    return _literal(path, fields.rule(artifact, field).comparison, value)


def _place_in_output(trace: Trace, artifact: str, field: str) -> tuple[str, ...]:
    """Return where the field stands in the output: of itself, or inside the artifact that has its name.

    Raises:
        MintRefusedError: the output does not hold it, so that no case could see it.
    """
    output = trace.output
    if isinstance(output, dict):
        inner = output.get(artifact)
        if field not in output and isinstance(inner, dict):
            return artifact, field
        kept = trace.artifact(artifact)
        held = kept.value if kept else None
        if field in output or held is None or held == output or (isinstance(held, dict) and field not in held):
            return (field,)
    elif output is None:
        return (field,)
    elif field in ("output", artifact):
        return ()
    raise MintRefusedError(
        f"the agent's output does not hold {artifact}.{field}",
        hint="put the field into the agent's `output`, where cases can see it",
    )


def _value_at(output: JsonValue, path: tuple[str, ...]) -> JsonValue:
    for name in path:
        output = output.get(name) if isinstance(output, dict) else None
    return output


def _with_value(output: JsonValue, path: tuple[str, ...], value: JsonValue) -> JsonValue:
    if not path:
        return value
    inner = dict(output) if isinstance(output, dict) else {}
    inner[path[0]] = _with_value(inner.get(path[0]), path[1:], value)
    return inner


def _as_observed(corrected: JsonValue, observed: JsonValue) -> JsonValue:
    """Return *corrected* as a number or truth value where the agent's field is one and people's text reads as one."""
    if not isinstance(corrected, str) or isinstance(observed, str) or not isinstance(observed, int | float):
        return corrected
    try:
        read: JsonValue = json.loads(corrected, parse_constant=str)
    except (ValueError, RecursionError):
        return corrected
    if isinstance(observed, bool) == isinstance(read, bool) and isinstance(read, int | float):
        return read
    return corrected


def source_key(correction: Correction, trace: Trace) -> str:
    """Return what groups the cases of one source: the document, or the vars where the run read none or several."""
    if correction.document:
        return correction.document
    if len(trace.sources) == 1:
        return trace.sources[0].path
    return content_id("source", trace.vars)


def _named(correction: Correction) -> str:
    return f"correction {correction.correction_id} of {correction.artifact}.{correction.field}"


def _description(correction: Correction, observed: JsonValue, corrected: JsonValue) -> str:
    where = f" of {correction.document}" if correction.document else ""
    return f"{correction.field}{where} is {_shown(corrected)}, not {_shown(observed)}"


def _shown(value: JsonValue) -> str:
    if value is None or value == "":
        return "empty"
    text = " ".join((value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
