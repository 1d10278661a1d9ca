"""The names of attributes that the recorder writes and the reader understands. Nothing but constants."""

from typing import Final

KIND: Final = "openinference.span.kind"
INPUT: Final = "input.value"
INPUT_TYPE: Final = "input.mime_type"
OUTPUT: Final = "output.value"
OUTPUT_TYPE: Final = "output.mime_type"
JSON_TYPE: Final = "application/json"
TEXT_TYPE: Final = "text/plain"
TOOL_NAME: Final = "tool.name"
AGENT_NAME: Final = "agent.name"

SERVICE_NAME: Final = "service.name"
SERVICE_VERSION: Final = "service.version"

VARS: Final = "naoshi.vars"
"""On the root: what the run was given, as JSON text of an object."""

RUN_OUTPUT: Final = "naoshi.output"
"""On the root: the run's answer, as JSON text."""

ARTIFACTS: Final = "naoshi.artifacts"
"""On the root: a JSON list of ``{"name", "value"}`` or ``{"name", "path"}``."""

SOURCES: Final = "naoshi.sources"
"""On the root of an exported trace, where its spans do not say what was read."""

SOURCE_PATH: Final = "naoshi.source.path"
SOURCE_LINES: Final = "naoshi.source.lines"
"""The number in the file of each line of ``output.value``, from 1."""

FIELD: Final = "naoshi.field"
"""On a span that filled one field; such a span names a place in a source and is not a reading of it."""

KEPT: Final = "naoshi.otel"
"""Inside a `Span` only: what the line said beyond the record (kind, trace state, nanoseconds, other keys)."""

SPAN_KINDS: Final = frozenset(
    {"AGENT", "LLM", "TOOL", "CHAIN", "RETRIEVER", "RERANKER", "EMBEDDING", "GUARDRAIL", "EVALUATOR", "PROMPT"}
)


def wire_kind(kind: str) -> str:
    """Return OpenTelemetry's kind of span for one of OpenInference's: a model call leaves the process."""
    return "SPAN_KIND_CLIENT" if kind == "LLM" else "SPAN_KIND_INTERNAL"
