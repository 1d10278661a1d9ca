"""Bringing trace files into a store: importing one twice adds nothing, and a later file extends a known trace."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from naoshi.capture.flat_span import flat_line
from naoshi.capture.redaction import Redactor, redact
from naoshi.capture.span_collection import Arrival, SpanCollection
from naoshi.capture.trace_builder import build_trace
from naoshi.capture.trace_file import TraceFile, quarantined_line, read_trace_file
from naoshi.errors import InputError, MissingPathError
from naoshi.records.base import Record
from naoshi.records.trace import QuarantinedLine, Span, Trace
from naoshi.store.ports import Store

_INDEX_OF_HALO = ".engine-index.jsonl"


class ImportReport(Record):
    """What an import brought in.

    ``lines`` were read in ``files``; ``traces_added`` are new, ``traces_extended`` were known and got more spans;
    ``spans_added`` counts both. ``quarantined`` lines are new in the store's quarantine, each of them in ``reasons`` as
    ``FILE:LINE: reason``. ``orphans`` counts the spans, of the traces that changed, whose parent has not come.
    """

    files: int = 0
    lines: int = 0
    traces_added: int = 0
    traces_extended: int = 0
    spans_added: int = 0
    orphans: int = 0
    quarantined: int = 0
    reasons: tuple[str, ...] = ()
    trace_ids: tuple[str, ...] = ()


def import_traces(
    store: Store, paths: Iterable[str | Path], *, now: datetime, redact: Redactor = redact
) -> ImportReport:
    """Import the trace files at *paths* (of a folder: every ``*.jsonl`` below it), each in one transaction.

    *now* is the time that quarantined lines carry.

    Raises:
        MissingPathError: one of *paths* is not there; nothing is imported then.
        InputError: one is neither a file nor a folder with trace files, or cannot be read.
        StoreError: the store failed; the files before are imported, of this one nothing is.
    """
    report = ImportReport()
    for file in _files(paths):
        read = read_trace_file(file, now=now, redact=redact)
        with store.transaction():
            report = _sum(report, _import_file(store, file, read, now, redact))
    return report


def _files(paths: Iterable[str | Path]) -> list[Path]:
    files: dict[Path, None] = {}
    for path in map(Path, paths):
        if "\0" in str(path) or not path.exists():
            raise MissingPathError(f"there is no file or folder {str(path)!r}")
        found = _files_below(path) if path.is_dir() else [path]
        if not found:
            raise InputError(f"there is no trace file (*.jsonl) in {path}")
        files.update(dict.fromkeys(found))
    return list(files)


def _files_below(folder: Path) -> list[Path]:
    # HALO writes an index beside each trace file that it has read; it holds no spans.
    found = [file for file in folder.rglob("*.jsonl") if file.is_file() and not file.name.endswith(_INDEX_OF_HALO)]
    return sorted(found)


def _import_file(store: Store, file: Path, read: TraceFile, now: datetime, redact: Redactor) -> ImportReport:
    quarantined = [*read.quarantined]
    added = extended = spans = orphans = 0
    changed: list[str] = []
    for trace in read.traces:
        known = store.traces.get(trace.trace_id)
        merged, fresh, refused = _merge(known, trace)
        quarantined += [_refused(file, read, span, now, redact) for span in refused]
        if known is not None and not fresh:
            continue
        store.traces.put(merged)
        changed.append(trace.trace_id)
        added, extended = added + (known is None), extended + (known is not None)
        spans += fresh
        orphans += sum(span.orphan for span in merged.spans)
    new_lines = _quarantine(store, quarantined)
    return ImportReport(
        files=1,
        lines=read.lines,
        traces_added=added,
        traces_extended=extended,
        spans_added=spans,
        orphans=orphans,
        quarantined=len(new_lines),
        reasons=tuple(f"{line.file}:{line.line}: {line.reason}" for line in new_lines),
        trace_ids=tuple(changed),
    )


def _merge(known: Trace | None, trace: Trace) -> tuple[Trace, int, Sequence[Span]]:
    """Return *known* with the spans of *trace*, how many of them are new or newly ended, and those that conflict."""
    if known is None:
        return trace, len(trace.spans), ()
    spans = SpanCollection(spans=known.spans)
    refused: list[Span] = []
    fresh = 0
    for span in trace.spans:
        arrival = spans.add(span)
        fresh += arrival in (Arrival.added, Arrival.completed)
        if arrival is Arrival.conflicting:
            refused.append(span)
    (collected,) = spans.traces()
    built = build_trace(collected, source=known.source)
    # What a known trace says of the run and its spans do not (it came through the agent contract) stays.
    kept = {
        name: getattr(known, name)
        for name in ("agent", "agent_version", "vars", "output", "artifacts", "sources")
        if not getattr(built, name)
    }
    return built.model_copy(update=kept), fresh, refused


def _refused(file: Path, read: TraceFile, span: Span, now: datetime, redact: Redactor) -> QuarantinedLine:
    number = read.line_of[span.trace_id, span.span_id]
    reason = f"another span {span.span_id} of trace {span.trace_id} is stored already"
    return quarantined_line(file, number, flat_line(span).encode(), reason=reason, at=now, redact=redact)


def _quarantine(store: Store, lines: Iterable[QuarantinedLine]) -> list[QuarantinedLine]:
    fresh: list[QuarantinedLine] = []
    for line in lines:
        if store.quarantine.get(line.quarantine_id) is None:
            store.quarantine.add(line)
            fresh.append(line)
    return fresh


def _sum(left: ImportReport, right: ImportReport) -> ImportReport:
    counted = ("files", "lines", "traces_added", "traces_extended", "spans_added", "orphans", "quarantined")
    sums = {name: getattr(left, name) + getattr(right, name) for name in counted}
    changed = dict.fromkeys((*left.trace_ids, *right.trace_ids))
    return ImportReport(**sums, reasons=left.reasons + right.reasons, trace_ids=tuple(changed))
