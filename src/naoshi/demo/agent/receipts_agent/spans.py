"""The trace of one document: flat OpenTelemetry spans with OpenInference attributes, as plain dictionaries."""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from .document import Document
from .extract import FieldReading

SERVICE = "receipts-agent"


def document_spans(
    *,
    case_id: str,
    version: str,
    document: Document,
    readings: Mapping[str, FieldReading],
    output: Mapping[str, str | None],
    started: datetime,
    ended: datetime,
) -> list[dict[str, Any]]:
    """Return the spans of one document: the agent's, the reading's, and one for each field.

    The identifiers depend on the version, the document and the field alone, so that reading a document
    again with the same version gives the same trace.
    """
    content = "\n".join(line.text for line in document.lines)
    trace_id = _digest(version, document.path, content)[:32]
    root_id = _digest(trace_id, "agent")[:16]

    def span(name: str, kind: str, parent: str, attributes: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "trace_id": trace_id,
            "span_id": root_id if not parent else _digest(trace_id, name)[:16],
            "parent_span_id": parent,
            "trace_state": "",
            "name": name,
            "kind": "SPAN_KIND_INTERNAL",
            "start_time": _time(started),
            "end_time": _time(ended),
            "status": {"code": "STATUS_CODE_OK", "message": ""},
            "resource": {"attributes": {"service.name": SERVICE, "service.version": version}},
            "scope": {"name": SERVICE, "version": version},
            "attributes": {"openinference.span.kind": kind, "naoshi.harness.version": version, **attributes},
        }

    spans = [
        span(
            "receipts_agent",
            "AGENT",
            "",
            {
                "naoshi.case_id": case_id,
                "naoshi.source.path": document.path,
                "input.value": json.dumps({"document": document.path}),
                "output.value": json.dumps(dict(output), ensure_ascii=False),
            },
        ),
        span(
            "read_document",
            "TOOL",
            root_id,
            {
                "tool.name": "read_document",
                "input.value": json.dumps({"path": document.path}),
                "output.value": content,
                "naoshi.source.path": document.path,
                "naoshi.source.lines": [line.number for line in document.lines],
            },
        ),
    ]
    for field, reading in readings.items():
        name = f"extract.{field}"
        places = {
            "tool.name": name,
            "output.value": reading.value,
            "naoshi.field": field,
            "naoshi.rule": reading.rule,
            "naoshi.source.path": document.path,
            "naoshi.source.lines": [line.number for line in reading.lines],
        }
        spans.append(span(name, "TOOL", root_id, places))
    return spans


def _digest(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f000Z")
