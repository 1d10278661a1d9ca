"""Reading a file of flat OpenTelemetry JSON lines. A line that cannot be read never ends it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final

from naoshi.capture.flat_span import parse_flat_line
from naoshi.capture.redaction import Redactor, redact
from naoshi.capture.span_collection import Arrival, SpanCollection
from naoshi.capture.trace_builder import build_trace
from naoshi.errors import InputError, MissingPathError
from naoshi.records.base import content_id
from naoshi.records.trace import QuarantinedLine, Span, Trace

LONGEST_LINE: Final = 256 * 1024 * 1024
"""The most bytes of one line that are taken into memory; a longer one goes to quarantine."""

MOST_CONTENT: Final = 64 * 1024
"""How much of a quarantined line is kept, in bytes."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, kw_only=True)
class TraceFile:
    """What a trace file holds: its traces, and its lines that could not be read.

    ``lines`` counts those that are not blank; ``line_of`` gives the line (from 1) of each span by trace and span
    identifier.
    """

    traces: tuple[Trace, ...]
    quarantined: tuple[QuarantinedLine, ...]
    lines: int
    line_of: Mapping[tuple[str, str], int]


def read_trace_file(path: str | Path, *, now: datetime, redact: Redactor = redact) -> TraceFile:
    """Read the traces of the file at *path*; the spans of one may stand anywhere in it.

    A span that stands there twice counts once. A line that is no span, or that has the identifier of another span,
    is quarantined with its reason. *now* is the time that quarantined lines carry.

    Raises:
        MissingPathError: there is no such file.
        InputError: it is no file, or cannot be read.
    """
    file = Path(path)
    spans = SpanCollection()
    line_of: dict[tuple[str, str], int] = {}
    quarantined: list[QuarantinedLine] = []
    lines = 0
    for number, raw, too_long in _lines(file):
        lines += 1
        try:
            span = _span(raw, too_long, redact)
            _take_in(span, number, spans, line_of)
        except InputError as error:
            quarantined.append(quarantined_line(file, number, raw, reason=error.message, at=now, redact=redact))
    traces = tuple(build_trace(found, source=str(path)) for found in spans.traces())
    return TraceFile(traces=traces, quarantined=tuple(quarantined), lines=lines, line_of=line_of)


def quarantined_line(
    file: Path, number: int, raw: bytes, *, reason: str, at: datetime, redact: Redactor
) -> QuarantinedLine:
    """Return the record of a line that was not taken in.

    Its identifier depends on the file's place, the line's number and its bytes alone, so that reading the file again
    gives the same one.
    """
    digest = sha256(raw).hexdigest()
    return QuarantinedLine(
        quarantine_id=content_id("quarantine", str(file.resolve()), number, digest),
        file=str(file),
        line=number,
        reason=reason,
        content=str(redact(raw[:MOST_CONTENT].decode("utf-8", "replace"))),
        at=at,
    )


def _span(raw: bytes, too_long: bool, redact: Redactor) -> Span:
    if too_long:
        raise InputError(f"longer than {LONGEST_LINE // 1024 // 1024} MiB")
    return parse_flat_line(raw, redact=redact)


def _take_in(span: Span, number: int, spans: SpanCollection, line_of: dict[tuple[str, str], int]) -> None:
    name = (span.trace_id, span.span_id)
    arrival = spans.add(span)
    if arrival is Arrival.conflicting:
        raise InputError(f"another span {span.span_id} of trace {span.trace_id} stands on line {line_of[name]}")
    if arrival is not Arrival.known:
        line_of[name] = number


def _lines(file: Path) -> Iterator[tuple[int, bytes, bool]]:
    """Give number, bytes and "too long to read" of each line that is not blank."""
    try:
        with _open(file) as stream:
            number = 0
            while raw := stream.readline(LONGEST_LINE + 1):
                number += 1
                too_long = len(raw) > LONGEST_LINE and not raw.endswith(b"\n")
                if too_long:
                    raw = raw[:MOST_CONTENT]
                    _skip_line(stream)
                if number == 1:
                    raw = raw.removeprefix(_BYTE_ORDER_MARK)
                if raw.strip():
                    yield number, raw.rstrip(b"\r\n"), too_long
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror or error}") from error


def _open(file: Path) -> BinaryIO:
    if "\0" in str(file) or not file.exists():
        raise MissingPathError(f"there is no file {str(file)!r}")
    if not file.is_file():
        raise InputError(f"{file} is not a file")
    return file.open("rb")


def _skip_line(stream: BinaryIO) -> None:
    while piece := stream.readline(1024 * 1024):
        if piece.endswith(b"\n"):
            return
