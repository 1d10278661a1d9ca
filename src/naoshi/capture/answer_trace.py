"""The trace of a run that came through the agent contract: vars in, output, artifacts and spans out. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from pydantic import JsonValue

from naoshi.capture import conventions as names
from naoshi.capture.flat_span import parse_flat_span
from naoshi.capture.plain_value import clean_text, plain
from naoshi.capture.redaction import Redactor, redact
from naoshi.capture.span_collection import SpanCollection
from naoshi.capture.trace_builder import artifacts_from, build_trace, root_of
from naoshi.errors import InputError
from naoshi.records.base import content_id
from naoshi.records.trace import Span, SpanKind, Trace


@dataclass(frozen=True, kw_only=True)
class AnswerTrace:
    """The trace of one answer, and why those of its spans that are none were left out."""

    trace: Trace
    faults: tuple[str, ...] = ()


def trace_of_answer(
    *,
    case_id: str,
    vars: Mapping[str, JsonValue],
    output: JsonValue,
    artifacts: JsonValue,
    spans: Iterable[object],
    agent: str,
    version: str | None,
    started_at: datetime,
    ended_at: datetime | None,
    source: str,
    redact: Redactor = redact,
) -> AnswerTrace:
    """Return the trace of the answer to *case_id*.

    *vars*, *output* and *artifacts* are those of the contract, whatever the spans say, with secrets masked. The spans
    of the first trace among *spans* are taken. Where none of them stands for the whole run, one is made; without any
    readable span the trace is named by agent, version, vars and answer alone, so that the same run again is the same
    trace.
    """
    given = cast("dict[str, JsonValue]", _masked(redact, dict(vars)))
    answered, put_out = _masked(redact, output), artifacts_from(_masked(redact, artifacts))
    taken, faults = _taken(spans, redact)
    if root_of(taken) is None:
        named = content_id("trace", agent, version, given, answered, _masked(redact, artifacts))
        root = Span(
            trace_id=taken[0].trace_id if taken else named,
            span_id=content_id("span", named)[-16:],
            name=agent,
            kind=SpanKind.agent,
            start_time=started_at,
            end_time=ended_at,
            attributes={names.AGENT_NAME: agent, "naoshi.case_id": clean_text(case_id)},
            resource={names.SERVICE_NAME: agent},
        )
        taken = [root, *taken]
    built = build_trace(taken, source=source)
    trace = built.model_copy(
        update={
            "agent": built.agent or agent,
            "agent_version": version or built.agent_version,
            "vars": given,
            "output": answered,
            "artifacts": put_out,
        }
    )
    return AnswerTrace(trace=trace, faults=faults)


def _taken(spans: Iterable[object], redact: Redactor) -> tuple[list[Span], tuple[str, ...]]:
    collected = SpanCollection()
    faults: list[str] = []
    for number, flat in enumerate(spans, start=1):
        try:
            collected.add(_read(flat, redact))
        except InputError as error:
            faults.append(f"span {number}: {error.message}")
    first, *others = [*collected.traces()] or [()]
    faults += [f"{len(other)} spans of another trace, {other[0].trace_id}" for other in others]
    return list(first), tuple(faults)


def _read(flat: object, redact: Redactor) -> Span:
    if not isinstance(flat, dict):
        raise InputError(f"not an object but a {type(flat).__name__}")
    return parse_flat_span(cast("dict[str, JsonValue]", plain(cast("object", flat))), redact=redact)


def _masked(redact: Redactor, value: object) -> JsonValue:
    return cast("JsonValue", plain(redact(plain(value))))
