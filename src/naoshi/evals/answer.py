"""What the agent said to one request, checked as the hostile text that it is."""

import json
import math
import re
from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn, cast

from pydantic import JsonValue

from naoshi.errors import AgentProtocolError

_DEEPEST = 100
_SHOWN = 120
_SURROGATE = re.compile("[\ud800-\udfff]")


class Answer(NamedTuple):
    """The agent's answer to one request, or why there is none (``error``, in words).

    ``latency_ms`` is milliseconds from request to answer, ``cost`` US dollars where the agent says it. ``artifacts``
    and ``spans`` are as the agent gave them.
    """

    case_id: str
    vars: dict[str, JsonValue]
    started_at: datetime
    ended_at: datetime
    latency_ms: float
    output: JsonValue = None
    artifacts: Mapping[str, JsonValue] = MappingProxyType({})
    spans: tuple[dict[str, JsonValue], ...] = ()
    cost: float | None = None
    error: str | None = None


class AnswerLine(NamedTuple):
    """The parts of one well-formed answer line. ``error`` is what the agent itself says went wrong."""

    output: JsonValue
    artifacts: dict[str, JsonValue]
    spans: tuple[dict[str, JsonValue], ...]
    error: str | None
    cost: float | None = None


def read_answer(line: bytes, case_id: str) -> AnswerLine:
    """Return the parts of *line*, the answer to the request for *case_id*.

    Raises:
        AgentProtocolError: it is not one JSON object with that ``case_id`` and an ``output``.
    """
    fields = _object(line)
    if fields.get("case_id") != case_id:
        raise AgentProtocolError(f"the answer is for case_id {_shown(fields.get('case_id'))}, asked was {case_id!r}")
    error = fields.get("error")
    if error is None and "output" not in fields:
        raise AgentProtocolError("the answer has no `output`")
    artifacts: Any = fields.get("artifacts") or {}
    spans: Any = fields.get("spans") or []
    if not isinstance(artifacts, dict):
        raise AgentProtocolError("`artifacts` is not an object")
    if not isinstance(spans, list) or not all(isinstance(span, dict) for span in cast("list[Any]", spans)):
        raise AgentProtocolError("`spans` is not a list of objects")
    return AnswerLine(
        output=fields.get("output"),
        artifacts=cast("dict[str, JsonValue]", artifacts),
        spans=tuple(cast("list[dict[str, JsonValue]]", spans)),
        error=None if error is None else (error if isinstance(error, str) else _shown(error)),
        cost=_cost(fields.get("cost")),
    )


def _cost(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not (math.isfinite(value) and value >= 0):
        raise AgentProtocolError(f"`cost` is {_shown(value)}, no number of at least 0")
    return float(value)


def _object(line: bytes) -> dict[str, Any]:
    try:
        text = line.decode("utf-8")
        value: Any = (_CAREFUL if _MAY_BE_BEYOND.search(text) else _DECODER).decode(text)
    except UnicodeDecodeError as error:
        raise AgentProtocolError(f"the answer is not UTF-8 text: {_shown(line.decode('utf-8', 'replace'))}") from error
    except (ValueError, RecursionError) as error:
        raise AgentProtocolError(f"the answer is not JSON: {_shown(line.decode('utf-8', 'replace'))}") from error
    except OverflowError as error:
        raise AgentProtocolError(str(error)) from error
    if not isinstance(value, dict):
        raise AgentProtocolError(f"the answer is not a JSON object: {_shown(value)}")
    # Only an escape can bring in half a character; such text could be stored nowhere.
    mend = "\\u" in text and "\\ud" in text.lower()
    if not mend and text.count("{") + text.count("[") <= _DEEPEST:
        return cast("dict[str, Any]", value)
    return cast("dict[str, Any]", _whole(value, mend=mend))


def _whole(value: Any, *, mend: bool, depth: int = 0) -> Any:
    """Return *value* with half characters replaced, and refuse what is nested beyond measure."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value) if mend else value
    if depth > _DEEPEST:
        raise AgentProtocolError(f"the answer is nested deeper than {_DEEPEST} levels")
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value)
        return {_whole(key, mend=mend): _whole(item, mend=mend, depth=depth + 1) for key, item in entries.items()}
    if isinstance(value, list):
        return [_whole(item, mend=mend, depth=depth + 1) for item in cast("list[Any]", value)]
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _held_integer(digits: str) -> int:
    _held_number(digits)
    return int(digits)


def _held_number(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise OverflowError(f"the answer holds a number that is beyond what a float holds: {_shown(digits)}")
    return value


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_CAREFUL = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=_held_integer, parse_float=_held_number)
_MAY_BE_BEYOND = re.compile(r"\d{309}|\d[eE]\+?\d\d")


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return repr(text[:_SHOWN])
