"""One line of a trace file as a `Span`, or the reason why it is none. Pure.

What the line says beyond the record (its kind, nanoseconds, other keys) is kept under one attribute, so that
`flat_line` writes the same line again.
"""

import json
import math
import re
from collections.abc import Mapping
from datetime import datetime
from typing import cast

from pydantic import JsonValue

from naoshi.capture import conventions as names
from naoshi.capture.plain_value import MOST_LEVELS, clean_text, json_text, plain
from naoshi.capture.redaction import Redactor
from naoshi.capture.span_recording import wire_time
from naoshi.errors import InputError
from naoshi.records.trace import Span, SpanKind, SpanStatus

Flat = dict[str, JsonValue]

_TIME = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:[.,](\d{1,18}))?([Zz]|[+-]\d\d:?\d\d)")
_LONGEST_IDENTIFIER = 200
# The recorder's own deepest value lies some levels down in its line.
_MOST_LEVELS = MOST_LEVELS + 10
_KNOWN = frozenset(
    {"trace_id", "span_id", "parent_span_id", "trace_state", "name", "kind", "start_time", "end_time", "status",
     "resource", "scope", "attributes"}
)  # fmt: skip
_CODES = {status.value: status for status in SpanStatus}
_NUMBERED = (SpanStatus.unset, SpanStatus.ok, SpanStatus.error)
# Where no OpenInference kind is given: `gen_ai.operation.name` of OpenTelemetry's conventions for generative AI.
_OPERATIONS = {
    "chat": SpanKind.llm,
    "text_completion": SpanKind.llm,
    "generate_content": SpanKind.llm,
    "embeddings": SpanKind.embedding,
    "execute_tool": SpanKind.tool,
    "invoke_agent": SpanKind.agent,
}


def parse_flat_line(raw: bytes, *, redact: Redactor) -> Span:
    """Return the span that one line of a trace file holds, its secrets masked.

    Raises:
        InputError: it holds none; the message is the reason, without the line's content.
    """
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 (byte {error.start + 1} of the line)") from error
    return parse_flat_span(_json_object(text), redact=redact)


def parse_flat_span(flat: Mapping[str, JsonValue], *, redact: Redactor) -> Span:
    """Return the span that a flat OpenTelemetry object holds, its secrets masked.

    Raises:
        InputError: it holds none; the message is the reason.
    """
    attributes = _object(flat, "attributes")
    if names.KEPT in attributes:
        raise InputError(f"the attribute {names.KEPT} is reserved")
    start, end = _time(flat, "start_time"), _time(flat, "end_time")
    if start is None:
        raise InputError("no start_time")
    kind = _kind(attributes)
    status, message = _status(flat)
    masked: Flat = {clean_text(name): _masked(redact, name, value) for name, value in attributes.items()}
    kept = _beyond(flat, kind=kind, times={"start_time": start, "end_time": end})
    if kept:
        masked[names.KEPT] = kept
    return Span(
        trace_id=_identifier(flat, "trace_id"),
        span_id=_identifier(flat, "span_id"),
        parent_span_id=_parent(flat),
        name=str(_masked(redact, "", _text(flat, "name"))),
        kind=kind,
        start_time=start,
        end_time=end,
        status=status,
        status_message=str(_masked(redact, "", message)),
        attributes=masked,
        resource=_cleaned(_object(_object(flat, "resource"), "attributes")),
        scope=_cleaned(_object(flat, "scope")),
    )


def flat_line(span: Span) -> str:
    """Return *span* as the line of a trace file that `parse_flat_line` reads, without a line break."""
    kept = span.attributes.get(names.KEPT)
    beyond: Mapping[str, JsonValue] = kept if isinstance(kept, dict) else {}
    attributes = {name: value for name, value in span.attributes.items() if name != names.KEPT}
    flat: Flat = {
        "trace_id": span.trace_id,
        "span_id": span.span_id,
        "parent_span_id": span.parent_span_id or "",
        "trace_state": beyond.get("trace_state", ""),
        "name": span.name,
        "kind": beyond.get("kind", names.wire_kind(span.kind)),
        "start_time": beyond.get("start_time", wire_time(span.start_time)),
        "end_time": beyond.get("end_time", wire_time(span.end_time)),
        "status": {"code": f"STATUS_CODE_{span.status}", "message": span.status_message},
        "resource": {"attributes": dict(span.resource)},
        "scope": dict(span.scope),
        "attributes": _with_kind(attributes, span.kind),
    }
    other = beyond.get("other")
    if isinstance(other, dict):
        flat = {**other, **flat}
    return json_text(plain(flat, levels=_MOST_LEVELS))


