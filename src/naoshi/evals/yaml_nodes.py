"""The parts of a YAML text, as plain data that is quick to read and that one process can hand to another."""

from typing import Any

Node = tuple[str, Any, int]
"""A part of a text: its tag, what it holds, and the line (from 1) at which it begins.

A scalar holds its text; a sequence a list of nodes; a mapping whose keys are distinct texts a dict of nodes by key;
any other mapping a tuple of pairs of nodes, as they stand there.
"""

LARGEST_BYTES = 64 * 1024 * 1024
"""How long a text may be."""

TAG = "tag:yaml.org,2002:"
MAP, SEQ, STR, MERGE, NULL = TAG + "map", TAG + "seq", TAG + "str", TAG + "merge", TAG + "null"


def is_node(value: object) -> bool:
    """Return whether *value* is a node, and not data that is plain JSON already."""
    return value.__class__ is tuple


def is_scalar(node: Any) -> bool:
    """Return whether *node* is a node with a text."""
    return node.__class__ is tuple and node[1].__class__ is str


def is_text(node: Any) -> bool:
    """Return whether *node* is a node with a text that is no number or anything else."""
    return is_scalar(node) and node[0] == STR


def is_list(node: Any) -> bool:
    """Return whether *node* is a node with a list."""
    return node.__class__ is tuple and node[1].__class__ is list


def is_null(node: Any) -> bool:
    """Return whether *node* is null, in YAML or as plain JSON."""
    return node is None or (is_scalar(node) and node[0] == NULL)


def kind_of_node(node: Node) -> str:
    """Return what *node* is, in words."""
    tag, held, _ = node
    if isinstance(held, dict | tuple):
        return "a mapping"
    if isinstance(held, list):
        return "a list"
    return "nothing" if tag == NULL else f"{str(held)[:60]!r}"
