"""The material of a diagnosis as HALO's flat JSON lines: runs, and on them feedback, cases and results. Pure."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from pydantic import JsonValue

from naoshi.records import Correction, EvalCase, Evidence, Signal, content_hash
from naoshi.repair.engines.base import DiagnosisMaterial

PROJECT: Final = "naoshi"
_SCOPE: Final = "naoshi.export"
_KINDS: Final = frozenset({"AGENT", "LLM", "TOOL", "CHAIN", "GUARDRAIL"})
_NO_TIME: Final = "1970-01-01T00:00:00.000000000Z"

Mask = Callable[[JsonValue], JsonValue]
Flat = dict[str, JsonValue]


@dataclass(frozen=True, kw_only=True)
class HaloExport:
    """The lines of one file, and what the spans that were made for it stand for."""

    lines: tuple[str, ...]
    aliases: Mapping[str, Evidence]


def halo_export(material: DiagnosisMaterial, *, mask: Mask | None = None) -> HaloExport:
    """Return *material* as HALO reads it; *mask* hides secrets in what is not a recorded run (those were masked).

    Every run keeps its own lines. Feedback, signals, cases and results are further spans of the run that they are
    about; the harness and the summary of the gate are runs of their own. The same material gives the same lines.
    """
    made = _Made(version=material.agent_version, mask=mask or (lambda value: value), known=set(material.trace_lines))
    lines = [line for name in sorted(material.trace_lines) for line in _own_lines(material.trace_lines[name])]
    lines += list(_harness(material, made))
    lines += [_feedback(item, made) for item in material.corrections]
    lines += [_signal(item, made) for item in material.signals if item.trace_id in made.known]
    lines += [_case(item, made) for item in material.cases]
    lines += list(_results(material, made))
    return HaloExport(lines=tuple(lines), aliases=dict(made.aliases))


class _Made:
    """Makes spans, and remembers what each stands for."""

    def __init__(self, *, version: str, mask: Mask, known: set[str]) -> None:
        self.known = known
        self.aliases: dict[str, Evidence] = {}
        self._version = version
        self._mask = mask

    def span(
        self, kind: str, name: str, trace_id: str | None, attributes: Flat, *, means: Evidence | None, key: str
    ) -> str:
        """Return one span as a line; where its run is not in the file it is a run of its own."""
        span_id = content_hash([name, key])[:16]
        trace = trace_id if trace_id in self.known else content_hash(["trace", name, key])[:32]
        if means is not None:
            self.aliases[span_id] = means
            if trace_id not in self.known:
                self.aliases[str(trace)] = means
        told: Flat = {
            "openinference.span.kind": "CHAIN",
            "inference.export.schema_version": 1,
            "inference.project_id": PROJECT,
            "inference.observation_kind": kind,
            **cast("Flat", self._mask(attributes)),
        }
        return _line(
            {
                "trace_id": str(trace),
                "span_id": span_id,
                "parent_span_id": "",
                "trace_state": "",
                "name": name,
                "kind": "SPAN_KIND_INTERNAL",
                "start_time": _NO_TIME,
                "end_time": _NO_TIME,
                "status": {"code": "STATUS_CODE_OK", "message": ""},
                "resource": {"attributes": {"service.name": PROJECT, "service.version": self._version}},
                "scope": {"name": _SCOPE, "version": "1"},
                "attributes": told,
            }
        )


def _own_lines(text: str) -> Iterator[str]:
    """Give the lines of a recorded run, with what HALO's strict reader asks for and others leave out."""
    for raw in text.splitlines():
        if not raw.strip():
            continue
        flat: dict[str, Any] = json.loads(raw)
        attributes: dict[str, Any] = flat.get("attributes") or {}
        kind = str(attributes.get("openinference.span.kind", "CHAIN"))
        attributes.setdefault("inference.export.schema_version", 1)
        attributes.setdefault("inference.project_id", PROJECT)
        attributes.setdefault("inference.observation_kind", kind if kind in _KINDS else "SPAN")
        attributes.setdefault("inference.agent_name", str(attributes.get("agent.name", "")))
        status: dict[str, Any] = flat.get("status") or {}
        scope: dict[str, Any] = flat.get("scope") or {}
        resource: dict[str, Any] = flat.get("resource") or {}
        yield _line(
            {
                **flat,
                "parent_span_id": flat.get("parent_span_id") or "",
                "trace_state": flat.get("trace_state") or "",
                "kind": flat.get("kind") or "SPAN_KIND_INTERNAL",
                "end_time": flat.get("end_time") or flat["start_time"],
                "status": {
                    "code": status.get("code", "STATUS_CODE_UNSET"),
                    "message": str(status.get("message") or ""),
                },
                "scope": {"name": str(scope.get("name") or _SCOPE), "version": str(scope.get("version") or "")},
                "resource": {"attributes": resource.get("attributes") or {}},
                "attributes": attributes,
            }
        )


