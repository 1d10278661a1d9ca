"""Who may import whom."""

import ast
import subprocess
import sys
from collections.abc import Iterator

from tests.meta.source_tree import ROOT, Module, modules


def test_the_layers_of_the_design_hold():
    """Protects the direction of imports: nothing low knows anything high, and stages never know each other."""
    call = "from importlinter.cli import lint_imports_command as c; c(['--no-cache'])"
    done = subprocess.run([sys.executable, "-c", call], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_import_inside_a_function_says_why():
    """Protects against cycles that hide in functions: loading late is for heavy libraries, and says so.

    The command line is left out: that each command loads its own stage late is its rule.
    """
    silent = [
        f"{module.name}:{line}"
        for module in modules()
        if not module.name.startswith("naoshi.ui.cli")
        for line in _unexplained_late_imports(module)
    ]
    assert silent == []


def test_type_checking_blocks_hide_no_cycle():
    """Protects against imports for types alone: only a package's lazy list of exports needs them."""
    hidden = [
        f"{module.name}:{node.lineno}"
        for module in modules()
        if not module.is_package
        for node in ast.walk(module.tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
        if isinstance(inner, ast.ImportFrom) and (inner.module or "").startswith("naoshi")
    ]
    assert hidden == []


def _unexplained_late_imports(module: Module) -> Iterator[int]:
    """Yield the lines of imports in functions that have no comment on them nor on the lines just above."""
    lines = module.text.splitlines()
    late = {
        inner.lineno: inner
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Import | ast.ImportFrom)
    }
    explained_until = 0
    for number in sorted(late):
        end = late[number].end_lineno or number
        above = lines[number - 2].strip()
        own = any("#" in line for line in lines[number - 1 : end])
        if own or above.startswith("#") or number == explained_until + 1:
            explained_until = end
        else:
            yield number
