"""JavaScript's regular expressions (without flags) on the `regex` package, with a limit on time.

What both read alike is passed on, what they read differently is translated, and what one of them lacks is refused.
"""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from naoshi.errors import SuiteError
from naoshi.evals.javascript import WHITE_SPACE

if TYPE_CHECKING:
    import regex

TIME_LIMIT_SECONDS = 1.0
_LONGEST_PATTERN = 10_000
_LARGEST_EXPANSION = 20_000
_DEEPEST_GROUP = 100

_BEYOND = re.compile("[\U00010000-\U0010ffff]")
_ESCAPE = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[1-9]\d?|k<\w+>|0(?!\d)|[dDwWsSbBtnrvf]|[^\w\s])")
_REPEAT = re.compile(r"(?:[*+?]|\{(\d+)(?:,(\d*))?\})\??")
_GROUP = re.compile(r"\((?:\?(?::|=|!|<=|<!|<[A-Za-z_]\w*>))?")
# The usual ways to say "any character at all", which JavaScript has no flag-free dot for.
_ANYTHING = re.compile(r"\[(?:\\s\\S|\\S\\s|\^)\]")
_IN_PLACE = {".": r"[^\n\r\u2028\u2029]", "$": r"\Z", "{": r"\{", "}": r"\}", "]": r"\]"}
_SPACE_ESCAPES = {r"\s": f"[{WHITE_SPACE}]", r"\S": f"[^{WHITE_SPACE}]"}


class PatternTimeoutError(Exception):
    """The pattern did not come to an end in time on this text."""


def found_in(pattern: str, text: str, *, seconds: float = TIME_LIMIT_SECONDS, by_code_point: bool = False) -> bool:
    """Return whether JavaScript's ``new RegExp(pattern).test(text)`` is true.

    JavaScript sees an emoji as two characters, unless ``by_code_point``, which is its flag ``u``.

    Raises:
        SuiteError: the pattern is invalid or outside what we read.
        PatternTimeoutError: it takes longer than *seconds*.
    """
    try:
        if not by_code_point:
            pattern, text = _in_units(pattern), _in_units(text)
        return _compiled(pattern).search(text, timeout=seconds) is not None
    except TimeoutError as error:
        raise PatternTimeoutError(f"the pattern took longer than {seconds:g} s") from error


def check_pattern(pattern: str) -> None:
    """Check that *pattern* can be read.

    Raises:
        SuiteError: it is invalid or outside what we read.
    """
    _compiled(pattern)


def _in_units(text: str) -> str:
    """Return *text* with each character outside the first plane as its two UTF-16 halves."""
    return _BEYOND.sub(_halves, text)


def _halves(found: re.Match[str]) -> str:
    high, low = divmod(ord(found[0]) - 0x10000, 0x400)
    return chr(0xD800 + high) + chr(0xDC00 + low)


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> "regex.Pattern[str]":
    if len(pattern) > _LONGEST_PATTERN:
        raise SuiteError(f"a regex of {len(pattern)} characters is too long (at most {_LONGEST_PATTERN})")
    translated = _translated(pattern)
    # Slow to load, and many suites have no pattern.
    import regex

    try:
        return regex.compile(translated, regex.ASCII | regex.VERSION0)
    except (regex.error, OverflowError, RecursionError, MemoryError) as error:
        raise SuiteError(f"the regex {pattern[:200]!r} is invalid: {error}") from error


def _translated(pattern: str) -> str:
    place, after_atom, parts = 0, False, list[str]()
    while place < len(pattern):
        if pattern[place] == "[":
            part, place = _class(pattern, place)
            after_atom = True
        elif after_atom and (repeat := _REPEAT.match(pattern, place)):
            part, place, after_atom = repeat[0], repeat.end(), False
        else:
            part, place, after_atom = _atom(pattern, place)
        parts.append(part)
    _check_size(pattern, parts)
    return "".join(parts)


def _check_size(pattern: str, parts: list[str]) -> None:
    """Refuse what would be huge once its counted repeats are written out, as compiling it does."""
    sizes, last = [0], 0
    for part in parts:
        if part.startswith("(") and not part.endswith(")"):
            sizes.append(0)
            continue
        if part == ")" and len(sizes) > 1:
            last = sizes.pop()
        elif (repeat := _REPEAT.fullmatch(part)) and repeat[1]:
            last *= max(int(repeat[2] or repeat[1]) - 1, 0)
        else:
            last = 1
        sizes[-1] += last
        if sum(sizes) > _LARGEST_EXPANSION or len(sizes) > _DEEPEST_GROUP:
            raise SuiteError(f"the regex {pattern[:200]!r} is too large once its repeats are written out")


def _atom(pattern: str, place: int) -> tuple[str, int, bool]:
    """Return the translation of what stands at *place*, where it ends, and whether it may be repeated."""
    character = pattern[place]
    if character == "\\":
        written = _escape(pattern, place)
        return _translated_escape(written), place + len(written), written not in (r"\b", r"\B")
    if character == "(":
        group = _GROUP.match(pattern, place)
        if group is None or pattern.startswith("?", group.end()):
            raise _refused(pattern, place)
        return group[0], group.end(), False
    if character in "*+?" or (character == "{" and _REPEAT.match(pattern, place)):
        raise _refused(pattern, place)
    return _IN_PLACE.get(character, character), place + 1, character not in "^$|"


def _translated_escape(written: str) -> str:
    if written[1] in "123456789":
        # JavaScript lets a reference to a group that took no part match the empty text.
        return f"(?({written[1:]}){written})"
    if written.startswith(r"\k"):
        return f"(?({written[3:-1]})(?P={written[3:-1]}))"
    return _SPACE_ESCAPES.get(written, written)


def _class(pattern: str, start: int) -> tuple[str, int]:
    if whole := _ANYTHING.match(pattern, start):
        return r"[\s\S]", whole.end()
    place, parts = start + 1, ["["]
    if pattern.startswith("^", place):
        parts.append("^")
        place += 1
    if pattern.startswith("]", place):
        raise _refused(pattern, start)
    while place < len(pattern):
        character = pattern[place]
        if character == "]":
            return "".join(parts) + "]", place + 1
        if character == "\\":
            part = _escape(pattern, place, in_class=True)
            place += len(part)
            parts.append(WHITE_SPACE if part == r"\s" else part)
        else:
            parts.append(rf"\{character}" if character in "[&~|" else character)
            place += 1
    raise _refused(pattern, start)


def _escape(pattern: str, place: int, *, in_class: bool = False) -> str:
    found = _ESCAPE.match(pattern, place)
    not_in_class = (r"\S", r"\B", r"\k")
    if found is None or (in_class and (found[0].startswith(not_in_class) or found[0][1] in "123456789")):
        raise _refused(pattern, place)
    return found[0]


def _refused(pattern: str, place: int) -> SuiteError:
    return SuiteError(
        f"the regex {pattern[:200]!r} is outside what we read, at {pattern[place : place + 20]!r}",
        hint="docs/evals.md lists what a regex may hold",
    )