def _json_object(text: str) -> Mapping[str, JsonValue]:
    try:
        found: object = json.loads(
            text, object_pairs_hook=_without_repeats, parse_constant=_refuse_constant, parse_float=_finite
        )
    except RecursionError as error:
        raise InputError(f"nested deeper than {_MOST_LEVELS} levels") from error
    except ValueError as error:
        said = error.msg if isinstance(error, json.JSONDecodeError) else "a number is too long"
        raise InputError(f"not JSON: {said}") from error
    if not isinstance(found, dict):
        raise InputError(f"not a JSON object but a {type(found).__name__}")
    flat = cast("dict[str, JsonValue]", found)
    _require_shallow(flat)
    return flat


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        repeated = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise InputError(f"the key {clean_text(repeated)[:80]!r} stands twice in one object")
    return made


def _refuse_constant(name: str) -> object:
    raise InputError(f"{name} is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise InputError("a number is too large")
    return number


def _require_shallow(value: JsonValue) -> None:
    level: list[JsonValue] = [value]
    for _ in range(_MOST_LEVELS):
        level = [
            child
            for parent in level
            if isinstance(parent, dict | list)
            for child in (parent.values() if isinstance(parent, dict) else parent)
        ]
        if not level:
            return
    raise InputError(f"nested deeper than {_MOST_LEVELS} levels")


def _text(flat: Mapping[str, JsonValue], name: str) -> str:
    value = flat.get(name)
    if value is None:
        raise InputError(f"no {name}")
    if not isinstance(value, str):
        raise InputError(f"{name} is not text")
    return value


def _identifier(flat: Mapping[str, JsonValue], name: str) -> str:
    text = _text(flat, name)
    if not text:
        raise InputError(f"{name} is empty")
    if len(text) > _LONGEST_IDENTIFIER or not text.isprintable() or " " in text:
        raise InputError(f"{name} is no identifier")
    return text


def _parent(flat: Mapping[str, JsonValue]) -> str | None:
    if flat.get("parent_span_id") in (None, ""):
        return None
    parent = _identifier(flat, "parent_span_id")
    # OpenTelemetry's invalid identifier, which some exporters write for "none".
    return None if set(parent) == {"0"} else parent


def _object(flat: Mapping[str, JsonValue], name: str) -> Mapping[str, JsonValue]:
    value = flat.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"{name} is not an object")
    return value


def _time(flat: Mapping[str, JsonValue], name: str) -> datetime | None:
    if flat.get(name) in (None, ""):
        return None
    match = _TIME.fullmatch(_text(flat, name))
    if match is None:
        raise InputError(f"{name} is not an RFC 3339 time with a zone")
    day, clock, fraction, zone = match.groups()
    try:
        moment = datetime.fromisoformat(f"{day}T{clock}.{(fraction or '')[:6]:0<6}{zone.upper()}")
        wire_time(moment)
    except (ValueError, OverflowError) as error:
        raise InputError(f"{name} is no time that exists") from error
    return moment


def _kind(attributes: Mapping[str, JsonValue]) -> SpanKind:
    named = attributes.get(names.KIND)
    if isinstance(named, str) and named.upper() in names.SPAN_KINDS:
        return SpanKind(named.upper())
    operation = attributes.get("gen_ai.operation.name")
    return _OPERATIONS.get(operation, SpanKind.unknown) if isinstance(operation, str) else SpanKind.unknown


def _with_kind(attributes: Flat, kind: SpanKind) -> Flat:
    unsaid = kind is not SpanKind.unknown and _kind(attributes) is not kind
    return {names.KIND: kind.value, **attributes} if unsaid else attributes


def _status(flat: Mapping[str, JsonValue]) -> tuple[SpanStatus, str]:
    status = _object(flat, "status")
    code, message = status.get("code"), status.get("message")
    found = _code(code)
    if found is None:
        raise InputError("status.code is none of UNSET, OK, ERROR")
    if message is not None and not isinstance(message, str):
        raise InputError("status.message is not text")
    return found, message or ""


def _code(code: JsonValue) -> SpanStatus | None:
    if code is None:
        return SpanStatus.unset
    if isinstance(code, str):
        return _CODES.get(code.upper().removeprefix("STATUS_CODE_"))
    return _NUMBERED[code] if type(code) is int and 0 <= code < len(_NUMBERED) else None


def _beyond(flat: Mapping[str, JsonValue], *, kind: SpanKind, times: Mapping[str, datetime | None]) -> Flat:
    """Return what `flat_line` could not know from the span alone."""
    kept: Flat = {}
    if flat.get("trace_state"):
        kept["trace_state"] = flat["trace_state"]
    if flat.get("kind") not in (None, names.wire_kind(kind)):
        kept["kind"] = flat["kind"]
    for name, moment in times.items():
        if moment is not None and wire_time(moment) != flat[name]:
            kept[name] = flat[name]
    other = {name: value for name, value in flat.items() if name not in _KNOWN}
    if other:
        kept["other"] = other
    return _cleaned(kept)


def _masked(redact: Redactor, name: str, value: JsonValue) -> JsonValue:
    plain_value = plain(value, levels=_MOST_LEVELS)
    return cast("JsonValue", plain(redact(plain_value, name=name), levels=_MOST_LEVELS))


def _cleaned(value: Mapping[str, JsonValue]) -> Flat:
    return cast("Flat", plain(value, levels=_MOST_LEVELS))
