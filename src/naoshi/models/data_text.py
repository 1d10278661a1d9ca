"""Text of strangers inside a prompt: one line of JSON between two lines with a mark, which nothing in it can end."""

import hashlib
import json
import re

from pydantic import JsonValue

_MARK_LENGTH = 16
# Letters that are invisible, that end a line for some programs, or that change the direction of text.
_UNSEEN = re.compile(
    "[\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e0fff]+"
)
# Outside strings JSON never has these pairs, so that only text is touched.
_OPENED = re.compile(r"\[(?=/?[A-Z|~])|\{(?=[{%#])|[<>]")


def as_data(value: JsonValue) -> str:
    """Return *value* as one line of JSON that is read as text wherever it goes.

    Besides what JSON escapes, angle brackets, the beginnings of templates and of the control words of chat formats, and
    invisible letters are written as escapes: in a string they mean the same, and no template, no tag and no tokeniser
    takes them for its own.

    Raises:
        ValueError: a number in it is NaN or infinite.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    text = _OPENED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return _UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text)


def mark_for(line: str, *, seed: str, length: int = _MARK_LENGTH) -> str:
    """Return a mark that does not stand in *line*; it hangs on all of that, so that nobody knows it beforehand."""
    number = 0
    while True:
        material = f"{seed}\n{number}\n{line}".encode("utf-8", "surrogatepass")
        mark = hashlib.sha256(material).hexdigest()[:length]
        if mark not in line:
            return mark
        number += 1
