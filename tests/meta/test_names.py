"""Names that say nothing are not used, and nothing of one machine or one moment is in the tree."""

import ast
import re
from pathlib import Path

import pytest

from tests.meta.source_tree import ROOT, modules, project_files

EMPTY_WORDS = frozenset({"util", "utils", "helper", "helpers", "manager", "handler", "handlers", "managers"})
TEXT_FILES = {".py", ".md", ".toml", ".txt", ".yaml", ".yml", ".json", ".jsonl", ".csv", ".sh", ".sql", ".js", ".html"}
# A letter in brackets keeps this file from holding what it forbids.
ELSEWHERE = {
    "a path of one machine": r"[/]root/|[/]home/[a-z]|[/]Users/[a-z]|[/]work/|[/]opt/pypi|[A-Z]:\\Users",
    "the address of a package registry": r"[p]ypi\.org/simple|[p]ythonhosted\.org|[r]egistry\.npmjs|[d]eb\.debian\.org",
    "an option that names a registry": r"--(extra-)?[i]ndex-url|[f]ind-links",
}


def test_file_names_are_made_of_words_that_mean_something():
    """Protects grep and the glossary: no file is called after nothing in particular."""
    empty = [
        str(path.relative_to(ROOT))
        for path in project_files()
        if set(re.split(r"[^a-z]+", path.stem.lower())) & EMPTY_WORDS
    ]
    assert empty == []


def test_classes_and_functions_are_made_of_words_that_mean_something():
    """Protects the reader of a call: no `Manager`, no `process_data`."""
    empty = [
        f"{module.name}.{node.name}"
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if _words(node.name) & EMPTY_WORDS or node.name == "process_data"
    ]
    assert empty == []


@pytest.mark.parametrize("what", sorted(ELSEWHERE))
def test_nothing_of_one_machine_is_in_the_tree(what: str):
    """Protects the fresh machine: no path and no registry that only the author has."""
    pattern = re.compile(ELSEWHERE[what])
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in _texts()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1)
        if pattern.search(line)
    ]
    assert found == []


def test_constraints_pin_by_name_and_version_only():
    """Protects set-up on any machine: no hash, no address, nothing but `name==version`."""
    lines = (ROOT / "constraints" / "pinned.txt").read_text(encoding="utf-8").splitlines()
    odd = [line for line in lines if not re.fullmatch(r"#.*|[A-Za-z0-9_.-]+==[A-Za-z0-9_.!+-]+", line)]
    assert odd == []


def test_nothing_is_left_to_do_in_the_source():
    """Protects against stubs: what is in the tree is done."""
    marks = re.compile(r"\b([T]ODO|[F]IXME|[X]XX)\b|[N]otImplementedError")
    left = [
        f"{module.name}:{number}"
        for module in modules()
        for number, line in enumerate(module.text.splitlines(), start=1)
        if marks.search(line)
    ]
    assert left == []


def _texts() -> list[Path]:
    return [path for path in project_files() if path.suffix in TEXT_FILES or path.name in {"Makefile", "run"}]


def _words(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}
