"""YAML as Promptfoo reads it (the core schema of YAML 1.2), with the line of every part and hostile input refused."""

import re
from collections.abc import Iterator
from typing import Any, ClassVar, TypeGuard, cast

import yaml
from pydantic import JsonValue

from naoshi.errors import SuiteError
from naoshi.evals.plain_document import PlainDocument

_TAG = "tag:yaml.org,2002:"
_MAP, _SEQ, _STR, _MERGE = _TAG + "map", _TAG + "seq", _TAG + "str", _TAG + "merge"
_NULL = _TAG + "null"
_LARGEST_BYTES = 64 * 1024 * 1024
_DEEPEST = 64
_FREE_NODES = 200_000
_LARGEST_GROWTH = 20
_LONGEST_NUMBER = 4000

# The C parser is some ten times faster; PyYAML has it wherever it comes as a wheel.
_YAML: Any = yaml
_SCALAR, _SEQUENCE, _MAPPING = yaml.ScalarNode, yaml.SequenceNode, yaml.MappingNode
_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Tags(dict[str | None, str]):
    """The tags of plain scalars, each found once: a suite says the same few words again and again."""

    def __missing__(self, value: str | None) -> str:
        tag = self[value] = _STR if value is None else _tag_of(value)
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
            return self._tags[value] if implicit[0] else _STR
        return _MAP if kind is _MAPPING else _SEQ

    def descend_resolver(self, parent: yaml.Node | None, index: Any) -> None:
        """Do nothing: PyYAML keeps its paths here."""

    def ascend_resolver(self) -> None:
        """Do nothing: PyYAML keeps its paths here."""


def _tag_of(value: str) -> str:
    for tag, pattern in CoreLoader.yaml_implicit_resolvers.get(value[:1], ()):
        if pattern.match(value):
            return tag
    return _STR


