"""What a scripted model says, whichever wire format it is asked in."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of a tool. ``name`` must be one that the program offers, ``arguments`` is the JSON object it gets."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One answer of the model: text, then calls of tools. Without calls the program takes its turn for ended.

    ``refusal`` is said in the way that the wire format has for refusing. ``status`` other than 200 makes it an HTTP
    error with ``text`` as its message, ``headers`` go with it. ``delay`` is in seconds before the first byte.
    ``cut`` drops the connection after the first event. ``tokens`` are the input and output tokens that are told.
    """

    text: str = ""
    calls: tuple[Call, ...] = ()
    refusal: str = ""
    status: int = 200
    error_type: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    delay: float = 0.0
    cut: bool = False
    tokens: tuple[int, int] = (100, 20)


def say(text: str, **more: Any) -> Answer:
    """Return an answer that is text alone, so that the program ends its turn."""
    return Answer(text=text, **more)


def use(name: str, **arguments: Any) -> Answer:
    """Return an answer that calls the tool *name* with *arguments*."""
    return Answer(calls=(Call(name=name, arguments=arguments),))


def fail(status: int, message: str = "scripted failure", *, error_type: str = "", **headers: str) -> Answer:
    """Return an HTTP error; underscores in the names of *headers* stand for hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, text=message, error_type=error_type, headers=named)


def refuse(text: str) -> Answer:
    """Return the model's refusal to answer."""
    return Answer(refusal=text)
