"""What a coding agent did, kept as a trace beside the handoff that it worked on."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from naoshi.capture.personal_data import Masking
from naoshi.capture.trace_export import trace_to_lines
from naoshi.flow.loop import Loop
from naoshi.flow.masking import handed_out
from naoshi.records import Handoff, Span, SpanKind, SpanStatus, Trace, content_id
from naoshi.repair.coding_agents.base import AgentEvent, Work
from naoshi.system.files import write_durably

_KINDS = {"message": SpanKind.llm, "command": SpanKind.tool, "edit": SpanKind.tool, "problem": SpanKind.llm}
_SHOWN_CHARACTERS = 160


def told_event(event: AgentEvent, *, masking: Masking) -> str:
    """Return *event* in one line, as a person watches it."""
    text = " ".join(masking.text(event.text).split())
    cut = text if len(text) <= _SHOWN_CHARACTERS else f"{text[: _SHOWN_CHARACTERS - 1]}…"
    mark = {"message": "says", "command": "runs", "edit": "edits", "problem": "has a problem"}[event.kind]
    ended = f" (status {event.status})" if event.status else ""
    return f"  the coding agent {mark}: {cut}{ended}"


def keep_agent_trace(loop: Loop, handoff: Handoff, agent: str, work: Work) -> Path | None:
    """Write what the coding agent did as flat JSON lines to `.naoshi/repairs/`, masked; return the file.

    An agent that tells nothing of itself leaves none.
    """
    if not work.events:
        return None
    trace = agent_trace(loop, handoff, agent, work)
    path = loop.state / "repairs" / f"{handoff.handoff_id}.jsonl"
    write_durably(path, "".join(f"{line}\n" for line in trace_to_lines(trace)))
    return path


def agent_trace(loop: Loop, handoff: Handoff, agent: str, work: Work) -> Trace:
    """Return the run of the coding agent: a root, and a span for each thing that it said or did."""
    ended = loop.clock()
    begun = ended - timedelta(seconds=work.seconds)
    trace_id = content_id("coding", handoff.handoff_id, begun.isoformat())
    root = Span(
        trace_id=trace_id,
        span_id=content_id("span", trace_id, "root"),
        name=agent,
        kind=SpanKind.agent,
        start_time=begun,
        end_time=ended,
        status=SpanStatus.ok if work.error is None else SpanStatus.error,
        status_message=work.error.message if work.error is not None else "",
        attributes={"llm.token_count.total": work.tokens} if work.tokens is not None else {},
    )
    masking = handed_out(loop)
    events = [(_masked(event, masking), last) for event, last in _timed(work.events)]
    spans = [_span(trace_id, root, number, event, last) for number, (event, last) in enumerate(events)]
    return Trace(
        trace_id=trace_id,
        agent=agent,
        agent_version=handoff.agent_version,
        started_at=begun,
        ended_at=ended,
        vars={"handoff": handoff.handoff_id, "attempt": handoff.attempt},
        output=next((event.text for event, _ in reversed(events) if event.kind == "message"), None),
        spans=(root, *spans),
    )


def _timed(events: tuple[AgentEvent, ...]) -> list[tuple[AgentEvent, float]]:
    """Return each event with when the one before was told, which is about when it began."""
    return list(zip(events, (0.0, *(event.seconds for event in events)), strict=False))


def _masked(event: AgentEvent, masking: Masking) -> AgentEvent:
    return replace(event, text=masking.text(event.text), output=masking.text(event.output))


def _span(trace_id: str, root: Span, number: int, event: AgentEvent, last: float) -> Span:
    tool = event.kind in ("command", "edit")
    failed = event.kind == "problem" or bool(event.status)
    return Span(
        trace_id=trace_id,
        span_id=content_id("span", trace_id, number),
        parent_span_id=root.span_id,
        name=event.kind,
        kind=_KINDS[event.kind],
        start_time=root.start_time + timedelta(seconds=last),
        end_time=root.start_time + timedelta(seconds=event.seconds),
        status=SpanStatus.error if failed else SpanStatus.ok,
        status_message=event.text if event.kind == "problem" else "",
        attributes={"input.value": event.text, "output.value": event.output} if tool else {"output.value": event.text},
    )
