"""What a package offers is what it says it offers."""

import ast
import importlib

import pytest

from naoshi import records
from tests.meta.source_tree import Module, modules, public_definitions

PACKAGES_THAT_EXPORT = [
    module
    for module in modules()
    if any(isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__" for node in module.tree.body)
]
each_package = pytest.mark.parametrize("module", PACKAGES_THAT_EXPORT, ids=lambda module: module.name)


@each_package
def test_every_export_can_be_had_and_is_public(module: Module):
    """Protects `from naoshi.x import name` for every name that is promised, lazy ones included."""
    package = importlib.import_module(module.name)
    assert [name for name in package.__all__ if not hasattr(package, name)] == []
    assert [name for name in package.__all__ if name.startswith("_") and name != "__version__"] == []


@each_package
def test_exports_are_sorted_and_once(module: Module):
    """Protects diffs of the lists of exports: one order (constants, classes, the rest), no name twice."""
    names = importlib.import_module(module.name).__all__
    assert names == sorted(set(names), key=_order)


@each_package
def test_what_a_package_imports_of_ours_is_what_it_exports(module: Module):
    """Protects against a name that is offered by accident, or meant to be offered and forgotten."""
    if not module.is_package:
        return
    imported = {
        alias.asname or alias.name
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("naoshi")
        for alias in node.names
    }
    exported = set(importlib.import_module(module.name).__all__)
    assert {name for name in imported if not name.startswith("_")} <= exported


@pytest.mark.parametrize("stage", ["capture", "confirm", "signals", "triage", "evals", "gate", "repair", "release"])
def test_a_stage_with_content_says_what_it_offers(stage: str):
    """Protects the layers above: once a stage has modules, its package lists what they may use."""
    content = [module for module in modules() if module.name.startswith(f"naoshi.{stage}.")]
    package = next(module for module in modules() if module.name == f"naoshi.{stage}")
    assert not content or package in PACKAGES_THAT_EXPORT


def test_every_public_record_is_exported():
    """Protects the rule that a noun of the glossary is had from `naoshi.records`."""
    classes = {
        definition.node.name
        for module in modules()
        if module.name.startswith("naoshi.records.")
        for definition in public_definitions(module)
        if isinstance(definition.node, ast.ClassDef)
    }
    assert classes - set(records.__all__) == set()


def _order(name: str) -> tuple[int, str]:
    rank = 0 if name.isupper() else 1 if name[0].isupper() else 2
    return rank, name
