"""How an indexed value is kept, so that any text can be a key in any database."""

import hashlib
import re

_UNSAFE = re.compile(r"[\\\x00\ud800-\udfff]")
_MOST_CHARACTERS = 400


def text_key(text: str) -> str:
    """Return a text that stands for *text* and for no other, and that every database can index.

    NUL and lone surrogates are escaped (PostgreSQL keeps no NUL), and a long text ends in its SHA-256, because
    PostgreSQL indexes at most some 2,700 bytes.
    """
    escaped = _UNSAFE.sub(lambda found: f"\\{ord(found.group()):04x}", text)
    if len(escaped) <= _MOST_CHARACTERS:
        return escaped
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{escaped[:_MOST_CHARACTERS]}\\#{digest}"


def index_key(value: str | int | bool | None) -> str | int | None:
    """Return the value of an indexed column: a text key, a number (a truth value is 1 or 0), or None."""
    return text_key(value) if isinstance(value, str) else None if value is None else int(value)
