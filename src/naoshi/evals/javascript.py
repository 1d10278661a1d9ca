"""What JavaScript makes of a value, where Promptfoo's results depend on it."""

import json
import math
import re
from decimal import Decimal

from pydantic import JsonValue

WHITE_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_ENDS = re.compile(f"^[{WHITE_SPACE}]+|[{WHITE_SPACE}]+\\Z")
_EXPONENT = re.compile(r"e([+-])0*(\d)")
_LARGEST_PLAIN = 1e21
_SMALLEST_PLAIN = 1e-6


def as_output_text(value: JsonValue) -> str:
    """Return *value* as Promptfoo's string assertions see it: text as it is, anything else as compact JSON."""
    return value if isinstance(value, str) else _json_text(value)


def as_compact_json(value: JsonValue) -> str:
    """Return *value* as JavaScript's ``JSON.stringify(value)``."""
    return _json_text(value)


def trimmed(text: str) -> str:
    """Return *text* as JavaScript's ``text.trim()``."""
    return _ENDS.sub("", text)


def number_text(value: float) -> str:
    """Return *value* as JavaScript's ``String(value)`` (12.0 is ``12``, 1e-07 is ``1e-7``)."""
    if isinstance(value, int):
        return str(value) if abs(value) < _LARGEST_PLAIN else number_text(_as_float(value))
    if not math.isfinite(value):
        return "null"
    if not value:
        return "0"
    if _SMALLEST_PLAIN <= abs(value) < _LARGEST_PLAIN:
        return format(Decimal(repr(value)), "f").removesuffix(".0")
    return _EXPONENT.sub(r"e\1\2", repr(value).replace(".0e", "e"))


def _as_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _json_text(value: JsonValue) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        return number_text(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return "[" + ",".join(_json_text(item) for item in value) + "]"
    return "{" + ",".join(f"{_json_text(key)}:{_json_text(item)}" for key, item in value.items()) + "}"
