"""Recording the reading of one document with `naoshi.capture`."""

import hashlib
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from naoshi.capture import numbered_ids, record
from naoshi.errors import StoreError

from .document import Document
from .tracing import Run, TraceError

AGENT: Final = "receipts"


@contextmanager
def recorded_reading(document: Document, *, case_id: str, version: str) -> Generator[Run]:
    """Record the reading of *document* by *version* of the harness; the document itself is recorded as read.

    The identifiers depend on version and document alone, so that reading it again with the same version is the same
    trace.

    Raises:
        TraceError: the file that NAOSHI_TRACE_FILE names cannot be written.
    """
    trace_id = _digest(version, document.path, "\n".join(line.text for line in document.lines))[:32]
    recording = record(
        agent=AGENT, version=version, trace_id=trace_id, vars={"document": document.path}, ids=numbered_ids(trace_id)
    )
    try:
        with recording as run:
            run.attribute("naoshi.case_id", case_id)
            run.source(document.path, [(line.number, line.text) for line in document.lines])
            yield run
    except StoreError as error:
        raise TraceError(error.message) from error


def _digest(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
