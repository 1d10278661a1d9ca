"""Where one case comes from, shown link by link."""

from collections.abc import Iterator
from typing import Any

from pydantic import JsonValue

from naoshi.flow.lineage import Lineage, case_named, lineage
from naoshi.flow.loop import Loop
from naoshi.records import Correction, Split, Trace, Triage, canonical_json
from naoshi.ui.cli.output import Output, one_line

_HIDDEN = "a case of the holdout: what it asks and what it was made from is shown to nobody"


def show_lineage(loop: Loop, name: str, out: Output) -> int:
    """Show the chain of the case called *name*; return 1 when a link is broken.

    Raises:
        NotFoundError: there is no such case.
    """
    found = lineage(loop, case_named(loop, name))
    case = found.case
    if case.split is Split.holdout:
        out.say(f"case         {case.case_id} ({case.category}, holdout)", f"             {_HIDDEN}")
        out.say(*("BROKEN       a link of it is not in the store" for _ in found.broken[:1]))
        out.result({"case_id": case.case_id, "category": case.category, "split": "holdout", "whole": not found.broken})
        return 1 if found.broken else 0
    out.say(*_lines(found))
    out.result(_document(found))
    return 1 if found.broken else 0


def _lines(found: Lineage) -> Iterator[str]:
    case = found.case
    yield f"case         {case.case_id} ({case.category}, {case.split.value})"
    yield f"             {one_line(case.description) or 'no description'}"
    yield f"suite        {found.suite or 'none: made afresh of what people left alone in a corrected run'}"
    yield f"source       {one_line(case.source_key) or 'none'}"
    if found.triage is not None:
        yield from _triage_lines(found.triage)
    if found.correction is not None:
        yield from _correction_lines(found.correction)
    if found.trace is not None:
        yield from _trace_lines(found.trace)
    for group in found.groups:
        yield f"group        {group.group_id}: {group.artifact} {group.failure_type}, {group.count} signals"
    if not (found.triage or found.correction or found.trace or found.broken):
        yield "origin       written by a person: it names no trace and no correction"
    yield from (f"BROKEN       {reason}" for reason in found.broken)


def _triage_lines(triage: Triage) -> Iterator[str]:
    how = "against the proposal" if triage.overridden else "as proposed"
    yield f"triage       {triage.triage_id}: {triage.decision.value}, {triage.cause.value}, {how}"
    yield f"             by {one_line(triage.decided_by)} at {triage.decided_at.isoformat()}"


def _correction_lines(correction: Correction) -> Iterator[str]:
    where = f"{correction.artifact}.{correction.field}"
    yield f"correction   {correction.correction_id}: {where}"
    yield f"             {_shown(correction.submitted)} → {_shown(correction.corrected)}"
    yield f"             by {one_line(correction.practitioner)} at {correction.at.isoformat()}"
    if correction.reason.strip():
        yield f"             because {one_line(correction.reason)}"
    if correction.document:
        yield f"document     {one_line(correction.document)}"


def _trace_lines(trace: Trace) -> Iterator[str]:
    version = trace.agent_version or "an unnamed version"
    yield f"trace        {trace.trace_id} of {version}, {trace.started_at.isoformat()}"
    yield f"             asked {one_line(canonical_json(trace.vars))}"


def _shown(value: JsonValue) -> str:
    return "empty" if value is None or value == "" else one_line(canonical_json(value), most=80)


def _document(found: Lineage) -> dict[str, Any]:
    return {
        "case": found.case,
        "suite": found.suite,
        "triage": found.triage,
        "correction": found.correction,
        "trace_id": found.trace.trace_id if found.trace else None,
        "agent_version": found.trace.agent_version if found.trace else None,
        "signals": [signal.signal_id for signal in found.signals],
        "groups": [group.group_id for group in found.groups],
        "broken": found.broken,
    }
