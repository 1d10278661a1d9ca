"""Writing a trace as flat OpenTelemetry JSON lines, as HALO and a coding agent read them. Pure."""

from collections.abc import Iterator
from datetime import UTC

from pydantic import JsonValue

from naoshi.capture import conventions as names
from naoshi.capture.flat_span import flat_line
from naoshi.capture.plain_value import json_text, plain
from naoshi.capture.trace_builder import build_trace, root_of
from naoshi.records.base import content_hash
from naoshi.records.trace import Span, SpanKind, SpanStatus, Trace

_FACTS = ("agent", "agent_version", "vars", "output", "artifacts", "sources")


def trace_to_lines(trace: Trace) -> Iterator[str]:
    """Give the lines, without line breaks, that `read_trace_file` makes *trace* of again.

    What the spans do not say of the run (its agent, version, vars, output, artifacts, sources) is put on the root; a
    trace without a root gets one if there is such a thing to say.
    """
    spans = list(trace.spans)
    root = root_of(spans)
    if root is None and (not spans or _differs(trace, spans)):
        root = _made_root(trace)
        spans.insert(0, root)
    for span in spans:
        yield flat_line(_completed(trace, spans, span) if span is root else span)


def _differs(trace: Trace, spans: list[Span]) -> bool:
    told = build_trace(spans, source=trace.source)
    return any(getattr(told, name) != getattr(trace, name) for name in _FACTS)


def _completed(trace: Trace, spans: list[Span], root: Span) -> Span:
    """Return *root* with what the spans do not say of the run."""
    told = build_trace(spans, source=trace.source)
    facts: dict[str, JsonValue] = {}
    if told.vars != trace.vars:
        facts[names.VARS] = _text(trace.vars)
    if told.output != trace.output:
        facts[names.RUN_OUTPUT] = _text(trace.output)
    if told.artifacts != trace.artifacts:
        facts[names.ARTIFACTS] = _text([item.model_dump(exclude={"schema_version"}) for item in trace.artifacts])
    if told.sources != trace.sources:
        facts[names.SOURCES] = _text([item.model_dump() for item in trace.sources])
    return root.model_copy(
        update={"attributes": root.attributes | facts, "resource": root.resource | _unsaid_names(trace, told)}
    )


def _unsaid_names(trace: Trace, told: Trace) -> dict[str, JsonValue]:
    unsaid: dict[str, JsonValue] = {}
    if told.agent != trace.agent:
        unsaid[names.SERVICE_NAME] = trace.agent
    if told.agent_version != trace.agent_version:
        unsaid[names.SERVICE_VERSION] = trace.agent_version
    return unsaid


def _made_root(trace: Trace) -> Span:
    return Span(
        trace_id=trace.trace_id,
        span_id=content_hash(["root", trace.trace_id])[:16],
        name=trace.agent or "run",
        kind=SpanKind.agent,
        start_time=trace.started_at.astimezone(UTC),
        end_time=trace.ended_at,
        status=SpanStatus.unset,
        attributes={names.AGENT_NAME: trace.agent},
        scope={"name": "naoshi"},
    )


def _text(value: object) -> str:
    return json_text(plain(value))
