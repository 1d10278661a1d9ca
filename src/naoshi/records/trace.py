"""One run of the agent and its steps, in OpenTelemetry's sense with OpenInference's kinds."""

from enum import StrEnum

from pydantic import AwareDatetime, JsonValue

from naoshi.records.base import Record
from naoshi.records.source_document import SourceDocument


class SpanKind(StrEnum):
    """OpenInference's kinds of span; ``unknown`` where the source names none or another."""

    agent = "AGENT"
    llm = "LLM"
    tool = "TOOL"
    chain = "CHAIN"
    retriever = "RETRIEVER"
    reranker = "RERANKER"
    embedding = "EMBEDDING"
    guardrail = "GUARDRAIL"
    evaluator = "EVALUATOR"
    prompt = "PROMPT"
    unknown = "UNKNOWN"


class SpanStatus(StrEnum):
    """OpenTelemetry's status of a span."""

    unset = "UNSET"
    ok = "OK"
    error = "ERROR"


class Span(Record):
    """One step of a run. ``orphan`` marks a span whose parent never came; it is kept all the same."""

    trace_id: str
    span_id: str
    parent_span_id: str | None = None
    name: str
    kind: SpanKind = SpanKind.unknown
    start_time: AwareDatetime
    end_time: AwareDatetime | None = None
    status: SpanStatus = SpanStatus.unset
    status_message: str = ""
    attributes: dict[str, JsonValue] = {}
    resource: dict[str, JsonValue] = {}
    scope: dict[str, JsonValue] = {}
    orphan: bool = False


class Artifact(Record):
    """A named output of a run: an answer, a field record, or a file (``path`` relative to the outputs root)."""

    name: str
    value: JsonValue = None
    path: str | None = None


class Trace(Record):
    """One run of the agent: its input, what it read, what it put out, and its spans in order of start.

    ``agent_version`` is the version of the harness that ran (None where the trace does not say).
    ``source`` names the file or recorder that it came from.
    """

    trace_id: str
    agent: str = ""
    agent_version: str | None = None
    started_at: AwareDatetime
    ended_at: AwareDatetime | None = None
    vars: dict[str, JsonValue] = {}
    output: JsonValue = None
    artifacts: tuple[Artifact, ...] = ()
    sources: tuple[SourceDocument, ...] = ()
    spans: tuple[Span, ...] = ()
    source: str = ""

    def artifact(self, name: str) -> Artifact | None:
        """Return the artifact called *name*, or None."""
        return next((item for item in self.artifacts if item.name == name), None)


class QuarantinedLine(Record):
    """A line of input that could not be read: where it stands, why, and the line itself (cut at 64 KiB)."""

    quarantine_id: str
    file: str
    line: int
    reason: str
    content: str
    at: AwareDatetime
