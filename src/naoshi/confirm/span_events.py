"""Events in the traces of an agent that uses OpenTelemetry, without loading it for one that does not."""

import sys

from naoshi.confirm.confirmation_event import ConfirmationEvent

_PREFIX = "naoshi.confirm."


def add_span_event(event: ConfirmationEvent) -> None:
    """Add *event* to the current span, where the program has loaded OpenTelemetry; else do nothing.

    A program that has not loaded it can have no current span.
    """
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return
    span = trace.get_current_span()
    if not span.is_recording():
        return
    facts = event.model_dump(mode="json", exclude={"schema_version", "at", "kind"}, exclude_defaults=True)
    span.add_event(
        f"{_PREFIX}{event.kind}",
        attributes={f"{_PREFIX}{name}": value for name, value in facts.items()},
        timestamp=int(event.at.timestamp() * 1e9),
    )
