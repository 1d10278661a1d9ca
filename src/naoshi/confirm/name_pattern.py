"""Patterns of names and texts, with ``*`` and ``?``, always held against the whole."""

import re
from functools import lru_cache

# What a shell, a path or a line reader may take for more than a word. A star that lets an action pass unasked does
# not cover these: with `git status *` allowed, `git status; rm -r .` is still asked about.
_PLAIN = r"[^;&|`$<>(){}\[\]\\!\"'#\x00-\x1f\x7f\x85\u2028\u2029]"
_ANY = r"[\s\S]"


def fits(text: str, pattern: str, *, narrow: bool) -> bool:
    """Return whether all of *text* is covered by *pattern*; letter case counts.

    Args:
        text: the text.
        pattern: ``*`` stands for any run of characters, ``?`` for one, all else for itself.
        narrow: whether the two stand for harmless characters alone, and not for a step up in a path (``..``).
    """
    if _compiled(pattern, narrow).fullmatch(text) is None:
        return False
    return not narrow or text == pattern or ".." not in re.split(r"[/\s=:]", text)


def is_pattern(text: str) -> bool:
    """Return whether *text* holds ``*`` or ``?``."""
    return "*" in text or "?" in text


def covers(wide: str, other: str) -> bool:
    """Return whether every text that fits the pattern *other* surely fits *wide*."""
    wanted = "".join(_ANY + "*" if mark == "*" else "[^*]" if mark == "?" else re.escape(mark) for mark in wide)
    return re.fullmatch(wanted, other) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str, narrow: bool) -> re.Pattern[str]:
    """Return the pattern as an expression whose time is bounded by the product of both lengths.

    Each part between two stars is taken at its first place and held (an atomic group), which loses no match: whatever
    lies between that place and a later one is covered by the next star just as well.
    """
    one = _PLAIN if narrow else _ANY
    first, *parts = [_part(part, one) for part in pattern.split("*")]
    if not parts:
        return re.compile(first)
    middle = "".join(f"(?>{one}*?{part})" for part in parts[:-1] if part)
    return re.compile(f"{first}{middle}{one}*{parts[-1]}")


def _part(text: str, one: str) -> str:
    return "".join(one if mark == "?" else re.escape(mark) for mark in text)
