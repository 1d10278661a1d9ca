"""One step of a run while it is going on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import TracebackType
from typing import Protocol, Self

from naoshi.capture import conventions as names
from naoshi.capture.plain_value import as_words, json_text, plain
from naoshi.capture.redaction import Json


class SpanOwner(Protocol):
    """What a span needs of the recording that it belongs to."""

    def open_span(self, span: "SpanRecording") -> None:
        """Give *span* its identifier, parent and start, and make it the current one."""
        ...

    def close_span(self, span: "SpanRecording", failure: BaseException | None) -> None:
        """Write *span* down and make its parent the current one again."""
        ...


@dataclass(kw_only=True, eq=False)
class SpanRecording:
    """One step of a run, open from ``with`` to its end. An exception marks it as failed and goes on up.

    ``span_id`` and ``parent_span_id`` are empty until the block is entered.
    """

    owner: SpanOwner
    name: str
    kind: str
    attributes: dict[str, Json] = field(default_factory=dict[str, Json])
    written_as_json: set[str] = field(default_factory=set[str])
    span_id: str = ""
    parent_span_id: str = ""
    start_time: datetime | None = None
    end_time: datetime | None = None
    status: str = "STATUS_CODE_UNSET"
    message: str = ""

    def __enter__(self) -> Self:
        self.owner.open_span(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.owner.close_span(self, error)

    def attribute(self, name: str, value: object) -> None:
        """Say one more thing about the step. A later value of one name replaces the earlier one."""
        self.attributes[name] = plain(value)
        self.written_as_json.discard(name)

    def attribute_as_json(self, name: str, value: object) -> None:
        """Say one more thing about the step, written as JSON text whatever it is."""
        self.attributes[name] = plain(value)
        self.written_as_json.add(name)

    def input(self, value: object) -> None:
        """Say what the step was given: a text as it is, anything else as JSON."""
        self._say(names.INPUT, names.INPUT_TYPE, value)

    def output(self, value: object) -> None:
        """Say what the step gave: a text as it is, anything else as JSON."""
        self._say(names.OUTPUT, names.OUTPUT_TYPE, value)

    def finish(self, at: datetime, *, failure: str | None, error_type: str | None = None) -> None:
        """End the step at *at*, well or (with the words of *failure*) not."""
        self.end_time = at
        self.status = "STATUS_CODE_OK" if failure is None else "STATUS_CODE_ERROR"
        self.message = failure or ""
        if error_type is not None:
            self.attributes.setdefault("exception.type", error_type)
            self.attributes.setdefault("exception.message", failure)

    def flat(
        self,
        *,
        trace_id: str,
        resource: Mapping[str, Json],
        scope: Mapping[str, Json],
        mask: Callable[[str, Json], Json],
    ) -> dict[str, Json]:
        """Return the step as one flat OpenTelemetry span, every value plain JSON and passed through *mask*."""
        attributes: dict[str, Json] = {names.KIND: self.kind}
        for name, value in self.attributes.items():
            masked = mask(name, value)
            attributes[name] = json_text(masked) if name in self.written_as_json else masked
        return {
            "trace_id": trace_id,
            "span_id": self.span_id,
            "parent_span_id": self.parent_span_id,
            "trace_state": "",
            "name": mask("", self.name),
            "kind": names.wire_kind(self.kind),
            "start_time": wire_time(self.start_time),
            "end_time": wire_time(self.end_time),
            "status": {"code": self.status, "message": mask("", self.message)},
            "resource": {"attributes": dict(resource)},
            "scope": dict(scope),
            "attributes": attributes,
        }

    def _say(self, name: str, type_name: str, value: object) -> None:
        text = isinstance(value, str)
        (self.attribute if text else self.attribute_as_json)(name, value)
        self.attributes[type_name] = names.TEXT_TYPE if text else names.JSON_TYPE


def wire_time(moment: datetime | None) -> str:
    """Return *moment* in UTC with nine digits of a second, or an empty text."""
    if moment is None:
        return ""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "000Z"


def failure_of(error: BaseException | None) -> str | None:
    """Return what *error* says, or None where it is no failure: a clean exit, or a generator that was closed."""
    if error is None or isinstance(error, GeneratorExit):
        return None
    if isinstance(error, SystemExit) and error.code in (None, 0):
        return None
    words = as_words(error)
    return f"{type(error).__name__}: {words}" if words else type(error).__name__
