"""Reading the table of corrections that practitioners keep."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from naoshi.errors import InputError, MissingPathError
from naoshi.records.base import content_id
from naoshi.records.correction import Correction
from naoshi.records.field_rule import FieldRules
from naoshi.records.trace import QuarantinedLine, Trace
from naoshi.signals.make_correction import make_correction, typed_as

REQUIRED_COLUMNS = ("trace_id", "artifact", "field", "corrected", "practitioner")
OPTIONAL_COLUMNS = ("submitted", "source_value", "extracted", "mapped", "reason", "document", "at")
_MOST_LINES_IN_A_ROW = 60
_LONGEST_KEPT = 65_536

TraceLookup = Callable[[str], Trace | None]


class CorrectionTable(NamedTuple):
    """What a table of corrections holds: the corrections, and the rows that could not be read."""

    corrections: tuple[Correction, ...]
    quarantined: tuple[QuarantinedLine, ...]


@dataclass(frozen=True, kw_only=True)
class _Row:
    """One row: the line that it begins on, its cells (None if it is no CSV), and its text."""

    line: int
    cells: list[str] | None
    content: str


def read_corrections(
    path: Path,
    *,
    traces: TraceLookup,
    now: datetime,
    fields: FieldRules | None = None,
    known: Callable[[str], Correction | None] = lambda _: None,
) -> CorrectionTable:
    """Return the corrections of a CSV file. A bad row is quarantined with its line and the reason.

    The text is UTF-8 (with or without a byte-order mark), UTF-16 with one, or else cp932. Columns are separated by
    commas, semicolons or tabs, in any order: `REQUIRED_COLUMNS`, and any of `OPTIONAL_COLUMNS`; others are left out.
    An empty ``corrected`` says that the field should be empty. *traces* looks a trace up by its identifier. *fields*
    names fields that a run may have left out altogether. *known* looks up a correction that is stored already: it
    keeps its first time, so that reading a file again changes nothing.

    Raises:
        MissingPathError: there is no such file.
        InputError: it cannot be read, or its first line lacks a required column.
    """
    rows = _rows(_decoded(path))
    columns = _columns(path, next(rows, None))
    corrections: dict[str, Correction] = {}
    quarantined: dict[str, QuarantinedLine] = {}
    for row in rows:
        try:
            correction = _correction(_named(row, columns), traces, now, fields)
        except InputError as error:
            bad = _quarantined(path, row, error.message, now)
            quarantined[bad.quarantine_id] = bad
        else:
            identifier = correction.correction_id
            corrections.setdefault(identifier, known(identifier) or correction)
    return CorrectionTable(tuple(corrections.values()), tuple(quarantined.values()))


def _decoded(path: Path) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError as error:
        raise MissingPathError(f"there is no file {path}") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    for encoding in ("utf-16",) if wide else ("utf-8-sig", "cp932"):
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    # The rows with bytes that are no text are found by their surrogates and quarantined one by one.
    return content.decode("utf-8-sig", "surrogateescape")


def _rows(text: str) -> Iterator[_Row]:
    """Yield the rows that are not blank. A quote that is never closed costs its own line only."""
    lines = list(io.StringIO(text, newline=""))
    delimiter = max(",;\t", key=lines[0].count) if lines else ","
    at = 0
    while at < len(lines):
        row, after = _row(lines, at, delimiter)
        at = after
        if row.content.strip():
            yield row


def _row(lines: list[str], start: int, delimiter: str) -> tuple[_Row, int]:
    """Return the row that begins at index *start*, and the index of the line after it."""
    for end in range(start + 1, min(start + _MOST_LINES_IN_A_ROW, len(lines)) + 1):
        content = "".join(lines[start:end])
        if content.count('"') % 2:
            continue
        try:
            found = list(csv.reader(lines[start:end], delimiter=delimiter, strict=True))
        except csv.Error:
            continue
        if len(found) == 1:
            return _Row(line=start + 1, cells=found[0], content=content), end
        break
    return _Row(line=start + 1, cells=None, content=lines[start]), start + 1


def _columns(path: Path, header: _Row | None) -> list[str]:
    names = [name.strip().casefold() for name in header.cells or []] if header is not None else []
    missing = [name for name in REQUIRED_COLUMNS if name not in names]
    if missing:
        raise InputError(
            f"{path} has no column {', '.join(missing)} in its first line",
            hint=f"the first line names the columns {', '.join(REQUIRED_COLUMNS)}",
        )
    if twice := sorted({name for name in names if name and names.count(name) > 1}):
        raise InputError(f"{path} has the column {', '.join(twice)} twice")
    return names


def _named(row: _Row, columns: list[str]) -> Mapping[str, str]:
    """Return the cells of *row* by column.

    Raises:
        InputError: it is no CSV, has spare cells or too few, or holds bytes that are no text.
    """
    if row.cells is None:
        raise InputError("the row is not CSV (a quote is open or misplaced)")
    if any("\ud800" <= character <= "\udfff" for character in row.content):
        raise InputError("the row holds bytes that are neither UTF-8 nor cp932")
    cells = row.cells
    if len(cells) < len(columns) - _trailing_optional(columns) or any(cell.strip() for cell in cells[len(columns) :]):
        raise InputError(f"the row has {len(cells)} cells and the first line names {len(columns)} columns")
    filled = [*cells[: len(columns)], *[""] * (len(columns) - len(cells))]
    named = {name: cell for name, cell in zip(columns, filled, strict=True) if name}
    for name in ("trace_id", "artifact", "field", "practitioner"):
        if not named[name].strip():
            raise InputError(f"the row has no {name}")
    return named


def _trailing_optional(columns: list[str]) -> int:
    """Return how many of the last columns may be left out of a row."""
    required = [index for index, name in enumerate(columns) if name in REQUIRED_COLUMNS]
    return len(columns) - 1 - max(required)


def _correction(row: Mapping[str, str], traces: TraceLookup, now: datetime, fields: FieldRules | None) -> Correction:
    trace_id = row["trace_id"].strip()
    trace = traces(trace_id)
    if trace is None:
        raise InputError(f"there is no trace {trace_id!r}")
    given = {name: row[name] for name in OPTIONAL_COLUMNS if row.get(name, "").strip()}
    at = _moment(given.pop("at")) if "at" in given else now
    correction = make_correction(
        trace=trace,
        artifact=row["artifact"].strip(),
        field=row["field"].strip(),
        corrected=row["corrected"] if row["corrected"].strip() else None,
        practitioner=row["practitioner"].strip(),
        at=at,
        fields=fields,
        reason=given.get("reason", ""),
        document=given.get("document"),
    )
    stated = {name: given[name] for name in ("source_value", "extracted", "mapped") if name in given}
    if "submitted" in given:
        return correction.model_copy(update={**stated, "submitted": typed_as(correction.submitted, given["submitted"])})
    return correction.model_copy(update=stated)


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.strip().replace("/", "-"))
    except ValueError as error:
        raise InputError(f"the time {text.strip()[:60]!r} is not of the form 2026-01-31T09:30:00+09:00") from error
    return moment.astimezone(UTC) if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _quarantined(path: Path, row: _Row, reason: str, now: datetime) -> QuarantinedLine:
    content = row.content.encode("utf-8", "backslashreplace")[:_LONGEST_KEPT].decode("utf-8", "ignore")
    return QuarantinedLine(
        quarantine_id=content_id("quarantine", str(path), row.line, content),
        file=str(path),
        line=row.line,
        reason=reason,
        content=content.rstrip("\r\n"),
        at=now,
    )
