"""What a statement stands on: a place in a trace, a case or a file."""

from naoshi.records.base import Record


class Evidence(Record):
    """One citation. At least one of the identifiers or ``path`` is set; ``line`` counts from 1.

    ``path`` is relative to the data root (documents) or to the repository (harness). ``quote`` is the text
    that must stand at the place; ``label`` is text beside it that explains what it is.
    """

    trace_id: str | None = None
    span_id: str | None = None
    case_id: str | None = None
    correction_id: str | None = None
    path: str | None = None
    line: int | None = None
    quote: str | None = None
    label: str | None = None
    note: str | None = None
