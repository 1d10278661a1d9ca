"""What the house rules look at: the modules of Naoshi as syntax trees, and the files of the project."""

import ast
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "naoshi"


@dataclass(frozen=True, kw_only=True)
class Module:
    """One file of Naoshi's source."""

    path: Path

    @property
    def name(self) -> str:
        parts = self.path.relative_to(SOURCE.parent).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"

    @property
    def is_public(self) -> bool:
        return not any(part.startswith("_") for part in self.name.split("."))

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, filename=str(self.path))


@cache
def modules() -> tuple[Module, ...]:
    """Return every Python file below `src/naoshi`, sorted."""
    return tuple(Module(path=path) for path in sorted(SOURCE.rglob("*.py")))


@dataclass(frozen=True, kw_only=True)
class Definition:
    """A public class or function, with its dotted name below the package."""

    name: str
    node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def public_definitions(module: Module) -> Iterator[Definition]:
    """Yield the public classes, functions and methods of *module*; what is inside a function is private."""
    if module.is_public:
        yield from _definitions(module.tree.body, module.name)


def _definitions(body: list[ast.stmt], prefix: str) -> Iterator[Definition]:
    for node in body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("_"):
            continue
        name = f"{prefix}.{node.name}"
        yield Definition(name=name, node=node)
        if isinstance(node, ast.ClassDef):
            yield from _definitions(node.body, name)


@cache
def project_files() -> tuple[Path, ...]:
    """Return the files that git knows or would take in, so that ignored ones (.venv, caches) are left out."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout
    paths = (ROOT / name for name in listed.decode("utf-8").split("\0") if name)
    return tuple(sorted(path for path in paths if path.is_file()))


def once_written(module: str) -> None:
    """Go on only when *module* exists; fail where it is gone, so that no check of it is lost."""
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        spec = None
    if spec is None:
        pytest.fail(f"there is no module {module}")
