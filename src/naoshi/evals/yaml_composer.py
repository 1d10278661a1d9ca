"""YAML as Promptfoo reads it (the core schema of YAML 1.2), hostile input refused, as nodes."""

import math
import re
from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple, cast

import yaml

from naoshi.evals.yaml_nodes import MAP, SEQ, STR, TAG, Node

_DEEPEST = 64
_FREE_NODES = 200_000
_LARGEST_GROWTH = 20

# The C parser is some ten times faster; PyYAML has it wherever it comes as a wheel.
_YAML: Any = yaml
_SCALAR, _SEQUENCE, _MAPPING = yaml.ScalarNode, yaml.SequenceNode, yaml.MappingNode
_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlFault(Exception):
    """The text is no YAML that we read; the message says why. ``line`` is where, from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line


class _Tags(dict[str | None, str]):
    """The tags of plain scalars, each found once: a suite says the same few words again and again."""

    def __missing__(self, value: str | None) -> str:
        tag = self[value] = STR if value is None else _tag_of(value)
        return tag


class CoreLoader(_BASE):
    """PyYAML's safe loader with the plain scalars of YAML 1.2: ``yes``, ``12:30`` and ``2018-03-14`` are text."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}

    def __init__(self, stream: str) -> None:
        super().__init__(stream)  # pyright: ignore[reportUnknownMemberType]
        self._tags = _Tags()

    def resolve(self, kind: type[yaml.Node], value: str | None, implicit: Any) -> str:
        """Return the tag of an untagged node, as PyYAML does but without its paths, which nobody uses here."""
        if kind is _SCALAR:
            return self._tags[value] if implicit[0] else STR
        return MAP if kind is _MAPPING else SEQ

    def descend_resolver(self, parent: yaml.Node | None, index: Any) -> None:
        """Do nothing: PyYAML keeps its paths here."""

    def ascend_resolver(self) -> None:
        """Do nothing: PyYAML keeps its paths here."""


def _tag_of(value: str) -> str:
    for tag, pattern in CoreLoader.yaml_implicit_resolvers.get(value[:1], ()):
        if pattern.match(value):
            return STR if tag in _NUMBERS and _is_beyond(value) else tag
    return STR


def _is_beyond(number: str) -> bool:
    """Return whether *number* is one that no float holds, which Promptfoo leaves as text."""
    try:
        return not math.isfinite(float(int(number, 0) if _BASED.match(number) else float(number)))
    except OverflowError:
        return True


_NUMBERS = frozenset({TAG + "int", TAG + "float"})
_BASED = re.compile(r"[-+]?0[box]")
# As js-yaml has them, which reads the suite in Promptfoo: the core schema, with binary and signed numbers beside.
_PLAIN = (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(?:[0-9]+|0b[01]+|0o[0-7]+|0x[0-9a-fA-F]+)", list("-+0123456789")),
    ("float", r"(?:\.[0-9]+|[-+]?[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", list("-+.0123456789")),
    ("nonfinite", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", list("-+.")),
    ("merge", r"<<", ["<"]),
)
for _name, _pattern, _first in _PLAIN:
    cast("Any", CoreLoader).add_implicit_resolver(TAG + _name, re.compile(f"(?:{_pattern})\\Z"), _first)


def compose(text: str) -> Node:
    """Return the one document in *text*. What aliases stand for is shared, not copied.

    Raises:
        YamlFault: it is no YAML, holds nothing, or is nested or grows by aliases beyond measure.
    """
    try:
        root = cast("yaml.Node | None", _YAML.compose(text.removeprefix("\ufeff"), Loader=CoreLoader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        told = " ".join(f"{error.context or ''} {error.problem or 'not YAML'}".split())
        raise YamlFault(mark.line + 1 if mark else 1, told) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise YamlFault(_line_of_control(text), " ".join(str(error).split())) from error
    if root is None:
        raise YamlFault(1, "the file holds nothing but comments")
    if "*" in text:
        _check_aliases(root, text)
    return _Plain().node(root, 0)


def _line_of_control(text: str) -> int:
    found = re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]", text)
    return text.count("\n", 0, found.start()) + 1 if found else 1


def _line(node: yaml.Node) -> int:
    return cast("int", node.start_mark.line) + 1


def _too_deep(line: int) -> YamlFault:
    return YamlFault(line, f"nested deeper than {_DEEPEST} levels")


class _Plain:
    """Makes plain data of PyYAML's nodes, of each one once."""

    def __init__(self) -> None:
        self._made: dict[int, Node] = {}

    def node(self, node: yaml.Node, depth: int) -> Node:
        """Return *node*, which lies *depth* levels deep.

        Raises:
            YamlFault: something in it lies too deep.
        """
        if node.__class__ is _SCALAR:
            return node.tag, node.value, node.start_mark.line + 1
        made = self._made.get(id(node))
        if made is None:
            if depth > _DEEPEST:
                raise _too_deep(_line(node))
            is_list = node.__class__ is _SEQUENCE
            held = [self.node(item, depth + 1) for item in node.value] if is_list else self._entries(node.value, depth)
            made = self._made[id(node)] = node.tag, held, _line(node)
        return made

    def _entries(
        self, entries: list[tuple[yaml.Node, yaml.Node]], depth: int
    ) -> dict[str, Node] | tuple[tuple[Node, Node], ...]:
        # Nearly all mappings are plain, and there are many of them.
        plain = {
            key.value: self.node(value, depth + 1)
            for key, value in entries
            if key.tag == STR and key.__class__ is _SCALAR
        }
        if len(plain) == len(entries):
            return plain
        return tuple((_key(key), self.node(value, depth + 1)) for key, value in entries)


def _key(node: yaml.Node) -> Node:
    """Return a key. What is nested in one is left out: it is refused wherever keys are read."""
    return node.tag, node.value if node.__class__ is _SCALAR else [], _line(node)


class _Extent(NamedTuple):
    """How many parts a node has, itself included, aliases followed; and how many levels lie below it."""

    parts: int
    levels: int


_OPEN = _Extent(parts=0, levels=0)
_LEAF = _Extent(parts=1, levels=0)


def _check_aliases(root: yaml.Node, text: str) -> None:
    """Refuse aliases that grow or nest beyond measure or lead back into themselves, without following them."""
    parts = _extent(root, {}, 0).parts
    if parts > max(_FREE_NODES, _LARGEST_GROWTH * text.count("\n")):
        raise YamlFault(_line(root), f"its aliases grow to {parts:,} parts")


def _extent(node: yaml.Node, known: dict[int, _Extent], depth: int) -> _Extent:
    if isinstance(node, yaml.ScalarNode):
        return _LEAF
    found = known.get(id(node))
    if found is _OPEN:
        raise YamlFault(_line(node), "an alias leads back into itself")
    if depth + (found.levels if found else 0) > _DEEPEST:
        raise _too_deep(_line(node))
    if found is None:
        known[id(node)] = _OPEN
        below = [_extent(child, known, depth + 1) for child in _children(node)]
        parts, levels = 1 + sum(part.parts for part in below), max((1 + part.levels for part in below), default=0)
        found = known[id(node)] = _Extent(parts=parts, levels=levels)
    return found


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for key, value in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
            yield key
            yield value
    elif isinstance(node, yaml.SequenceNode):
        yield from cast("list[yaml.Node]", node.value)
