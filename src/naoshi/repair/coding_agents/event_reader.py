"""Reading what a coding agent tells of itself, line by line, whatever its format."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

from naoshi.errors import CodingAgentError
from naoshi.repair.coding_agents.base import AgentEvent, EventKind

OUTPUT_CHARACTERS = 20_000
"""As much of a text or output is kept with an event."""


class EventReader(Protocol):
    """Reads one run. ``tokens`` counts so far; ``error`` is what went wrong, known for good once the program ended."""

    tokens: int
    error: CodingAgentError | None

    def read(self, line: str) -> None:
        """Take *line* in. One that is no event is passed over."""
        ...


class EventLog:
    """The events of a run in order, each told on when it comes. ``clock`` returns seconds since the start.

    What is one of ``secrets`` is masked wherever it stands.
    """

    def __init__(
        self, *, tell: Callable[[AgentEvent], None], clock: Callable[[], float], secrets: Sequence[str] = ()
    ) -> None:
        self.events: list[AgentEvent] = []
        self._secrets = tuple(secrets)
        self._tell = tell
        self._clock = clock

    def add(self, kind: EventKind, text: str, *, output: str = "", status: int | None = None) -> None:
        """Keep an event and tell it on."""
        event = AgentEvent(
            kind=kind,
            text=self.masked(text)[:OUTPUT_CHARACTERS],
            output=self.masked(output)[:OUTPUT_CHARACTERS],
            status=status,
            seconds=round(self._clock(), 3),
        )
        self.events.append(event)
        self._tell(event)

    def masked(self, text: str) -> str:
        """Return *text* without the secrets."""
        for secret in self._secrets:
            text = text.replace(secret, "[redacted]")
        return text

    def has(self, *kinds: EventKind) -> bool:
        """Return whether there is an event of one of *kinds*."""
        return any(event.kind in kinds for event in self.events)


def as_object(value: Any) -> dict[str, Any]:
    """Return *value* if it is a JSON object, else an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def as_objects(value: Any) -> list[dict[str, Any]]:
    """Return the JSON objects in the list *value*; nothing when it is no list."""
    return [as_object(item) for item in cast("list[Any]", value)] if isinstance(value, list) else []


def as_text(value: Any) -> str:
    """Return *value* if it is a text, the text parts of a list of parts, else nothing."""
    if isinstance(value, str):
        return value
    return "\n".join(str(part.get("text", "")) for part in as_objects(value) if part.get("text"))


def as_count(value: Any) -> int:
    """Return *value* if it is a whole number that is not negative, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def event_of(line: str) -> dict[str, Any]:
    """Return the JSON object on *line*, an empty one where there is none."""
    try:
        return as_object(json.loads(line))
    except (ValueError, RecursionError):
        return {}
