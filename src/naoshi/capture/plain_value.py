"""Any value of an agent's as plain JSON: tracing must never be what breaks a run."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, is_dataclass
from datetime import date
from enum import Enum
from typing import Final, cast

from naoshi.capture.redaction import Json

MOST_LEVELS: Final = 60
"""How deep lists and objects may lie in each other; what is deeper is kept as text."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_MOST_BITS = 10_000


def plain(value: object, *, levels: int = MOST_LEVELS) -> Json:
    """Return *value* as JSON can say it; what it cannot say is kept as text. Never raises."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return clean_text(value.value if isinstance(value, Enum) else value)
    if isinstance(value, int):
        return int(value) if value.bit_length() <= _MOST_BITS else hex(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if levels <= 0:
        return as_words(value)
    try:
        return _plain_compound(value, levels - 1)
    except Exception:  # noqa: BLE001 - a property or iterator of the agent's own may raise anything
        return as_words(value)


def clean_text(text: str) -> str:
    """Return *text* without lone surrogates, which no UTF-8 file can hold; each becomes U+FFFD."""
    return _SURROGATE.sub("\ufffd", text)


def json_text(value: Json) -> str:
    """Return *value* as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def as_words(value: object) -> str:
    """Return what *value* says of itself, or its type where it fails to."""
    try:
        return clean_text(str(value))
    except Exception:  # noqa: BLE001 - `__str__` is the agent's own
        return f"<{type(value).__name__}>"


def _plain_compound(value: object, levels: int) -> Json:
    if isinstance(value, Mapping):
        items = cast("Mapping[object, object]", value)
        return {as_words(key): plain(item, levels=levels) for key, item in items.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item, levels=levels) for item in cast("Iterable[object]", value)]
    if isinstance(value, Enum):
        return plain(value.value, levels=levels)
    if isinstance(value, date):
        return value.isoformat()
    if is_dataclass(value) and not isinstance(value, type):
        return plain(asdict(value), levels=levels)
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return plain(dump(mode="json"), levels=levels)
    return as_words(value)
