"""Events in the traces of an agent that uses OpenTelemetry."""

from collections.abc import Mapping
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import INVALID_SPAN_CONTEXT, NonRecordingSpan

from naoshi.confirm import Confirmations, MemoryStore
from tests.confirm.conftest import Clock


class KeptSpan(NonRecordingSpan):
    """A span that keeps its events."""

    def __init__(self) -> None:
        super().__init__(INVALID_SPAN_CONTEXT)
        self.events: list[tuple[str, Mapping[str, Any]]] = []

    def is_recording(self) -> bool:
        return True

    def add_event(self, name: str, attributes: Any = None, timestamp: int | None = None) -> None:
        self.events.append((name, attributes))


def test_each_event_is_added_to_the_current_span() -> None:
    """Protects those who look at traces: the turn stands in the span that it happened in, without the person's text."""
    span = KeptSpan()
    confirmations = Confirmations(MemoryStore(), clock=Clock())
    with trace.use_span(span):
        confirmations.ask("c", "登録しますか？", ["登録する", "やめる"])
        confirmations.receive("c", "秘密の話")
        confirmations.receive("c", "2")
    assert [name for name, _ in span.events] == [
        "naoshi.confirm.asked", "naoshi.confirm.turn", "naoshi.confirm.turn",
    ]  # fmt: skip
    last = span.events[2][1]
    assert (last["naoshi.confirm.outcome"], last["naoshi.confirm.reason"]) == ("resolved", "resolved")
    assert last["naoshi.confirm.choices"] == [2]
    assert last["naoshi.confirm.ask_count"] == 1
    assert "秘密" not in str(span.events)
    confirmations.receive("c", "1")
    assert len(span.events) == 3


def test_a_span_that_fails_changes_nothing() -> None:
    """Protects a decision from a fault of the tracing."""

    class Broken(KeptSpan):
        def add_event(self, name: str, attributes: Any = None, timestamp: int | None = None) -> None:
            raise RuntimeError("the exporter is gone")

    confirmations = Confirmations(MemoryStore(), clock=Clock())
    with trace.use_span(Broken()):
        confirmations.ask("c", "登録しますか？", ["登録する", "やめる"])
        assert confirmations.receive("c", "1").choice == 1
