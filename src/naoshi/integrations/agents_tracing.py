"""Traces of the OpenAI Agents SDK as flat JSON lines, which `naoshi ingest` and HALO read."""

import atexit
import secrets
import threading
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from agents.tracing import Span, SpanError, Trace, TracingProcessor, add_trace_processor

from naoshi.capture import conventions as names
from naoshi.capture.plain_value import json_text, plain
from naoshi.capture.redaction import MASK, Json, Redactor, redact
from naoshi.capture.span_recording import wire_time
from naoshi.capture.trace_file_writer import TraceFileWriter
from naoshi.errors import StoreError
from naoshi.integrations.agents_spans import Attributes, span_words, text_or_json

_HEX = frozenset("0123456789abcdef")
_FACTS = (names.VARS, names.ARTIFACTS, names.RUN_OUTPUT)
_KINDS = {"AGENT": "AGENT", "LLM": "LLM", "TOOL": "TOOL", "GUARDRAIL": "GUARDRAIL"}
_processors: dict[Path, "TraceFileProcessor"] = {}


def setup_tracing(
    path: str | Path,
    *,
    project_id: str,
    service_name: str,
    service_version: str | None = None,
    redact: Redactor = redact,
) -> "TraceFileProcessor":
    """Write every trace of this process to the file at *path* too, beside what the SDK does with it itself.

    Each span is in the file when it ends, so that a crash loses no more than what was still going on; what is open
    when the process exits is written then, with the status ERROR. Set up again for the same *path*, the new names
    hold for the traces that begin afterwards.

    Args:
        path: the trace file; lines are added to it, by several processes at once if need be.
        project_id: what the traces belong to, as HALO has it.
        service_name: the agent's name.
        service_version: the version of its harness (`AgentConfig.version`), so that a diagnosis knows which failed.
        redact: masks secrets in whatever is written (see `naoshi.capture.redact`).

    Raises:
        StoreError: the file cannot be written.
    """
    place = Path(path).resolve()
    before = _processors.get(place)
    processor = TraceFileProcessor(
        path=place,
        project_id=project_id,
        service_name=service_name,
        service_version=service_version,
        redact=redact,
        not_ours=before.retire() if before is not None else frozenset(),
    )
    _processors[place] = processor
    add_trace_processor(processor)
    # The SDK shuts its processors down at exit too, but one that waits for the network first can use up the time.
    atexit.register(processor.shutdown)
    return processor


@dataclass(kw_only=True)
class _OpenTrace:
    """A trace that is going on: its own span, what its model was asked first and said last."""

    trace: Trace
    root_id: str
    started_at: datetime
    spans: dict[str, Span[Any]] = field(default_factory=dict[str, Span[Any]])
    question: Json = None
    answer: Json = None
    failure: str | None = None


