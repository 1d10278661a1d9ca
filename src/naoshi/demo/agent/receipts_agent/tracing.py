"""The trace of reading one document. Where naoshi is not installed the agent works all the same, untraced."""

from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, Protocol, Self

from .document import Document
from .extract import FieldReading


class TraceError(Exception):
    """The trace cannot be written where NAOSHI_TRACE_FILE wants it; the message says why."""


class Step(Protocol):
    """A step of the run while it goes on, to be entered with ``with``."""

    def __enter__(self) -> Self:
        """Begin the step."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        """End the step."""
        ...

    def attribute(self, name: str, value: object) -> None:
        """Say one more thing about the step."""
        ...

    def output(self, value: object) -> None:
        """Say what the step gave."""
        ...


class Run(Protocol):
    """What the agent says of its run; `naoshi.capture.Recording` keeps it, `Untraced` does not."""

    def span(self, name: str, *, kind: str = "CHAIN", attributes: Mapping[str, object] | None = None) -> Step:
        """Return a step of the run."""
        ...

    def source(self, path: str, lines: Iterable[tuple[int, str]]) -> None:
        """Say which lines of a file were read, each with its number in the file."""
        ...

    def artifact(self, name: str, *, value: object = None) -> None:
        """Say what the run put out under *name*."""
        ...

    def attribute(self, name: str, value: object) -> None:
        """Say one more thing about the run."""
        ...

    def output(self, value: object) -> None:
        """Say what the run answered."""
        ...

    def spans(self) -> list[dict[str, Any]]:
        """Return the spans of the run, which has ended."""
        ...


class Untraced:
    """A run, and every step of it, where nothing can be recorded."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> None:
        return None

    def span(self, name: str, *, kind: str = "CHAIN", attributes: Mapping[str, object] | None = None) -> Step:
        """Return the step that is as untraced as the run."""
        return self

    def source(self, path: str, lines: Iterable[tuple[int, str]]) -> None:
        """Keep nothing."""

    def artifact(self, name: str, *, value: object = None) -> None:
        """Keep nothing."""

    def attribute(self, name: str, value: object) -> None:
        """Keep nothing."""

    def output(self, value: object) -> None:
        """Keep nothing."""

    def spans(self) -> list[dict[str, Any]]:
        """Return no spans."""
        return []


def say_reading(step: Step, reading: FieldReading, document: Document) -> None:
    """Say on the step of one field what was read, by which rule, and from which lines."""
    step.output(reading.value or "")
    step.attribute("naoshi.rule", reading.rule)
    step.attribute("naoshi.source.path", document.path)
    step.attribute("naoshi.source.lines", [line.number for line in reading.lines])
