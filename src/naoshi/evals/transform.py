r"""The JavaScript expressions that we can evaluate ourselves: a closed grammar, anything else is refused.

An expression is ``output`` and any number of these: ``.name``, ``["name"]``, ``[0]``, ``.toUpperCase()``,
``.toLowerCase()``, ``.trim()``, ``.replace(/[^\p{L}\p{N}]/gu, '')`` (only letters and digits),
``.replace(/\s+/g, ' ')`` (runs of white space become one space).
"""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from pydantic import JsonValue

from naoshi.errors import SuiteError
from naoshi.evals.javascript import WHITE_SPACE, number_text, trimmed
from naoshi.records.text_comparison import Comparison

_NAME = re.compile(r"\.\s*([A-Za-z_$][\w$]*)(?!\s*\(|[\w$])")
_KEY = re.compile(r"""\[\s*("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')\s*\]""")
_INDEX = re.compile(r"\[\s*(\d{1,9})\s*\]")
_SPACES = re.compile(f"[{WHITE_SPACE}]+")


def _letters_and_digits(text: str) -> str:
    if text.isascii():
        return "".join(filter(str.isalnum, text))
    # `re` knows no categories of characters, and few outputs need them.
    import regex

    return regex.sub(r"[^\p{L}\p{N}]", "", text)


_TextStep = Callable[[str], str]
_TEXT_STEPS: tuple[tuple[re.Pattern[str], _TextStep], ...] = (
    (
        re.compile(r"""\.replace\(\s*/\[\^\\p\{L\}\\p\{N\}\]/(?:gu|ug)\s*,\s*(?:''|"")\s*\)"""),
        _letters_and_digits,
    ),
    (re.compile(r"""\.replace\(\s*/\\s\+/gu?\s*,\s*(?:' '|" ")\s*\)"""), lambda text: _SPACES.sub(" ", text)),
    (re.compile(r"\.toUpperCase\(\s*\)"), str.upper),
    (re.compile(r"\.toLowerCase\(\s*\)"), str.lower),
    (re.compile(r"\.trim\(\s*\)"), trimmed),
)
_PLAIN_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")
_OF_COMPARISON = {
    Comparison.exact: "",
    Comparison.spacing: r".replace(/\s+/g, ' ').trim()",
    Comparison.letters_and_digits: r".replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()",
}


_NOTHING: Any = object()


class MissingValueError(Exception):
    """The output does not have what a transform picks; an ordinary failure of the case, told in words."""


class _Step(NamedTuple):
    """One step of an expression: a member to pick, or a change of text."""

    written: str
    member: str | int | None = None
    change: _TextStep | None = None


def compile_transform(expression: str) -> "Transform":
    """Return *expression* ready to be applied.

    Raises:
        SuiteError: it is outside the grammar; the message names the expression.
    """
    return _compiled(expression)


class Transform(NamedTuple):
    """A checked expression over the output of a case."""

    expression: str
    steps: tuple[_Step, ...]

    def __call__(self, output: JsonValue) -> JsonValue:
        """Return what the expression makes of *output*.

        Raises:
            MissingValueError: something that it picks is not there, or is not text where text is needed.
        """
        value = output
        for place, step in enumerate(self.steps):
            before = value
            if step.change is None:
                value = _member_of(before, step)
            else:
                value = step.change(before) if isinstance(before, str) else _NOTHING
            if value is _NOTHING:
                raise MissingValueError(self._fault(place, before))
        return value

    def _fault(self, place: int, value: JsonValue) -> str:
        """Say why the step at *place* makes nothing of *value*."""
        step = self.steps[place]
        seen = "output" + "".join(earlier.written for earlier in self.steps[:place])
        if step.change is not None:
            return f"{seen} is {_kind(value)}, not text"
        what = "is missing" if isinstance(value, dict | list) else f"cannot be read: {seen} is {_kind(value)}"
        return f"{seen}{step.written} {what}"


def field_transform(path: tuple[str, ...], comparison: Comparison) -> str | None:
    """Return the expression that picks the field at *path* of the output and brings it to its comparable form.

    None where the output itself is compared as it is.
    """
    picked = "".join(f".{name}" if _PLAIN_NAME.match(name) else f"[{json.dumps(name)}]" for name in path)
    expression = f"output{picked}{_OF_COMPARISON[comparison]}"
    return None if expression == "output" else expression


def joined_transform(outer: str | None, inner: str | None) -> str | None:
    """Return the expression that applies *inner* to what *outer* makes of the output; either may be None.

    Raises:
        SuiteError: one of them is outside the grammar.
    """
    if outer is None or inner is None:
        return outer or inner
    compile_transform(outer)
    compile_transform(inner)
    return outer.strip() + inner.strip().removeprefix("output")


@lru_cache(maxsize=4096)
def _compiled(expression: str) -> Transform:
    text = expression.strip()
    if not re.match(r"output(?![\w$])", text):
        raise _refused(expression)
    place, steps = len("output"), list[_Step]()
    while place < len(text):
        step, place = _next_step(expression, text, place)
        steps.append(step)
    return Transform(expression=expression, steps=tuple(steps))


def _next_step(expression: str, text: str, place: int) -> tuple[_Step, int]:
    for pattern, change in _TEXT_STEPS:
        if found := pattern.match(text, place):
            return _Step(written=found[0], change=change), found.end()
    if found := _NAME.match(text, place):
        return _Step(written=found[0], member=found[1]), found.end()
    if found := _KEY.match(text, place):
        return _Step(written=found[0], member=_key_text(expression, found[1])), found.end()
    if found := _INDEX.match(text, place):
        return _Step(written=found[0], member=int(found[1])), found.end()
    raise _refused(expression)


def _key_text(expression: str, literal: str) -> str:
    inner = literal[1:-1]
    if literal[0] == "'":
        inner = inner.replace("\\'", "'").replace('"', '\\"')
    try:
        return str(json.loads(f'"{inner}"'))
    except ValueError as error:
        raise _refused(expression) from error


def _refused(expression: str) -> SuiteError:
    return SuiteError(
        f"the transform {expression[:200]!r} is outside what we evaluate",
        hint="docs/evals.md lists the expressions that a transform may hold",
    )


def _member_of(value: JsonValue, step: _Step) -> JsonValue:
    """Return the member of *value* that *step* picks, or `_NOTHING`."""
    key = step.member
    if isinstance(value, dict):
        name = number_text(key) if isinstance(key, int) else str(key)
        if name in value:
            return value[name]
    elif isinstance(value, list) and isinstance(key, int) and key < len(value):
        return value[key]
    return _NOTHING


def _kind(value: JsonValue) -> str:
    if value is None:
        return "null"
    kinds = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return kinds[type(value)]
