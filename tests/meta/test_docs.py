"""The documents cannot lag behind the code."""

import ast
import re
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from typing import Any

import pytest
from pydantic import BaseModel
from typer.main import get_command

from naoshi import records
from scripts import architecture, cli_reference, settings_reference
from tests.meta.source_tree import ROOT, modules, once_written, project_files, public_definitions

GENERATED = pytest.mark.parametrize(
    "generator", [architecture, cli_reference, settings_reference], ids=lambda generator: str(generator.PAGE)
)
TERM = re.compile(r"^\| (?P<terms>\*\*\w+\*\*(?:, \*\*\w+\*\*)*) \| (?P<japanese>[^|]+) \| (?P<meaning>[^|]+) \|$")
LINK = re.compile(r"\]\((?!https?:|mailto:|#)(?P<target>[^)#\s]+)(?:#[^)]*)?\)")


@GENERATED
def test_a_generated_page_is_up_to_date(generator: Any):
    """Protects the pages that are written from the code: `make docs` would change nothing."""
    once_written(generator.SOURCE)
    page = ROOT / generator.PAGE
    assert page.is_file(), f"write {generator.PAGE} with `make docs`"
    assert page.read_text(encoding="utf-8") == generator.render(), f"{generator.PAGE} lags behind; run `make docs`"


def test_every_command_and_option_says_what_it_is_for():
    """Protects `--help` and docs/cli.md: no command, argument or option is left without a word."""
    once_written(cli_reference.SOURCE)
    app = import_module(cli_reference.SOURCE).app
    assert list(_silent(get_command(app), "naoshi")) == []


def test_no_help_speaks_of_the_code():
    """Protects whoever reads `--help`: no part of a docstring that is for programmers stands there."""
    page = (ROOT / cli_reference.PAGE).read_text(encoding="utf-8")
    assert not re.findall(r"Raises:|Args:|Returns:", page)


def test_no_summary_of_a_command_is_cut_short():
    """Protects the lists of commands in `--help`, as a terminal of 80 columns shows them: no line ends in dots."""
    app = import_module(cli_reference.SOURCE).app
    assert list(_cut(get_command(app), "naoshi")) == []


def test_every_setting_is_explained():
    """Protects docs/settings.md: each setting has a description, or its section's docstring names it."""
    once_written(settings_reference.SOURCE)
    silent = [
        f"{'.'.join(section.path)}.{name}"
        for section in settings_reference.sections(settings_reference.settings_model())
        for name in settings_reference.settings_of(section.model)
        if settings_reference.explanation(section, name) is None
    ]
    assert silent == []


def test_the_stages_take_and_give_records():
    """Protects ARCHITECTURE.md: what passes between stages is a term of the glossary, had from `naoshi.records`."""
    once_written(architecture.SOURCE)
    passed = {
        name
        for stage in architecture.stages()
        for name in (*architecture.names(stage.takes), *architecture.names(stage.gives))
    }
    assert passed
    assert passed - set(records.__all__) == set()


def test_the_glossary_has_every_record_and_nothing_that_is_gone():
    """Protects the rule "a term is a class": a row for every class of `naoshi.records`, and the other way round."""
    terms = list(_glossary_terms("Terms that are classes"))
    assert sorted(terms) == sorted(kind.__name__ for kind in _record_classes())


def test_a_word_without_a_class_does_not_pose_as_one():
    """Protects the second table of the glossary: its words are no classes, else they belong into the first."""
    words = set(_glossary_terms("Words that are no classes"))
    assert words
    assert words & set(records.__all__) == set()


def test_values_of_enumerations_are_in_the_glossary():
    """Protects labels on screen: each value of the taxonomies stands beside its term."""
    glossary = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    enumerations = [getattr(records, name) for name in records.__all__]
    values = {
        value.value for kind in enumerations if isinstance(kind, type) and issubclass(kind, Enum) for value in kind
    }
    assert {value for value in values if f"`{value}`" not in glossary} == set()


def test_links_between_documents_lead_somewhere():
    """Protects the reader: a relative link in a document names a file that is there."""
    broken = [
        f"{path.relative_to(ROOT)}: {match['target']}"
        for path in project_files()
        if path.suffix == ".md" and "tests" not in path.relative_to(ROOT).parts
        for match in LINK.finditer(path.read_text(encoding="utf-8"))
        if not (path.parent / match["target"]).exists()
    ]
    assert broken == []


def test_every_document_is_listed_in_the_index():
    """Protects the way in: docs/index.md names every page beside it."""
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = {path.name for path in project_files() if path.parent == ROOT / "docs" and path.suffix == ".md"}
    assert {page for page in pages - {"index.md"} if f"({page})" not in index} == set()


def test_a_record_s_docstring_is_not_pydantic_s():
    """Protects the glossary's source: each record explains itself in its own words."""
    inherited = [
        kind.__name__ for kind in _record_classes() if issubclass(kind, BaseModel) and not kind.__dict__.get("__doc__")
    ]
    assert inherited == []


def _record_classes() -> list[type]:
    """Return the public classes that the modules of `naoshi.records` define."""
    return [
        getattr(import_module(module.name), definition.node.name)
        for module in modules()
        if module.name.startswith("naoshi.records.")
        for definition in public_definitions(module)
        if isinstance(definition.node, ast.ClassDef) and definition.name.count(".") == 3
    ]


def _glossary_terms(heading: str) -> Iterator[str]:
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    _, found, section = text.partition(f"\n## {heading}\n")
    assert found, f"docs/glossary.md has no part called {heading!r}"
    for line in section.partition("\n## ")[0].splitlines():
        if match := TERM.match(line):
            yield from re.findall(r"\*\*(\w+)\*\*", match["terms"])


def _silent(command: Any, path: str) -> Iterator[str]:
    """Yield the commands and parameters below *command* that have no help text."""
    if not (command.help or "").strip():
        yield path
    for parameter in command.params:
        if not (getattr(parameter, "help", None) or "").strip():
            yield f"{path} {parameter.name}"
    for name, inner in getattr(command, "commands", {}).items():
        yield from _silent(inner, f"{path} {name}")


def _cut(command: Any, path: str) -> Iterator[str]:
    """Yield the commands below *command* whose summary does not fit beside their names."""
    commands = getattr(command, "commands", {})
    room = 72 - max(map(len, commands), default=0)
    for name, inner in commands.items():
        if inner.get_short_help_str(room).endswith("..."):
            yield f"{path} {name}"
        yield from _cut(inner, f"{path} {name}")
