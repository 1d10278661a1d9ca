"""Recording one run of an agent as flat OpenTelemetry spans. Loads the standard library only."""

import hashlib
import os
import secrets
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar, Token
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from threading import RLock
from types import TracebackType
from typing import Self, TypeAlias

from naoshi import __version__
from naoshi.capture import conventions as names
from naoshi.capture.plain_value import json_text, plain
from naoshi.capture.redaction import MASK, Json, Redactor, redact
from naoshi.capture.span_recording import SpanRecording, failure_of
from naoshi.capture.trace_file_writer import TraceFileWriter
from naoshi.errors import AgentError, StoreError

FlatSpan: TypeAlias = dict[str, Json]
Current: TypeAlias = "tuple[Recording, SpanRecording] | None"

_current: ContextVar[Current] = ContextVar("naoshi_current_span", default=None)


def record(
    path: str | Path | None = None,
    *,
    agent: str,
    version: str | None = None,
    trace_id: str | None = None,
    vars: Mapping[str, object] | None = None,
    clock: Callable[[], datetime] | None = None,
    ids: Callable[[], str] | None = None,
    max_turns: int = 30,
    redact: Redactor = redact,
) -> "Recording":
    """Record one run of *agent*.

    Use it as ``with record(agent="receipts", vars={"document": "box/001.csv"}) as run:``.

    Args:
        path: the trace file that spans are added to as they end; by default that of ``NAOSHI_TRACE_FILE``, and
            without either the spans are only kept for `Recording.spans`.
        agent: the name of the agent.
        version: the version of its harness; by default that of ``NAOSHI_AGENT_VERSION``.
        trace_id: 32 hexadecimal digits that name the run; by default random ones.
        vars: what the run was given, as an eval case will give it again.
        clock: gives the time, aware; by default that of the machine.
        ids: gives the identifier of each next span; by default random ones (see `numbered_ids`).
        max_turns: how many LLM spans a run may have.
        redact: masks secrets in whatever is written (see `naoshi.capture.redact`).
    """
    named = path or os.environ.get("NAOSHI_TRACE_FILE")
    return Recording(
        path=Path(named) if named else None,
        agent=agent,
        version=version or os.environ.get("NAOSHI_AGENT_VERSION"),
        trace_id=trace_id or secrets.token_hex(16),
        vars=dict(vars or {}),
        clock=clock or _now,
        ids=ids or _random_id,
        max_turns=max_turns,
        redact=redact,
    )


