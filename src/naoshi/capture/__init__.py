"""Traces of an agent's runs: recording them inside the agent, reading and storing them beside it.

Each name is loaded when it is first used: `record` needs the standard library only, and nothing here needs more
than pydantic.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from naoshi.capture.answer_trace import AnswerTrace, trace_of_answer
    from naoshi.capture.personal_data import ALL_KINDS, Masking, mask_personal_data
    from naoshi.capture.personal_forms import PersonalData
    from naoshi.capture.recording import Recording, numbered_ids, record
    from naoshi.capture.redaction import Redactor, keep_everything, redact, redact_text
    from naoshi.capture.span_recording import SpanRecording
    from naoshi.capture.trace_builder import build_trace
    from naoshi.capture.trace_export import trace_to_lines
    from naoshi.capture.trace_file import TraceFile, read_trace_file
    from naoshi.capture.trace_import import ImportReport, import_traces

__all__ = [
    "ALL_KINDS",
    "AnswerTrace",
    "ImportReport",
    "Masking",
    "PersonalData",
    "Recording",
    "Redactor",
    "SpanRecording",
    "TraceFile",
    "build_trace",
    "import_traces",
    "keep_everything",
    "mask_personal_data",
    "numbered_ids",
    "read_trace_file",
    "record",
    "redact",
    "redact_text",
    "trace_of_answer",
    "trace_to_lines",
]

_HOME = {
    "ALL_KINDS": "personal_data",
    "AnswerTrace": "answer_trace",
    "ImportReport": "trace_import",
    "Masking": "personal_data",
    "PersonalData": "personal_forms",
    "Recording": "recording",
    "Redactor": "redaction",
    "SpanRecording": "span_recording",
    "TraceFile": "trace_file",
    "build_trace": "trace_builder",
    "import_traces": "trace_import",
    "keep_everything": "redaction",
    "mask_personal_data": "personal_data",
    "numbered_ids": "recording",
    "read_trace_file": "trace_file",
    "record": "recording",
    "redact": "redaction",
    "redact_text": "redaction",
    "trace_of_answer": "answer_trace",
    "trace_to_lines": "trace_export",
}


def __getattr__(name: str) -> Any:
    """Load the name's file at its first use."""
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'naoshi.capture' has no attribute {name!r}")
    value = getattr(import_module(f"naoshi.capture.{home}"), name)
    globals()[name] = value
    return value
