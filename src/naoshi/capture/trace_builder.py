"""Spans as a `Trace`: which ones hang together, and what the run was given, read and put out. Pure."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from pydantic import JsonValue, TypeAdapter, ValidationError

from naoshi.capture import conventions as names
from naoshi.capture.plain_value import plain
from naoshi.records.source_document import SourceDocument, SourceLine
from naoshi.records.trace import Artifact, Span, SpanKind, Trace

_READERS = (SpanKind.tool, SpanKind.retriever)
_SOURCES = TypeAdapter(tuple[SourceDocument, ...])


def build_trace(spans: Iterable[Span], *, source: str) -> Trace:
    """Return the trace that *spans*, at least one and all of one trace, make up.

    They are put in order of start, parents before children, and each whose parent is not among them, or that is its
    own ancestor, is marked as an orphan. Agent and version are those of the root's resource. What the run was given,
    answered and put out comes from the root's ``naoshi.*`` attributes, or else from ``input.value`` and
    ``output.value``; what it read from spans that name a source.
    """
    ordered = in_order(list(spans))
    root = root_of(ordered)
    facts = root.attributes if root is not None else {}
    resource = (root or ordered[0]).resource
    ends = [span.end_time for span in ordered if span.end_time is not None]
    still_open = root is not None and root.end_time is None
    return Trace(
        trace_id=ordered[0].trace_id,
        agent=_text(resource.get(names.SERVICE_NAME)) or _named_agent(ordered),
        agent_version=_text(resource.get(names.SERVICE_VERSION)) or None,
        started_at=min(span.start_time for span in ordered),
        ended_at=None if still_open or not ends else max(ends),
        vars=_vars(facts),
        output=_output(facts),
        artifacts=artifacts_from(decoded(facts.get(names.ARTIFACTS))),
        sources=_sources(ordered, facts),
        spans=tuple(ordered),
        source=source,
    )


def root_of(spans: Sequence[Span]) -> Span | None:
    """Return the span that stands for the whole run: the first without a parent, an agent's before others."""
    roots = [span for span in spans if span.parent_span_id is None]
    return min(roots, key=lambda span: (span.kind is not SpanKind.agent, span.start_time), default=None)


def in_order(spans: Sequence[Span]) -> list[Span]:
    """Return *spans* by start, a parent before its children where both start at once, with orphans marked."""
    by_id = {span.span_id: span for span in spans}
    depths = _depths(by_id)
    marked = [
        span if span.orphan is orphan else span.model_copy(update={"orphan": orphan})
        for span in spans
        for orphan in (_is_orphan(span, by_id, depths),)
    ]
    return sorted(marked, key=lambda span: (span.start_time, depths.get(span.span_id, 0)))


def decoded(value: JsonValue) -> JsonValue:
    """Return what *value* says when it is JSON text, else *value* itself."""
    if not isinstance(value, str):
        return value
    try:
        return cast("JsonValue", plain(json.loads(value)))
    except (ValueError, RecursionError):
        return value


def artifacts_from(value: JsonValue) -> tuple[Artifact, ...]:
    """Return artifacts from a list of ``{"name", "value" or "path"}`` or an object of values by name.

    An entry that is neither is left out; it still stands in the attribute that it came from.
    """
    entries = [{"name": name, "value": item} for name, item in value.items()] if isinstance(value, dict) else value
    found: dict[str, Artifact] = {}
    for entry in entries if isinstance(entries, list) else ():
        try:
            made = Artifact.model_validate(entry)
        except ValidationError:
            continue
        found[made.name] = made
    return tuple(found.values())


def _depths(by_id: Mapping[str, Span]) -> dict[str, int]:
    """Return how many ancestors each span has; a span that is its own ancestor is left out."""
    depths: dict[str, int] = {}
    for start in by_id:
        path: list[str] = []
        current: str | None = start
        walked: set[str] = set()
        while current is not None and current in by_id and current not in depths and current not in walked:
            path.append(current)
            walked.add(current)
            current = by_id[current].parent_span_id
        if current in walked:
            continue
        base = depths[current] + 1 if current in depths else 0
        for offset, name in enumerate(reversed(path)):
            depths[name] = base + offset
    return depths


def _is_orphan(span: Span, by_id: Mapping[str, Span], depths: Mapping[str, int]) -> bool:
    if span.parent_span_id is None:
        return False
    return span.parent_span_id not in by_id or span.span_id not in depths


def _vars(facts: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    if names.VARS in facts:
        given = decoded(facts[names.VARS])
    else:
        given = _foreign(facts, names.INPUT, names.INPUT_TYPE)
    if given is None:
        return {}
    return given if isinstance(given, dict) else {"input": given}


def _output(facts: Mapping[str, JsonValue]) -> JsonValue:
    if names.RUN_OUTPUT in facts:
        return decoded(facts[names.RUN_OUTPUT])
    return _foreign(facts, names.OUTPUT, names.OUTPUT_TYPE)


def _foreign(facts: Mapping[str, JsonValue], name: str, type_name: str) -> JsonValue:
    """Return a value of OpenInference's: JSON where its type says so or it is an object or list, else the text."""
    value = facts.get(name)
    if facts.get(type_name) == names.TEXT_TYPE:
        return value
    found = decoded(value)
    return found if facts.get(type_name) == names.JSON_TYPE or isinstance(found, dict | list) else value


def _sources(spans: Sequence[Span], facts: Mapping[str, JsonValue]) -> tuple[SourceDocument, ...]:
    told = _told_sources(decoded(facts.get(names.SOURCES)))
    if told:
        return told
    read: dict[str, dict[int, str]] = {}
    for span in spans:
        for path, number, text in _lines_read(span):
            lines = read.setdefault(path, {})
            if number:
                lines.setdefault(number, text)
    return tuple(
        SourceDocument(path=path, lines=tuple(SourceLine(number=number, text=text) for number, text in lines.items()))
        for path, lines in read.items()
    )


def _told_sources(value: JsonValue) -> tuple[SourceDocument, ...]:
    try:
        return _SOURCES.validate_python(value)
    except ValidationError:
        return ()


def _lines_read(span: Span) -> list[tuple[str, int, str]]:
    """Return path, number and text of each line that *span* read; an empty file gives the number 0 once."""
    path, content = span.attributes.get(names.SOURCE_PATH), span.attributes.get(names.OUTPUT)
    numbers = span.attributes.get(names.SOURCE_LINES)
    if span.kind not in _READERS or names.FIELD in span.attributes:
        return []
    if not isinstance(path, str) or not isinstance(content, str):
        return []
    texts = content.split("\n")
    if numbers is None:
        numbers = list(range(1, len(texts) + 1))
    if numbers == [] and not content:
        return [(path, 0, "")]
    if not isinstance(numbers, list) or len(numbers) != len(texts):
        return []
    if not all(type(number) is int and number > 0 for number in numbers):
        return []
    return [(path, number, text) for number, text in zip(cast("list[int]", numbers), texts, strict=True)]


def _named_agent(spans: Sequence[Span]) -> str:
    told = (_text(span.attributes.get(names.AGENT_NAME)) for span in spans if span.kind is SpanKind.agent)
    return next((name for name in told if name), "")


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""
