"""Text of strangers inside our Markdown: it can be read, and it cannot change the layout."""

import json
import re

from pydantic import JsonValue

_SHOWN = 160
# Markup, fences, what cannot be seen, and characters that turn the direction of reading.
_UNSAFE = re.compile("[<>&`\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def safe_json(value: JsonValue) -> str:
    """Return *value* as one line of JSON that holds no ``<``, ``>``, ``&``, back quote, or unseen character as such.

    Raises:
        ValueError: a number is NaN or infinite.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def quoted(value: JsonValue, *, limit: int = _SHOWN) -> str:
    """Return *value* as JSON in a code span, on one line, cut at *limit* characters."""
    text = safe_json(value)
    return f"`{text}`" if len(text) <= limit else f"`{text[:limit]}` … ({len(text) - limit} more characters)"


def flat(text: str, *, limit: int = 2000) -> str:
    """Return *text* as one line of plain prose: no markup, no line break, cut at *limit* characters."""
    line = " ".join(text.split())
    line = line if len(line) <= limit else line[:limit] + " …"
    return _UNSAFE.sub(_entity, line)


def _entity(found: re.Match[str]) -> str:
    named = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "`": "&#96;"}
    return named.get(found[0], f"\\u{ord(found[0]):04x}")
