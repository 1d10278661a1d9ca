"""A request that the scripted server got."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Wire = Literal["responses", "messages", "chat", "other"]

_ENDS: tuple[tuple[str, Wire], ...] = (
    ("/responses", "responses"),
    ("/messages", "messages"),
    ("/chat/completions", "chat"),
)


@dataclass(frozen=True, kw_only=True)
class Request:
    """One request: where it went, its headers (names in lower case) and its JSON body ({} when it has none)."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def wire(self) -> Wire:
        """The wire format, by the end of the path; ``other`` for what asks no model (a list of models, a ping)."""
        path = self.path.partition("?")[0].rstrip("/")
        if self.method != "POST":
            return "other"
        return next((wire for end, wire in _ENDS if path.endswith(end)), "other")

    @property
    def streamed(self) -> bool:
        """Whether the answer is to come as server-sent events."""
        return self.body.get("stream") is True

    @property
    def model(self) -> str:
        """The model that is asked."""
        return str(self.body.get("model", ""))

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the tools that the program offers."""
        named = (tool.get("name") or tool.get("function", {}).get("name") for tool in self.body.get("tools") or ())
        return tuple(name for name in named if name)

    @property
    def text(self) -> str:
        """All text of the conversation: instructions, messages and what tools gave back, in order."""
        keys = ("instructions", "system", "input", "messages")
        return "\n".join(piece for key in keys for piece in _texts(self.body.get(key)))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for key in ("text", "content", "output", "input", "arguments", "system"):
            yield from _texts(value.get(key))