def numbered_ids(seed: str) -> Callable[[], str]:
    """Return a source of span identifiers that depend on *seed* and their number alone, for runs that repeat."""
    numbers = count(1)
    return lambda: hashlib.sha256(f"{seed}\x1f{next(numbers)}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Recording:
    """One run of an agent, from ``with`` to its end. Threads and asyncio tasks may share it.

    A span opened inside another has it as parent, in each thread and task for itself; one opened in a new thread
    hangs on the run. Whatever is open when the run ends by an exception is written with the status ERROR.
    """

    def __init__(
        self,
        *,
        path: Path | None,
        agent: str,
        version: str | None,
        trace_id: str,
        vars: dict[str, object],
        clock: Callable[[], datetime],
        ids: Callable[[], str],
        max_turns: int,
        redact: Redactor,
    ) -> None:
        self.trace_id = trace_id
        self.agent = agent
        self.version = version
        self._path = path
        self._clock = clock
        self._ids = ids
        self._turns_left = max_turns
        self._max_turns = max_turns
        self._redact = redact
        self._lock = RLock()
        self._root = SpanRecording(owner=self, name=agent, kind="AGENT", attributes={names.AGENT_NAME: agent})
        self._artifacts: list[Json] = []
        self._open: dict[str, SpanRecording] = {}
        self._tokens: dict[str, Token[Current]] = {}
        self._used: set[str] = set()
        self._done: list[FlatSpan] = []
        self._writer: TraceFileWriter | None = None
        self._root.attribute_as_json(names.VARS, vars)
        self._root.input(vars)

    def __enter__(self) -> Self:
        """Begin the run.

        Raises:
            StoreError: the trace file cannot be written; it is said before the agent has done anything.
        """
        if self._path is not None:
            self._writer = TraceFileWriter(path=self._path)
        self.open_span(self._root)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            left = [span for span in self._open.values() if span is not self._root]
            for span in reversed(left):
                self._finish(span, failure=failure_of(error) or "still open when the run ended")
        self.close_span(self._root, error)

    def span(self, name: str, *, kind: str = "CHAIN", attributes: Mapping[str, object] | None = None) -> SpanRecording:
        """Return a step of the run, to be entered with ``with``. *kind* is one of OpenInference's.

        Entering raises:
            AgentError: an LLM span would be one more turn than the run may have.

        Raises:
            ValueError: *kind* is not one of OpenInference's.
        """
        if kind not in names.SPAN_KINDS:
            raise ValueError(f"{kind!r} is no kind of span; there are {', '.join(sorted(names.SPAN_KINDS))}")
        given = {key: plain(value) for key, value in (attributes or {}).items()}
        return SpanRecording(owner=self, name=name, kind=kind, attributes=given)

    def source(self, path: str | Path, lines: Iterable[str | tuple[int, str]]) -> None:
        """Say that the run read *lines* of the file *path*, which is relative to the data root.

        A line is a text, or its number in the file and a text; plain texts are numbered on from the line before,
        from 1. A line break inside a line is kept as a space.
        """
        numbers: list[int] = []
        texts: list[str] = []
        for line in lines:
            number, text = line if isinstance(line, tuple) else ((numbers[-1] if numbers else 0) + 1, line)
            numbers.append(int(number))
            texts.append(str(text).replace("\r\n", " ").replace("\n", " "))
        place = Path(path).as_posix()
        with self.span(f"read {place}", kind="TOOL") as span:
            span.attribute(names.TOOL_NAME, "read")
            span.attribute(names.SOURCE_PATH, place)
            span.attribute(names.SOURCE_LINES, numbers)
            span.output("\n".join(texts))

    def artifact(self, name: str, *, value: object = None, path: str | Path | None = None) -> None:
        """Say that the run put out *name*: a value, or a file at *path*, relative to the outputs root."""
        made: dict[str, Json] = {"name": name}
        if path is not None:
            made["path"] = Path(path).as_posix()
        else:
            made["value"] = plain(value)
        with self._lock:
            self._artifacts = [
                kept for kept in self._artifacts if not (isinstance(kept, dict) and kept["name"] == name)
            ]
            self._artifacts.append(made)
            self._root.attribute_as_json(names.ARTIFACTS, self._artifacts)

    def output(self, value: object) -> None:
        """Say what the run answered."""
        with self._lock:
            self._root.attribute_as_json(names.RUN_OUTPUT, value)
            self._root.output(value)

    def attribute(self, name: str, value: object) -> None:
        """Say one more thing about the run itself."""
        with self._lock:
            self._root.attribute(name, value)

    def spans(self) -> list[FlatSpan]:
        """Return the spans that have ended, the run's own last, as an agent prints them in its answer.

        Ask when the ``with`` block has ended; before, the run's own span is not among them.
        """
        with self._lock:
            return list(self._done)

    def open_span(self, span: SpanRecording) -> None:
        """Begin *span*. Spans call this themselves.

        Raises:
            AgentError: it would be one more turn than the run may have.
            RuntimeError: the run has not begun, or has ended.
            ValueError: ``ids`` gave an identifier a second time.
        """
        with self._lock:
            if span is not self._root and self._root.span_id not in self._open:
                raise RuntimeError("a span belongs inside the `with` block of its recording")
            self._count_turn(span)
            self._begin(span)
        self._tokens[span.span_id] = _current.set((self, span))

    def close_span(self, span: SpanRecording, failure: BaseException | None) -> None:
        """End *span*. Spans call this themselves."""
        token = self._tokens.pop(span.span_id, None)
        if token is not None:
            _go_back(token)
        with self._lock:
            if span.span_id in self._open:
                self._finish(span, failure=failure_of(failure), error=failure)

    def _count_turn(self, span: SpanRecording) -> None:
        if span.kind != "LLM":
            return
        if self._turns_left <= 0:
            raise AgentError(
                f"the run of {self.agent} is at its limit of {self._max_turns} turns",
                hint="end the run with what it has, or raise max_turns where it is recorded",
            )
        self._turns_left -= 1

    def _begin(self, span: SpanRecording) -> None:
        identifier = self._ids()
        if identifier in self._used:
            raise ValueError(f"the span identifier {identifier!r} is in use already")
        self._used.add(identifier)
        span.span_id = identifier
        span.parent_span_id = self._parent_of(span)
        span.start_time = self._clock()
        self._open[identifier] = span

    def _parent_of(self, span: SpanRecording) -> str:
        if span is self._root:
            return ""
        current = _current.get()
        if current is None or current[0] is not self or current[1].span_id not in self._open:
            return self._root.span_id
        return current[1].span_id

    def _finish(self, span: SpanRecording, *, failure: str | None, error: BaseException | None = None) -> None:
        del self._open[span.span_id]
        error_type = type(error).__name__ if failure is not None and error is not None else None
        span.finish(self._clock(), failure=failure, error_type=error_type)
        flat = self._flat(span)
        self._done.append(flat)
        if self._writer is not None:
            self._write(self._writer, flat, durable=span is self._root)

    def _write(self, writer: TraceFileWriter, flat: FlatSpan, *, durable: bool) -> None:
        try:
            writer.append([json_text(flat)], durable=durable)
        except StoreError as error:
            # An agent at work must not end because its trace cannot be kept; `spans` still has it all.
            self._writer = None
            warnings.warn(f"the rest of this run is not traced: {error.message}", RuntimeWarning, stacklevel=2)

    def _flat(self, span: SpanRecording) -> FlatSpan:
        resource: dict[str, Json] = {names.SERVICE_NAME: self.agent}
        if self.version is not None:
            resource[names.SERVICE_VERSION] = self.version
        scope: dict[str, Json] = {"name": "naoshi", "version": __version__}
        return span.flat(trace_id=self.trace_id, resource=resource, scope=scope, mask=self._mask)

    def _mask(self, name: str, value: Json) -> Json:
        try:
            return plain(self._redact(value, name=name))
        except Exception:  # noqa: BLE001 - a redactor of the user's own; what it could not judge is not written
            return MASK


def _go_back(token: Token[Current]) -> None:
    try:
        _current.reset(token)
    except ValueError:
        # The block was left in another context than it was entered in, as an async generator may do.
        old = token.old_value
        _current.set(None if old is Token.MISSING else old)


def _now() -> datetime:
    return datetime.now(UTC)


def _random_id() -> str:
    return secrets.token_hex(8)
