"""The agent's contract: one JSON object a line in, one a line out, and nothing ends the run but the input."""

import json
import os
import sys
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TextIO, cast

from .document import Document, DocumentError, read_document
from .extract import FieldReading, read_field
from .harness import FIELDS, Harness, HarnessError, load_harness
from .tracing import Run, TraceError, Untraced, say_reading

_UNUSABLE_HARNESS = 3
_CAN_RECORD = find_spec("naoshi") is not None


def serve(requests: Iterable[str], answers: TextIO, *, harness: Harness, data_root: Path, version: str) -> None:
    """Answer each request line; a request that cannot be carried out gets an answer with ``error``."""
    for line in requests:
        if line.strip():
            answer = _answer_line(line, harness, data_root, version)
            answers.write(json.dumps(answer, ensure_ascii=False) + "\n")
            answers.flush()


def answer_document(case_id: str, path: str, *, harness: Harness, data_root: Path, version: str) -> dict[str, Any]:
    """Read one document and return the answer: output, artifacts with their citations, and spans.

    Raises:
        DocumentError: the document cannot be read.
        TraceError: the trace cannot be written where it was wanted.
    """
    document = read_document(data_root, path)
    with _run(document, case_id=case_id, version=version) as run:
        readings = {field: _read_field(run, document, harness, field) for field in FIELDS}
        output = {field: readings[field].value for field in FIELDS}
        claims = [_claim(path, reading) for reading in readings.values() if reading.value is not None]
        run.artifact("fields", value=output)
        run.artifact("claims", value=claims)
        run.output(output)
    return {
        "case_id": case_id,
        "output": output,
        "artifacts": {"fields": output, "claims": claims},
        "spans": run.spans(),
    }


def main() -> int:
    """Serve standard input until it ends; exit status 3 when the harness cannot be used."""
    here = Path(__file__).resolve().parent.parent
    try:
        harness = load_harness(here / "harness")
    except HarnessError as error:
        sys.stderr.write(f"receipts agent: harness/{error}\n")
        return _UNUSABLE_HARNESS
    for stream in (sys.stdin, sys.stdout):
        cast("Any", stream).reconfigure(encoding="utf-8", errors="surrogateescape")
    serve(
        sys.stdin,
        sys.stdout,
        harness=harness,
        data_root=Path(os.environ.get("NAOSHI_DATA_ROOT") or "."),
        version=os.environ.get("NAOSHI_AGENT_VERSION") or "unversioned",
    )
    return 0


def _answer_line(line: str, harness: Harness, data_root: Path, version: str) -> dict[str, Any]:
    case_id = ""
    try:
        request: Any = json.loads(line)
        case_id = str(request["case_id"])
        path = request["vars"]["document"]
        if not isinstance(path, str):
            raise TypeError("`vars.document` must be text")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        return _failure(case_id, f"not a request: {type(error).__name__}: {error}")
    try:
        return answer_document(case_id, path, harness=harness, data_root=data_root, version=version)
    except (DocumentError, TraceError) as error:
        return _failure(case_id, str(error))


def _run(document: Document, *, case_id: str, version: str) -> AbstractContextManager[Run]:
    """Return the run of reading *document*: recorded, or untraced where naoshi is not installed."""
    if not _CAN_RECORD:
        return Untraced()
    # Only here, since the agent is a program of its own that may be copied to where there is no naoshi.
    from .recorded import recorded_reading

    return recorded_reading(document, case_id=case_id, version=version)


def _read_field(run: Run, document: Document, harness: Harness, field: str) -> FieldReading:
    attributes = {"tool.name": "read_field", "naoshi.field": field}
    with run.span(f"extract.{field}", kind="TOOL", attributes=attributes) as step:
        reading = read_field(document, harness, field)
        say_reading(step, reading, document)
    return reading


def _failure(case_id: str, reason: str) -> dict[str, Any]:
    return {"case_id": case_id, "output": None, "artifacts": {}, "spans": [], "error": reason}


def _claim(path: str, reading: FieldReading) -> Mapping[str, Any]:
    return {
        "field": reading.field,
        "value": reading.value,
        "rule": reading.rule,
        "citations": [{"path": path, "line": line.number, "quote": line.text} for line in reading.lines],
    }
