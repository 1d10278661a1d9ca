"""A YAML file that is read: what must be a mapping, a list or a value, with file and line in every error."""

import math
import re
from typing import Any, cast

from pydantic import JsonValue

from naoshi.errors import SuiteError
from naoshi.evals.compose_ahead import composed_ahead
from naoshi.evals.javascript import as_output_text
from naoshi.evals.plain_document import PlainDocument
from naoshi.evals.yaml_nodes import (
    LARGEST_BYTES,
    MAP,
    MERGE,
    NULL,
    SEQ,
    STR,
    TAG,
    Node,
    is_list,
    is_node,
    is_scalar,
    kind_of_node,
)

_LONGEST_NUMBER = 4000
_HALVES = re.compile(r"(?<!\\)((?:\\\\)*)\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")


class YamlDocument:
    """One parsed file. ``name`` is what errors call it; every error has it and the line.

    Its methods also take plain JSON, which is told to stand at ``plain_line``.
    """

    def __init__(self, *, name: str, data: bytes) -> None:
        self.name = name
        self.plain_line = 1
        text = self._decoded(data)
        if name.lower().endswith(".json"):
            text = _with_whole_characters(text)
        self.root = composed_ahead(data) or self._composed(text)

    def error(self, node: Any, message: str) -> SuiteError:
        """Return the error that says *message* of the place of *node*."""
        return SuiteError(f"{self.name}, line {self.line_of(node)}: {message}")

    def line_of(self, node: Any) -> int:
        """Return the line (from 1) at which *node* begins."""
        return node[2] if is_node(node) else self.plain_line

    def fields(self, node: Any, what: str) -> dict[str, Any]:
        """Return the entries of the mapping *node*, merge keys resolved; the caller must not change them.

        Raises:
            SuiteError: it is no mapping, or a key stands twice or is no scalar.
        """
        if not is_node(node):
            return PlainDocument(name=self.name, line=self.plain_line).fields(node, what)
        tag, held, _ = node
        # Nearly all mappings are plain, and there are many of them.
        if held.__class__ is dict and tag == MAP:
            return held
        if held.__class__ in (dict, tuple):
            self._check_tag(node, MAP)
        if held.__class__ is tuple:
            return self._odd_fields(held, what)
        raise self.error(node, f"{what} must be a mapping, not {kind_of_node(node)}")

    def _odd_fields(self, entries: tuple[tuple[Node, Node], ...], what: str) -> dict[str, Any]:
        own: dict[str, Node] = {}
        merged: dict[str, Node] = {}
        for key, value in entries:
            if key[0] == MERGE:
                for source in self._merge_sources(value):
                    merged = {**self.fields(source, "what `<<` merges"), **merged}
                continue
            if not is_scalar(key):
                raise self.error(key, f"a key of {what} must be a plain text")
            name = self._key(key)
            if name in own:
                raise self.error(key, f"the key {name[:80]!r} stands twice in {what}")
            own[name] = value
        return {**merged, **own}

    def items(self, node: Any, what: str) -> list[Any]:
        """Return the items of the list *node*; the caller must not change them.

        Raises:
            SuiteError: it is no list.
        """
        if is_list(node):
            self._check_tag(node, SEQ)
            return node[1]
        if not is_node(node):
            return PlainDocument(name=self.name, line=self.plain_line).items(node, what)
        raise self.error(node, f"{what} must be a list, not {kind_of_node(node)}")

    def value(self, node: Any) -> JsonValue:
        """Return *node* as plain JSON.

        Raises:
            SuiteError: it holds what JSON cannot say (a tag, NaN, infinity), or a key twice.
        """
        if not is_node(node):
            return cast("JsonValue", node)
        tag, held, _ = node
        if held.__class__ is str:
            return held if tag == STR else self._scalar(node)
        if held.__class__ is list:
            self._check_tag(node, SEQ)
            return [self.value(item) for item in held]
        self._check_tag(node, MAP)
        return {key: self.value(item) for key, item in self.fields(node, "a mapping").items()}

    def _key(self, node: Node) -> str:
        """Return the name that the key *node* is in JavaScript: ``0x10`` is "16"."""
        value = self._scalar(node)
        return value if isinstance(value, str) else as_output_text(value)

    def _scalar(self, node: Node) -> JsonValue:
        tag, text, _ = node
        if tag in (STR, MERGE):
            return text
        if tag == NULL:
            return None
        kind = tag.removeprefix(TAG)
        try:
            if kind == "bool":
                return {"true": True, "false": False}[text.lower()]
            if kind == "int" and len(text) < _LONGEST_NUMBER:
                return int(text, 0) if text.lstrip("+-")[:2] in ("0b", "0o", "0x") else int(text)
            if kind == "float" and math.isfinite(float(text)):
                return float(text)
        except (ValueError, KeyError) as error:
            raise self.error(node, f"{text[:80]!r} is not a {kind}") from error
        raise self.error(node, f"{text[:80]!r} ({tag[:80]}) has no place in JSON")

    def _check_tag(self, node: Node, expected: str) -> None:
        if node[0] != expected:
            raise self.error(node, f"the tag {node[0][:80]!r} is not supported")

    def _merge_sources(self, node: Node) -> list[Node]:
        return list(reversed(self.items(node, "`<<`"))) if is_list(node) else [node]

    def _decoded(self, data: bytes) -> str:
        if len(data) > LARGEST_BYTES:
            raise SuiteError(f"{self.name} has {len(data)} bytes, more than {LARGEST_BYTES}")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise SuiteError(f"{self.name}, line {line}: not UTF-8 text") from error
        if not text.strip("\ufeff \t\r\n"):
            raise SuiteError(f"{self.name}, line 1: the file is empty")
        return text

    def _composed(self, text: str) -> Node:
        # Where another process has composed the suite, what does that need not be loaded.
        from naoshi.evals.yaml_composer import YamlFault, compose

        try:
            return compose(text)
        except YamlFault as fault:
            raise SuiteError(f"{self.name}, line {fault.line}: {fault}") from fault


def _with_whole_characters(text: str) -> str:
    """Return the JSON *text* with each character that JSON escapes as two halves escaped as one, as YAML wants it."""
    return _HALVES.sub(_joined, text) if "\\u" in text else text


def _joined(found: re.Match[str]) -> str:
    high, low = int(found[2], 16), int(found[3], 16)
    return f"{found[1]}\\U{0x10000 + ((high - 0xD800) << 10) + low - 0xDC00:08x}"