class TraceFileProcessor(TracingProcessor):
    """Writes the spans of the SDK to a trace file as they end; `setup_tracing` makes and registers it.

    The trace itself becomes the span that all others hang on. It has the workflow's name, its group as session, its
    metadata, the first question to a model and the last answer of one. ``naoshi.vars``, ``naoshi.artifacts`` and
    ``naoshi.output`` in the trace's metadata say what an eval case has to give again and what the run put out.
    """

    def __init__(
        self,
        *,
        path: Path,
        project_id: str,
        service_name: str,
        service_version: str | None,
        redact: Redactor,
        not_ours: frozenset[str] = frozenset(),
    ) -> None:
        """Open the file at *path*; traces in *not_ours* are written by another processor, which saw them begin.

        Raises:
            StoreError: the file cannot be written.
        """
        self._writer: TraceFileWriter | None = TraceFileWriter(path=path)
        self._project_id = project_id
        self._redact = redact
        self._resource: Attributes = {names.SERVICE_NAME: service_name}
        if service_version is not None:
            self._resource[names.SERVICE_VERSION] = service_version
        self._lock = threading.RLock()
        self._open: dict[str, _OpenTrace] = {}
        self._not_ours = not_ours
        self._retired = False

    def retire(self) -> frozenset[str]:
        """Take on no further trace, and return the identifiers of those that are still going on."""
        with self._lock:
            self._retired = True
            return frozenset(self._open) | self._not_ours

    def on_trace_start(self, trace: Trace) -> None:
        """Begin the span of *trace*."""
        with self._lock:
            if not self._retired and trace.trace_id not in self._not_ours:
                self._open[trace.trace_id] = _OpenTrace(
                    trace=trace, root_id=secrets.token_hex(8), started_at=datetime.now(UTC)
                )

    def on_trace_end(self, trace: Trace) -> None:
        """Write the span of *trace* and wait until the disk has all of it."""
        with self._lock:
            known = self._open.pop(trace.trace_id, None)
            if known is not None:
                self._end_trace(known)

    def on_span_start(self, span: Span[Any]) -> None:
        """Remember *span*, in case that the process ends before it does."""
        with self._lock:
            known = self._open.get(span.trace_id)
            if known is not None:
                known.spans[span.span_id] = span

    def on_span_end(self, span: Span[Any]) -> None:
        """Write *span*."""
        with self._lock:
            known = self._open.get(span.trace_id)
            if known is None and (self._retired or span.trace_id in self._not_ours):
                return
            if known is not None:
                known.spans.pop(span.span_id, None)
            self._write(self._line(span, known, failure=_failure(span.error)))

    def shutdown(self, timeout: float | None = None) -> None:
        """Write what is still open, as it is when the process exits."""
        with self._lock:
            for known in list(self._open.values()):
                known.failure = known.failure or "still open when the process ended"
                for span in reversed(known.spans.values()):
                    self._write(self._line(span, known, failure="still open when the process ended"))
                self._end_trace(known)
            self._not_ours |= frozenset(self._open)
            self._open.clear()

    def force_flush(self) -> None:
        """Do nothing: what has ended is in the file already."""

    def _end_trace(self, known: _OpenTrace) -> None:
        metadata = _metadata(known.trace)
        attributes: Attributes = {names.KIND: "CHAIN"}
        attributes |= self._context(known, kind="CHAIN", agent="")
        attributes |= text_or_json("input", known.question) | text_or_json("output", known.answer)
        for key, value in metadata.items():
            told = plain(value)
            if key in _FACTS:
                attributes[key] = told if isinstance(told, str) else json_text(told)
            else:
                attributes[f"metadata.{key}"] = told if not isinstance(told, dict | list) else json_text(told)
        self._write(
            self._flat(
                trace_id=known.trace.trace_id,
                span_id=known.root_id,
                parent="",
                name=known.trace.name,
                times=(wire_time(known.started_at), wire_time(datetime.now(UTC))),
                failure=known.failure,
                attributes=attributes,
            ),
            durable=True,
        )

    def _line(self, span: Span[Any], known: _OpenTrace | None, *, failure: str | None) -> dict[str, Json]:
        words = span_words(span.span_data)
        attributes: Attributes = {names.KIND: words.kind} | words.attributes
        attributes |= self._context(known, kind=_KINDS.get(words.kind, "SPAN"), agent=words.agent)
        if words.kind == "LLM":
            attributes |= _projected(words.attributes)
        if span.error and span.error.get("data"):
            attributes["error.data"] = json_text(plain(span.error["data"]))
        if known is not None:
            if words.said is not None:
                known.question = words.said[0] if known.question is None else known.question
                known.answer = words.said[1] or known.answer
            # A tool or guard that fails may be got over; an agent or a turn of it that fails ends the run.
            if failure is not None and words.kind in ("AGENT", "CHAIN"):
                known.failure = known.failure or failure
        return self._flat(
            trace_id=span.trace_id,
            span_id=_bare(span.span_id, "span_"),
            parent=_bare(span.parent_id, "span_") if span.parent_id else (known.root_id if known else ""),
            name=words.name,
            times=(_moment(span.started_at), _moment(span.ended_at) or wire_time(datetime.now(UTC))),
            failure=failure,
            attributes=attributes,
        )

    def _context(self, known: _OpenTrace | None, *, kind: str, agent: str) -> Attributes:
        """Return what HALO looks for on every span."""
        group = getattr(known.trace, "group_id", None) if known is not None else None
        found: Attributes = {
            "inference.export.schema_version": 1,
            "inference.project_id": self._project_id,
            "inference.observation_kind": kind,
            "inference.agent_name": agent,
            "inference.session_id": group,
        }
        if known is not None:
            found["agent.workflow.name"] = known.trace.name
        if group is not None:
            found["session.id"] = group
        return found

    def _flat(
        self,
        *,
        trace_id: str,
        span_id: str,
        parent: str,
        name: str,
        times: tuple[str, str],
        failure: str | None,
        attributes: Attributes,
    ) -> dict[str, Json]:
        return {
            "trace_id": _bare(trace_id, "trace_"),
            "span_id": span_id,
            "parent_span_id": parent,
            "trace_state": "",
            "name": self._mask("", name),
            "kind": names.wire_kind(str(attributes[names.KIND])),
            "start_time": times[0],
            "end_time": times[1],
            "status": {
                "code": "STATUS_CODE_OK" if failure is None else "STATUS_CODE_ERROR",
                "message": self._mask("", failure or ""),
            },
            "resource": {"attributes": dict(self._resource)},
            "scope": {"name": "openai-agents-sdk", "version": _sdk_version()},
            "attributes": {key: self._mask(key, value) for key, value in attributes.items()},
        }

    def _mask(self, name: str, value: Json) -> Json:
        try:
            return plain(self._redact(value, name=name))
        except Exception:  # noqa: BLE001 - a redactor of the user's own; what it could not judge is not written
            return MASK

    def _write(self, flat: dict[str, Json], *, durable: bool = False) -> None:
        if self._writer is None:
            return
        try:
            self._writer.append([json_text(flat)], durable=durable)
        except StoreError as error:
            # An agent at work must not end because its trace cannot be kept.
            self._writer = None
            warnings.warn(f"this process is not traced any more: {error.message}", RuntimeWarning, stacklevel=2)


def _projected(attributes: Attributes) -> Attributes:
    """Return HALO's own names of a model call's figures."""
    return {
        "inference.llm.provider": attributes.get("llm.provider"),
        "inference.llm.model_name": attributes.get("llm.model_name"),
        "inference.llm.input_tokens": attributes.get("llm.token_count.prompt"),
        "inference.llm.output_tokens": attributes.get("llm.token_count.completion"),
    }


def _failure(error: SpanError | None) -> str | None:
    if error is None:
        return None
    told = str(error.get("message") or "error")
    cause = (error.get("data") or {}).get("error")
    return f"{told}: {cause}" if cause else told


def _metadata(trace: Trace) -> Mapping[str, object]:
    found = getattr(trace, "metadata", None)
    return found if isinstance(found, dict) else {}  # pyright: ignore[reportUnknownVariableType]


def _bare(identifier: str, prefix: str) -> str:
    """Return OpenTelemetry's form of an identifier of the SDK, or the identifier itself where it was chosen freely."""
    bare = identifier.removeprefix(prefix)
    return bare if bare and set(bare.lower()) <= _HEX else identifier


def _moment(text: str | None) -> str:
    return wire_time(datetime.fromisoformat(text)) if text else ""


def _sdk_version() -> str:
    try:
        return version("openai-agents")
    except PackageNotFoundError:
        return ""
