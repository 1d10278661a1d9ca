"""JSON references (``$ref``), which Promptfoo fills in wherever they stand in a suite or in a file of tests."""

from typing import Any, cast

from naoshi.evals.yaml_nodes import is_node, is_text

REFERENCE = "$ref"


def first_reference(node: Any) -> Any | None:
    """Return what the first reference in *node* (of a YAML document, or plain JSON) leads to; None if there is none."""
    return _first(node, set())


def _first(node: Any, seen: set[int]) -> Any | None:
    held: Any = node[1] if is_node(node) else node
    # What aliases stand for is shared.
    if not isinstance(held, dict | list | tuple) or id(cast("Any", held)) in seen:
        return None
    seen.add(id(cast("Any", held)))
    if isinstance(held, dict):
        fields = cast("dict[str, Any]", held)
        target = fields.get(REFERENCE)
        if is_text(target) or isinstance(target, str):
            return target
        held = fields.values()
    found = (_first(part, seen) for part in cast("list[Any]", held))
    return next((target for target in found if target is not None), None)