_PLAIN = (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    ("float", r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?", list("-+.0123456789")),
    ("nonfinite", r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)", list("-+.")),
    ("merge", r"<<", ["<"]),
)
for _name, _pattern, _first in _PLAIN:
    cast("Any", CoreLoader).add_implicit_resolver(_TAG + _name, re.compile(f"(?:{_pattern})\\Z"), _first)


class YamlDocument:
    """One parsed file. ``name`` is what errors call it; every error has it and the line.

    Its methods also take plain JSON, which is told to stand at ``plain_line``.
    """

    def __init__(self, *, name: str, data: bytes) -> None:
        self.name = name
        self.plain_line = 1
        self.text = self._decoded(data)
        self.root = self._composed()

    def error(self, node: Any, message: str) -> SuiteError:
        """Return the error that says *message* of the place of *node*."""
        line = cast("int", node.start_mark.line) + 1 if isinstance(node, yaml.Node) else self.plain_line
        return SuiteError(f"{self.name}, line {line}: {message}")

    def fields(self, node: Any, what: str) -> dict[str, Any]:
        """Return the entries of the mapping *node*, merge keys resolved.

        Raises:
            SuiteError: it is no mapping, or a key stands twice or is no scalar.
        """
        if node.__class__ is not _MAPPING:
            if not isinstance(node, yaml.Node):
                return PlainDocument(name=self.name, line=self.plain_line).fields(node, what)
            raise self.error(node, f"{what} must be a mapping, not {_kind(node)}")
        entries = _entries(node)
        # Nearly all mappings are plain, and there are many of them.
        plain = {key.value: value for key, value in entries if key.tag == _STR and key.__class__ is _SCALAR}
        return plain if len(plain) == len(entries) else self._odd_fields(entries, what)

    def _odd_fields(self, entries: list[tuple[yaml.Node, yaml.Node]], what: str) -> dict[str, Any]:
        own: dict[str, yaml.Node] = {}
        merged: dict[str, yaml.Node] = {}
        for key, value in entries:
            if key.tag == _MERGE:
                for source in self._merge_sources(value):
                    merged = {**self.fields(source, "what `<<` merges"), **merged}
                continue
            if not isinstance(key, yaml.ScalarNode):
                raise self.error(key, f"a key of {what} must be a plain text")
            name = cast("str", key.value)
            if name in own:
                raise self.error(key, f"the key {name[:80]!r} stands twice in {what}")
            own[name] = value
        return {**merged, **own} if merged else own

    def items(self, node: Any, what: str) -> list[Any]:
        """Return the items of the list *node*.

        Raises:
            SuiteError: it is no list.
        """
        if not isinstance(node, yaml.SequenceNode):
            if not isinstance(node, yaml.Node):
                return PlainDocument(name=self.name, line=self.plain_line).items(node, what)
            raise self.error(node, f"{what} must be a list, not {_kind(node)}")
        return node.value

    def value(self, node: Any) -> JsonValue:
        """Return *node* as plain JSON.

        Raises:
            SuiteError: it holds what JSON cannot say (a tag, NaN, infinity), or a key twice.
        """
        if node.__class__ is _SCALAR:
            return node.value if node.tag == _STR else self._scalar(node)
        if node.__class__ is _SEQUENCE:
            self._check_tag(node, "seq")
            return [self.value(item) for item in node.value]
        if node.__class__ is _MAPPING:
            self._check_tag(node, "map")
            return {key: self.value(item) for key, item in self.fields(node, "a mapping").items()}
        return cast("JsonValue", node)

    def _scalar(self, node: yaml.ScalarNode) -> JsonValue:
        text, tag = str(node.value), str(node.tag).removeprefix(_TAG)
        if tag in ("str", "merge"):
            return text
        if tag == "null":
            return None
        try:
            if tag == "bool":
                return {"true": True, "false": False}[text.lower()]
            if tag == "int" and len(text) < _LONGEST_NUMBER:
                return int(text, 0) if text.startswith(("0o", "0x")) else int(text)
            if tag == "float":
                return float(text)
        except (ValueError, KeyError) as error:
            raise self.error(node, f"{text[:80]!r} is not a {tag}") from error
        raise self.error(node, f"{text[:80]!r} ({str(node.tag)[:80]}) has no place in JSON")

    def _check_tag(self, node: yaml.Node, expected: str) -> None:
        if node.tag != _TAG + expected:
            raise self.error(node, f"the tag {str(node.tag)[:80]!r} is not supported")

    def _merge_sources(self, node: yaml.Node) -> list[yaml.Node]:
        return list(reversed(self.items(node, "`<<`"))) if isinstance(node, yaml.SequenceNode) else [node]

    def _decoded(self, data: bytes) -> str:
        if len(data) > _LARGEST_BYTES:
            raise SuiteError(f"{self.name} has {len(data)} bytes, more than {_LARGEST_BYTES}")
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise SuiteError(f"{self.name}, line {line}: not UTF-8 text") from error
        if not text.strip("\ufeff \t\r\n"):
            raise SuiteError(f"{self.name}, line 1: the file is empty")
        return text

    def _composed(self) -> yaml.Node:
        try:
            root = cast("yaml.Node | None", _YAML.compose(self.text.removeprefix("\ufeff"), Loader=CoreLoader))
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = mark.line + 1 if mark else 1
            told = " ".join(f"{error.context or ''} {error.problem or 'not YAML'}".split())
            raise SuiteError(f"{self.name}, line {line}: {told}") from error
        except (yaml.YAMLError, RecursionError) as error:
            raise SuiteError(f"{self.name}, line {self._line_of_control()}: {' '.join(str(error).split())}") from error
        if root is None:
            raise SuiteError(f"{self.name}, line 1: the file holds nothing but comments")
        self._check_size(root)
        return root

    def _line_of_control(self) -> int:
        found = re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]", self.text)
        return self.text.count("\n", 0, found.start()) + 1 if found else 1

    def _check_size(self, root: yaml.Node) -> None:
        """Refuse aliases that grow beyond measure or lead back into themselves, without following them."""
        if "*" not in self.text:
            self._check_depth(root)
            return
        sizes: dict[int, int] = {}
        total = self._expanded(root, sizes, 0)
        if total > max(_FREE_NODES, _LARGEST_GROWTH * self.text.count("\n")):
            raise self.error(root, f"its aliases grow to {total:,} parts")

    def _check_depth(self, root: yaml.Node) -> None:
        level = [root]
        for _ in range(_DEEPEST + 1):
            below: list[yaml.Node] = []
            for node in level:
                if node.__class__ is _MAPPING:
                    # What is nested in a key is refused wherever keys are read.
                    below += [value for _, value in node.value if value.__class__ is not _SCALAR]
                elif node.__class__ is _SEQUENCE:
                    below += [value for value in node.value if value.__class__ is not _SCALAR]
            if not below:
                return
            level = below
        raise self.error(level[0], f"nested deeper than {_DEEPEST} levels")

    def _expanded(self, node: yaml.Node, sizes: dict[int, int], depth: int) -> int:
        if isinstance(node, yaml.ScalarNode):
            return 1
        known = sizes.get(id(node))
        if known is not None:
            if known == 0:
                raise self.error(node, "an alias leads back into itself")
            return known
        if depth > _DEEPEST:
            raise self.error(node, f"nested deeper than {_DEEPEST} levels")
        sizes[id(node)] = 0
        sizes[id(node)] = size = 1 + sum(self._expanded(child, sizes, depth + 1) for child in _children(node))
        return size


def is_null(node: Any) -> bool:
    """Return whether *node* is null, in YAML or as plain JSON."""
    return node is None or (isinstance(node, yaml.ScalarNode) and node.tag == _NULL)


def is_text(node: yaml.Node) -> TypeGuard[yaml.ScalarNode]:
    """Return whether *node* is a text, and no number or anything else."""
    return isinstance(node, yaml.ScalarNode) and node.tag == _STR


def _entries(node: yaml.MappingNode) -> list[tuple[yaml.Node, yaml.Node]]:
    return node.value


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for key, value in _entries(node):
            yield key
            yield value
    elif isinstance(node, yaml.SequenceNode):
        yield from cast("list[yaml.Node]", node.value)


def _kind(node: yaml.Node) -> str:
    if isinstance(node, yaml.MappingNode):
        return "a mapping"
    if isinstance(node, yaml.SequenceNode):
        return "a list"
    return "nothing" if node.tag == _TAG + "null" else f"{str(node.value)[:60]!r}"
