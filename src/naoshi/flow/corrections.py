"""Corrections on their way in: from a table, or one by one."""

from dataclasses import dataclass
from pathlib import Path

from naoshi.errors import NotFoundError
from naoshi.flow.loop import Loop
from naoshi.records import Correction, QuarantinedLine
from naoshi.signals.corrections_reader import read_corrections
from naoshi.signals.make_correction import make_correction


@dataclass(frozen=True, kw_only=True)
class CorrectionsTaken:
    """The corrections that were handed in, how many of them are new, and the rows that could not be read."""

    corrections: tuple[Correction, ...]
    added: int
    quarantined: tuple[QuarantinedLine, ...]


def take_table(loop: Loop, path: Path) -> CorrectionsTaken:
    """Keep the corrections of the CSV file at *path*, and its bad rows in quarantine, all together or none.

    Raises:
        MissingPathError: there is no such file.
        InputError: it cannot be read, or its first line lacks a required column.
    """
    table = read_corrections(
        path,
        traces=loop.store.traces.get,
        now=loop.clock(),
        fields=loop.settings.fields,
        known=loop.store.corrections.get,
    )
    with loop.store.transaction():
        for line in table.quarantined:
            if loop.store.quarantine.get(line.quarantine_id) is None:
                loop.store.quarantine.add(line)
        added = loop.store.corrections.add_all(table.corrections)
    return CorrectionsTaken(corrections=table.corrections, added=added, quarantined=table.quarantined)


def take_one(
    loop: Loop,
    *,
    trace_id: str,
    artifact: str,
    field: str,
    corrected: str | None,
    practitioner: str,
    reason: str = "",
) -> CorrectionsTaken:
    """Keep one correction; ``corrected`` None says that the field should be empty.

    Raises:
        NotFoundError: there is no such trace.
        InputError: the run has no such artifact, or the artifact no such field.
    """
    trace = loop.store.traces.get(trace_id)
    if trace is None:
        raise NotFoundError(f"there is no trace {trace_id}", hint="bring it in with `naoshi ingest`")
    made = make_correction(
        trace=trace,
        artifact=artifact,
        field=field,
        corrected=corrected,
        practitioner=practitioner,
        at=loop.clock(),
        fields=loop.settings.fields,
        reason=reason,
    )
    known = loop.store.corrections.get(made.correction_id)
    if known is not None:
        return CorrectionsTaken(corrections=(known,), added=0, quarantined=())
    loop.store.corrections.add(made)
    return CorrectionsTaken(corrections=(made,), added=1, quarantined=())
