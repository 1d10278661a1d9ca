"""When two askings are the same question, and when two deliveries are the same message."""

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

from pydantic import JsonValue

from naoshi.confirm.label_numbers import fold_text
from naoshi.records.base import content_hash
from naoshi.records.confirmation import Style

_SPACE = re.compile(r"\s+")
# Between two Latin letters or digits a space divides words and numbers; elsewhere it is only spacing.
_SPACING = re.compile(r"(?<![0-9a-z]) | (?![0-9a-z])", re.ASCII)


@lru_cache(maxsize=512)
def loosely(text: str) -> str:
    """Return *text* with spacing, width, letter case and a final stop or question mark set aside."""
    folded = _SPACE.sub(" ", fold_text(text)).rstrip(" ?.。")
    return _SPACING.sub("", folded)


def question_fingerprint(
    question: str,
    labels: Sequence[str],
    *,
    action: JsonValue = None,
    style: Style = Style.numbers,
    multiple: bool = False,
    yes: int | None = None,
    no: int | None = None,
    guarded: bool = False,
) -> str:
    """Return 32 hexadecimal digits that are equal for the same question.

    Where an action is given, it is what is decided: the question's wording is then set aside, and the action's
    arguments count exactly. The choices always count, in their order, for the numbers are bound to them. A question of
    the guard is never the same as one that anyone else asked.
    """
    subject = {"action": action} if action is not None else {"question": loosely(question)}
    manner = [style.value, multiple, yes, no, *(["guarded"] if guarded else [])]
    return content_hash([subject, [loosely(label) for label in labels], manner])[:32]


def message_mark(message_id: str) -> str:
    """Return 32 hexadecimal digits that stand for the channel's *message_id* in the kept state."""
    return hashlib.sha256(message_id.encode("utf-8", "surrogatepass")).hexdigest()[:32]
