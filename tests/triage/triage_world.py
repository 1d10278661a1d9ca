"""A small world for the tests of triage: a receipt, a run that read it, and corrections of that run."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from naoshi.records import (
    Artifact,
    Comparison,
    Correction,
    FieldKind,
    FieldRule,
    FieldRules,
    SourceDocument,
    SourceLine,
    Trace,
    TriageProposal,
)
from naoshi.triage.propose import propose
from naoshi.triage.settings import TriageSettings

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)

LETTERS = Comparison.letters_and_digits
FIELDS = FieldRules(
    artifacts={
        "fields": {
            "company": FieldRule(comparison=LETTERS),
            "address": FieldRule(comparison=LETTERS),
            "date": FieldRule(comparison=LETTERS, kind=FieldKind.date),
            "total": FieldRule(comparison=LETTERS, kind=FieldKind.amount),
        }
    }
)

RECEIPT = (
    "BOOK SHOP SDN BHD",
    "NO 5, JALAN BESAR,",
    "81100 JOHOR BAHRU",
    "DATE: 14/03/2018 8:13 PM",
    "SUBTOTAL 29.25",
    "TOTAL: 31.00",
    "PAID RM35.00",
    "TELEPHONE 07-1234567",
)


def source(lines: Sequence[str] = RECEIPT, path: str = "box/1.csv") -> SourceDocument:
    """Return a document with those lines, numbered from 1."""
    return SourceDocument(path=path, lines=tuple(SourceLine(number=n, text=t) for n, t in enumerate(lines, start=1)))


def run(
    fields: Mapping[str, object],
    *,
    name: str = "t1",
    lines: Sequence[str] | None = RECEIPT,
    path: str = "box/1.csv",
    cited: Mapping[str, int] | None = None,
    **more: object,
) -> Trace:
    """Return a run that put out *fields*; *cited* says for a field which line its claim cites."""
    claims = [
        {"field": field, "value": fields.get(field), "citations": [{"path": path, "line": line, "quote": "x"}]}
        for field, line in (cited or {}).items()
    ]
    return Trace(
        trace_id=name,
        started_at=AT,
        artifacts=(Artifact(name="fields", value=dict(fields)), Artifact(name="claims", value=claims)),
        sources=(source(lines, path),) if lines is not None else (),
        **{"vars": {"document": path}, **more},
    )


def correction(
    field: str,
    submitted: object,
    corrected: object,
    *,
    by: str = "sato",
    trace: str = "t1",
    document: str | None = "box/1.csv",
    minute: int = 0,
) -> Correction:
    """Return a correction, named by what it says."""
    return Correction(
        correction_id=f"{trace}/{field}/{by}/{corrected}/{minute}",
        trace_id=trace,
        artifact="fields",
        field=field,
        submitted=submitted,
        corrected=corrected,
        practitioner=by,
        document=document,
        at=AT + timedelta(minutes=minute),
    )


def proposed(
    *corrections: Correction,
    traces: Sequence[Trace] = (),
    known: Sequence[Correction] = (),
    language: str = "en",
    settings: TriageSettings | None = None,
) -> tuple[TriageProposal, ...]:
    """Return the proposals for *corrections* of the runs *traces*."""
    by_name = {trace.trace_id: trace for trace in traces}
    return propose(corrections, traces=by_name.get, fields=FIELDS, known=known, settings=settings, language=language)


def one(made: Correction, trace: Trace | None = None, **more: object) -> TriageProposal:
    """Return the proposal for a single correction of a run that put out what was submitted."""
    given = trace if trace is not None else run({made.field: made.submitted, "other": "x"})
    return proposed(made, traces=[given], **more)[0]
