"""Spans of many traces as they come in, each once. Pure."""

from collections.abc import Iterable
from enum import StrEnum

from naoshi.records.trace import Span


class Arrival(StrEnum):
    """What a span was that came in.

    ``added``: a new one. ``completed``: it ends one that was open. ``known``: there already, or the same step recorded
    again at another time under the same deterministic identifier. ``conflicting``: another step has its identifier.
    """

    added = "added"
    completed = "completed"
    known = "known"
    conflicting = "conflicting"


class SpanCollection:
    """Spans by trace and identifier, traces and spans in order of arrival."""

    def __init__(self, *, spans: Iterable[Span] = ()) -> None:
        self._traces: dict[str, dict[str, Span]] = {}
        for span in spans:
            self.add(span)

    def add(self, span: Span) -> Arrival:
        """Take *span* in, unless it is known or conflicts."""
        spans = self._traces.setdefault(span.trace_id, {})
        arrival = _arrival(spans.get(span.span_id), span)
        if arrival in (Arrival.added, Arrival.completed):
            spans[span.span_id] = span
        return arrival

    def traces(self) -> Iterable[tuple[Span, ...]]:
        """Return the spans of each trace."""
        return [tuple(spans.values()) for spans in self._traces.values() if spans]


def _arrival(known: Span | None, span: Span) -> Arrival:
    if known is None:
        return Arrival.added
    if known.end_time is None and span.end_time is not None:
        return Arrival.completed
    if span.end_time is None or _same_step(known, span):
        return Arrival.known
    return Arrival.conflicting


def _same_step(left: Span, right: Span) -> bool:
    same_times = {"start_time": left.start_time, "end_time": left.end_time, "orphan": left.orphan}
    return left == right.model_copy(update=same_times)