def _harness(material: DiagnosisMaterial, made: _Made) -> Iterator[str]:
    for path, text in sorted(material.harness.items()):
        lines = "\n".join(f"{number}: {line}" for number, line in enumerate(text.split("\n"), start=1))
        attributes: Flat = {"harness.version": material.agent_version, "harness.path": path, "harness.lines": lines}
        yield made.span("HARNESS_CONFIG", "harness.file", None, attributes, means=Evidence(path=path), key=path)


def _feedback(item: Correction, made: _Made) -> str:
    attributes: Flat = {
        "feedback.id": item.correction_id,
        "feedback.trace_id": item.trace_id,
        "feedback.artifact": item.artifact,
        "feedback.field": item.field,
        "feedback.submitted": _text(item.submitted),
        "feedback.corrected": _text(item.corrected),
        "feedback.reason": item.reason,
    }
    means = Evidence(correction_id=item.correction_id, trace_id=_known(item.trace_id, made))
    return made.span(
        "HUMAN_FEEDBACK", "human_feedback.comment", item.trace_id, attributes, means=means, key=item.correction_id
    )


def _signal(item: Signal, made: _Made) -> str:
    attributes: Flat = {
        "signal.id": item.signal_id,
        "signal.source": item.source.value,
        "signal.failure_type": item.failure_type,
        "signal.artifact": item.artifact,
        "signal.field": item.field,
        "signal.message": item.message,
    }
    means = Evidence(trace_id=item.trace_id)
    return made.span("SIGNAL", "signal.failure", item.trace_id, attributes, means=means, key=item.signal_id)


def _case(item: EvalCase, made: _Made) -> str:
    checks: list[JsonValue] = [{"type": check.type, "value": check.value} for check in item.assertions]
    attributes: Flat = {
        "eval.id": item.case_id,
        "eval.trace_id": item.provenance.trace_id,
        "eval.field": item.provenance.field,
        "eval.category": item.category,
        "eval.vars": _text(cast("JsonValue", item.vars)),
        "eval.expected": _text(item.provenance.corrected),
        "eval.checks": _text(checks),
    }
    return made.span(
        "EVAL",
        "generated_eval.definition",
        item.provenance.trace_id,
        attributes,
        means=Evidence(case_id=item.case_id),
        key=item.case_id,
    )


def _results(material: DiagnosisMaterial, made: _Made) -> Iterator[str]:
    run = material.run
    if run is None:
        return
    cases = {case.case_id: case for case in material.cases}
    states = run.case_states()
    seen = [name for name in states if name in cases]
    for name in seen:
        result = next(item for item in run.results if item.case_id == name and item.state is states[name])
        attributes: Flat = {
            "eval.id": name,
            "eval.passed": states[name].value == "pass",
            "eval.state": states[name].value,
            "eval.output": _text(result.output),
            "eval.explanation": result.reason,
        }
        trace_id = cases[name].provenance.trace_id
        yield made.span(
            "EVAL_RESULT", "eval_gate.result", trace_id, attributes, means=Evidence(case_id=name), key=f"result {name}"
        )
    passed = sum(states[name].value == "pass" for name in seen)
    summary: Flat = {
        "eval_gate.total": len(seen),
        "eval_gate.passed": passed,
        "eval_gate.failed": len(seen) - passed,
        "eval_gate.summary": material.gate,
    }
    yield made.span("EVAL_RESULT", "eval_gate.summary", None, summary, means=None, key=run.version)


def _known(trace_id: str, made: _Made) -> str | None:
    return trace_id if trace_id in made.known else None


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _line(flat: Mapping[str, JsonValue]) -> str:
    return json.dumps(flat, ensure_ascii=False, separators=(",", ":"))
