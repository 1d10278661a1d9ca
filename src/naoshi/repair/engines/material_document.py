"""What a model is shown of the failures: groups, cases, runs and the harness, the most frequent failures first."""

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from naoshi.records import EvalCase, FailureGroup, ResultState, Trace
from naoshi.repair.engines.base import DiagnosisMaterial

_FAILING = (ResultState.fail, ResultState.agent_error)
_SHOWN = 600
_SPANS = 40


def material_document(material: DiagnosisMaterial, *, cases: int) -> dict[str, JsonValue]:
    """Return *material* as one JSON document with *cases* failing cases at most, and the runs that they came from."""
    failing = failing_first(material)[:cases]
    wanted = dict.fromkeys(case.provenance.trace_id for case in failing)
    traces = {trace.trace_id: trace for trace in material.traces}
    return {
        "agent_version": material.agent_version,
        "gate": material.gate,
        "groups": [_group(group) for group in sorted(material.groups, key=lambda group: group.rank)],
        "failing_cases": [_case(case, material) for case in failing],
        "feedback": _feedback(material, {case.provenance.correction_id for case in failing}),
        "traces": [_trace(traces[name]) for name in wanted if name in traces],
        "harness": {path: _numbered(text) for path, text in sorted(material.harness.items())},
        "left_out": {"failing_cases": len(failing_first(material)) - len(failing)},
    }


def failing_first(material: DiagnosisMaterial) -> list[EvalCase]:
    """Return the cases that fail, those of the most frequent group first; all of them where nothing was run."""
    states: Mapping[str, ResultState] = material.run.case_states() if material.run is not None else {}
    found = [case for case in material.cases if not states or states.get(case.case_id) in _FAILING]
    ranks = {(group.artifact, group.field): group.rank for group in material.groups}
    last = len(ranks) + 1
    return sorted(
        found,
        key=lambda case: (ranks.get((case.provenance.artifact or "", case.provenance.field), last), case.case_id),
    )


def _group(group: FailureGroup) -> dict[str, JsonValue]:
    return {
        "group_id": group.group_id,
        "artifact": group.artifact,
        "field": group.field,
        "failure_type": group.failure_type,
        "rank": group.rank,
        "count": group.count,
        "share": group.share,
        "causes": cast("JsonValue", dict(group.causes)),
    }


def _case(case: EvalCase, material: DiagnosisMaterial) -> dict[str, JsonValue]:
    outputs = {result.case_id: result for result in material.run.results} if material.run is not None else {}
    result = outputs.get(case.case_id)
    origin = case.provenance
    return {
        "case_id": case.case_id,
        "trace_id": origin.trace_id,
        "artifact": origin.artifact,
        "field": origin.field,
        "vars": cut(cast("JsonValue", case.vars)),
        "expected": cut(origin.corrected),
        "rules": [cut(item.value) for item in case.assertions if item.type == "llm-rubric"],
        "output_now": cut(result.output) if result is not None else None,
        "why": result.reason[:_SHOWN] if result is not None else "",
    }


def _feedback(material: DiagnosisMaterial, wanted: set[str | None]) -> list[JsonValue]:
    return [
        {
            "correction_id": item.correction_id,
            "trace_id": item.trace_id,
            "field": item.field,
            "submitted": cut(item.submitted),
            "corrected": cut(item.corrected),
            "reason": item.reason[:_SHOWN],
        }
        for item in material.corrections
        if item.correction_id in wanted
    ]


def _trace(trace: Trace) -> dict[str, JsonValue]:
    return {
        "trace_id": trace.trace_id,
        "agent_version": trace.agent_version,
        "vars": cut(cast("JsonValue", trace.vars)),
        "output": cut(trace.output),
        "artifacts": {item.name: cut(item.value) for item in trace.artifacts},
        "documents": {
            document.path: _lines((line.number, line.text) for line in document.lines) for document in trace.sources
        },
        "spans": [
            {
                "span_id": span.span_id,
                "name": span.name,
                "kind": span.kind.value,
                "status": span.status.value,
                "message": span.status_message[:_SHOWN],
                "input": cut(span.attributes.get("input.value")),
                "output": cut(span.attributes.get("output.value")),
            }
            for span in trace.spans[:_SPANS]
        ],
    }


def cut(value: JsonValue) -> JsonValue:
    """Return *value* with long texts in it cut, and what was cut said."""
    if isinstance(value, str):
        return value if len(value) <= _SHOWN else f"{value[:_SHOWN]} … ({len(value) - _SHOWN} more characters)"
    if isinstance(value, list):
        more: Sequence[JsonValue] = [f"… ({len(value) - 50} more)"] if len(value) > 50 else []
        return [*(cut(item) for item in value[:50]), *more]
    if isinstance(value, dict):
        return {key: cut(item) for key, item in value.items()}
    return value


def _numbered(text: str) -> JsonValue:
    return _lines(enumerate(text.split("\n"), start=1))


def _lines(lines: Iterable[tuple[int, str]]) -> JsonValue:
    return [f"{number}: {text}" for number, text in lines]
