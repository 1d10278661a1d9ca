"""JSON as JavaScript parses and compares it."""

import json
from typing import NoReturn

from pydantic import JsonValue

_LONGEST_FAULT = 120


def parse_json(text: str) -> tuple[JsonValue, str | None]:
    """Return what *text* holds and None, or None and why it is not JSON."""
    try:
        return json.loads(text, parse_constant=_refuse_constant), None
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


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
