"""JSON as JavaScript parses and compares it."""

import json
import math
import re
from typing import Any, NoReturn, cast

from pydantic import JsonValue

_LONGEST_FAULT = 120
_LONG = re.compile(r"\d{309}")


def parse_json(text: str) -> tuple[JsonValue, str | None]:
    """Return what *text* holds and None, or None and why it is not JSON. What no float holds is infinite, as there."""
    try:
        return (_OF_LONG_NUMBERS if _LONG.search(text) else _DECODER).decode(text), None
    except (ValueError, RecursionError) as error:
        return None, f"not JSON ({str(error)[:_LONGEST_FAULT]})"


def same_json(left: JsonValue, right: JsonValue) -> bool:
    """Return whether the two are equal; numbers by value, true and 1 apart."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_json(item, right[key]) for key, item in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same_json(a, b) for a, b in zip(left, right, strict=True))
    return left == right


def _as_number(digits: str) -> float:
    value = float(digits)
    return int(digits) if math.isfinite(value) else value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
_OF_LONG_NUMBERS = json.JSONDecoder(parse_constant=_refuse_constant, parse_int=cast("Any", _as_number))
