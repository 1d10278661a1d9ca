"""Everything public explains itself."""

import ast
import inspect
from collections.abc import Iterator

from naoshi import errors
from tests.meta.source_tree import Definition, modules, public_definitions

ERROR_NAMES = frozenset(
    name for name, value in vars(errors).items() if inspect.isclass(value) and issubclass(value, errors.NaoshiError)
)


def test_every_module_with_content_has_a_docstring():
    """Protects the reader who opens a file: its first line says what idea it holds."""
    silent = [module.name for module in modules() if module.tree.body and not ast.get_docstring(module.tree)]
    assert silent == []


def test_every_public_definition_has_a_docstring():
    """Protects the reader of an API; a property of a protocol may leave it to its name."""
    silent = [
        definition.name
        for definition in _all_public()
        if not ast.get_docstring(definition.node) and not _speaks_for_itself(definition)
    ]
    assert silent == []


def test_a_docstring_is_more_than_the_name_again():
    """Protects against docstrings that only please a linter."""
    empty = [
        definition.name
        for definition in _all_public()
        if _letters(ast.get_docstring(definition.node) or "-") == _letters(definition.node.name)
    ]
    assert empty == []


def test_every_error_that_a_function_raises_is_in_its_docstring():
    """Protects callers: each of our errors that a public function raises itself stands under "Raises:"."""
    missing = [
        f"{definition.name}: {error}"
        for definition in _all_public()
        if not isinstance(definition.node, ast.ClassDef)
        for error in sorted(_raised(definition.node))
        if error not in _raises_section(ast.get_docstring(definition.node) or "")
    ]
    assert missing == []


def test_public_constructors_are_keyword_only():
    """Protects calls from swapped arguments: at most the one thing that an object stands on is positional.

    The demo's agent is a program of its own that nobody imports.
    """
    positional = [
        definition.name
        for definition in _all_public()
        if isinstance(definition.node, ast.ClassDef) and not _is_error(definition.node)
        if not definition.name.startswith("naoshi.demo.agent.")
        if _positional_parameters(definition.node) > 1
    ]
    assert positional == []


def _all_public() -> Iterator[Definition]:
    for module in modules():
        yield from public_definitions(module)


def _speaks_for_itself(definition: Definition) -> bool:
    node = definition.node
    if isinstance(node, ast.ClassDef) or not node.decorator_list:
        return False
    return _is_overload(node) or (_is_property(node) and ast.unparse(node.body[-1]) == "...")


def _decorators(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    return {ast.unparse(item) for item in node.decorator_list}


def _is_overload(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return bool(_decorators(node) & {"overload", "typing.overload"})


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return bool(_decorators(node) & {"property", "cached_property"})


def _letters(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())


def _raised(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    raised = (node.exc for node in ast.walk(function) if isinstance(node, ast.Raise) and node.exc)
    called = (node.func if isinstance(node, ast.Call) else node for node in raised)
    return {node.id for node in called if isinstance(node, ast.Name)} & ERROR_NAMES


def _raises_section(docstring: str) -> str:
    return docstring.partition("Raises:")[2]


def _is_error(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).endswith(("Error", "Exception")) for base in node.bases)


def _positional_parameters(node: ast.ClassDef) -> int:
    """Return how many arguments the constructor takes by position; that of a record takes none."""
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and item.name == "__init__":
            return len(item.args.posonlyargs) + len(item.args.args) - 1
    dataclass = next((item for item in node.decorator_list if "dataclass" in ast.unparse(item)), None)
    if dataclass is None or "kw_only=True" in ast.unparse(dataclass):
        return 0
    return sum(isinstance(item, ast.AnnAssign) and "ClassVar" not in ast.unparse(item) for item in node.body)
