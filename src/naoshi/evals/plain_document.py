"""Tests that come as data (a line of JSON, a row of a table), read as those of a YAML file are."""

import math
from typing import Any, Protocol, cast

from pydantic import JsonValue

from naoshi.errors import SuiteError

_DEEPEST = 64


class Document(Protocol):
    """What a file of tests is read through. A node is a part of it, of a type that only the document knows."""

    name: str

    def line_of(self, node: Any) -> int:
        """Return the line (from 1) at which *node* begins."""
        ...

    def error(self, node: Any, message: str) -> SuiteError:
        """Return the error that says *message* of the place of *node*."""
        ...

    def fields(self, node: Any, what: str) -> dict[str, Any]:
        """Return the entries of the mapping *node*.

        Raises:
            SuiteError: it is no mapping.
        """
        ...

    def items(self, node: Any, what: str) -> list[Any]:
        """Return the items of the list *node*.

        Raises:
            SuiteError: it is no list.
        """
        ...

    def value(self, node: Any) -> JsonValue:
        """Return *node* as plain JSON.

        Raises:
            SuiteError: it is nothing that JSON can say.
        """
        ...


class PlainDocument:
    """A test that is plain JSON already. ``line`` (from 1) is where it stands in the file called ``name``."""

    def __init__(self, *, name: str, line: int = 1) -> None:
        self.name = name
        self.line = line

    def line_of(self, node: Any) -> int:
        """Return this line."""
        return self.line

    def error(self, node: Any, message: str) -> SuiteError:
        """Return the error that says *message* of this line."""
        return SuiteError(f"{self.name}, line {self.line}: {message}")

    def fields(self, node: Any, what: str) -> dict[str, Any]:
        """Return the mapping *node* itself.

        Raises:
            SuiteError: it is no mapping.
        """
        if not isinstance(node, dict):
            raise self.error(node, f"{what} must be a mapping, not {_kind(node)}")
        return cast("dict[str, Any]", node)

    def items(self, node: Any, what: str) -> list[Any]:
        """Return the list *node* itself.

        Raises:
            SuiteError: it is no list.
        """
        if not isinstance(node, list):
            raise self.error(node, f"{what} must be a list, not {_kind(node)}")
        return cast("list[Any]", node)

    def value(self, node: Any) -> JsonValue:
        """Return *node*.

        Raises:
            SuiteError: it is nested too deeply, or holds a number that no float holds.
        """
        if isinstance(node, dict | list) and _is_deeper(cast("Any", node), _DEEPEST):
            raise self.error(node, f"nested deeper than {_DEEPEST} levels")
        if not _is_held(node):
            raise self.error(node, "a number lies beyond what a float holds")
        return cast("JsonValue", node)


def _is_deeper(value: Any, levels: int) -> bool:
    if isinstance(value, dict):
        inner = list(cast("dict[str, Any]", value).values())
    elif isinstance(value, list):
        inner = cast("list[Any]", value)
    else:
        return False
    return levels == 0 or any(_is_deeper(item, levels - 1) for item in inner)


def _is_held(value: Any) -> bool:
    """Return whether every number in *value* is one that a float holds."""
    if isinstance(value, dict):
        return all(map(_is_held, cast("dict[str, Any]", value).values()))
    if isinstance(value, list):
        return all(map(_is_held, cast("list[Any]", value)))
    try:
        return not isinstance(value, int | float) or math.isfinite(value)
    except OverflowError:
        return False


def _kind(node: object) -> str:
    if isinstance(node, dict):
        return "a mapping"
    if isinstance(node, list):
        return "a list"
    return "nothing" if node is None else f"{str(node)[:60]!r}"
