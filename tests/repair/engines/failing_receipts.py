"""Material of a diagnosis: two receipts whose totals stand beside a label that the harness does not know."""

import json
from typing import Any

from naoshi.capture import trace_to_lines
from naoshi.records import Cause, FailureGroup, Signal, SignalSource, Span, SpanKind, Split, Trace
from naoshi.repair import DiagnosisMaterial, RecordLookup
from tests.repair.receipts_repository import DOCUMENTS, LABELS, NOW, correction, read, run_of, seen_cases, trace

SEEN = [name for name, (_, _, split) in DOCUMENTS.items() if split is Split.diagnose]
HARNESS = {"harness/labels.json": json.dumps(LABELS, indent=1) + "\n"}


def runs() -> list[Trace]:
    """Return the runs that may be seen, each with one span."""
    found = []
    for name in SEEN:
        known = trace(name)
        span = Span(
            trace_id=known.trace_id, span_id=f"span_{name[4:7]}", name="read", kind=SpanKind.tool, start_time=NOW,
            end_time=NOW, attributes={"output.value": "read it"}, scope={"name": "receipts"},
        )  # fmt: skip
        found.append(known.model_copy(update={"spans": (span,)}))
    return found


def failing(**parts: Any) -> DiagnosisMaterial:
    """Return the material, with *parts* in place of its own."""
    names = ["box/003.csv", "box/004.csv"]
    signals = [
        Signal(
            signal_id=f"signal_{name[4:7]}", trace_id=f"trace_{name[4:7]}", agent_version="v0", artifact="fields",
            field="total", failure_type="missing_total", source=SignalSource.correction, message="",
            cause=Cause.extraction_miss, correction_id=f"correction_{name[4:7]}_total",
        )
        for name in names
    ]  # fmt: skip
    group = FailureGroup(
        group_id="group_total", artifact="fields", failure_type="missing_total", field="total", rank=1, count=2,
        share=1.0, signal_ids=tuple(item.signal_id for item in signals),
        trace_ids=tuple(item.trace_id for item in signals), causes={"extraction_miss": 2},
    )  # fmt: skip
    given: dict[str, Any] = {
        "agent_version": "v0",
        "groups": [group],
        "signals": signals,
        "cases": seen_cases(),
        "corrections": [correction(name, "total") for name in names],
        "traces": runs(),
        "run": run_of({name: read(name, LABELS) for name in DOCUMENTS}, version="v0"),
        "trace_lines": {item.trace_id: "".join(f"{line}\n" for line in trace_to_lines(item)) for item in runs()},
        "harness": HARNESS,
        "gate": "The gate's verdict on this version: regression.",
    }
    return DiagnosisMaterial(**{**given, **parts})


def lookup(tmp_path: Any) -> RecordLookup:
    """Return what exists: the seen runs and cases, and the harness below *tmp_path*."""
    for path, text in HARNESS.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    corrections = [item.correction_id for item in failing().corrections]
    return RecordLookup.of(traces=runs(), cases=seen_cases(), correction_ids=corrections, harness_root=tmp_path)


GOOD = {
    "title": "Read the value beside AMOUNT DUE",
    "statement": "The labels of totals lack AMOUNT DUE.",
    "kind": "requirement_missing",
    "layer": "mapping",
    "group": "group_total",
    "impact": 1.0,
    "confidence": 0.9,
    "effort": 0.2,
    "evidence": [
        {"trace_id": "trace_003", "span_id": "span_003"},
        {"case_id": "case_003_total"},
        {"file": "box/003.csv", "line": 4, "quote": "AMOUNT DUE 30.30"},
        {"file": "harness/labels.json", "line": 2},
    ],
}
"""A recommendation of which everything holds."""

BAD = {**GOOD, "title": "Trust me", "evidence": [{"trace_id": "trace_999"}, {"file": "harness/none.json", "line": 1}]}
"""A recommendation of which nothing holds."""
