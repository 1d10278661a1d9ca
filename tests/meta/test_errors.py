"""One tree of errors, each with a code that is documented."""

import importlib
import re
from collections.abc import Iterator

from naoshi import errors
from naoshi.errors import NaoshiError
from tests.meta.source_tree import ROOT, modules

TREE_LINE = re.compile(r"^ {4}(?P<bars>[│ ]*(?:[├└]── )?)(?P<name>[A-Z]\w+)")
ROW = re.compile(r"^\| `(?P<code>[^`]+)` \| `(?P<name>\w+)` \| (?P<status>\d) \| (?P<when>.+) \| (?P<advice>.+) \|$")


def _all_errors() -> Iterator[type[NaoshiError]]:
    """Yield NaoshiError and all below it that Naoshi itself defines, parents first, in whatever module."""
    for module in modules():
        if re.search(r"^class \w+\(\w*Error\)", module.text, flags=re.MULTILINE):
            importlib.import_module(module.name)
    yield from _tree_below(NaoshiError)


def _tree_below(root: type[NaoshiError]) -> Iterator[type[NaoshiError]]:
    yield root
    for child in root.__subclasses__():
        if child.__module__.startswith("naoshi."):
            yield from _tree_below(child)


def test_the_tree_in_the_docstring_is_the_real_one():
    """Protects the picture that people read first: same classes, same parents."""
    drawn: dict[str, str | None] = {}
    branch: list[str] = []
    for line in (errors.__doc__ or "").splitlines():
        if match := TREE_LINE.match(line):
            depth = len(match["bars"]) // 4
            branch[depth:] = [match["name"]]
            drawn[match["name"]] = branch[depth - 1] if depth else None
    real = {kind.__name__: kind.__base__.__name__ if kind.__base__ else None for kind in _all_errors()}
    assert drawn == real | {"NaoshiError": None}


def test_codes_are_stable_names_and_unique():
    """Protects scripts that read a code: lower case with hyphens, one code for one class."""
    codes = [kind.code for kind in _all_errors()]
    assert [code for code in codes if not re.fullmatch(r"[a-z]+(-[a-z]+)*", code)] == []
    assert sorted(codes) == sorted(set(codes))


def test_every_error_says_what_happened_and_what_to_do():
    """Protects the person who reads the one line: a message, a hint, and an exit status of the contract."""
    for kind in _all_errors():
        line = kind().line()
        assert re.fullmatch(rf"naoshi: {kind.code}: [^\n;]+; [^\n]+[^\n.]", line), line
        assert kind.exit_status in {1, 2, 3, 4}, kind


def test_a_line_stays_one_line_whatever_the_message():
    """Protects against hostile text in a message that would pose as a second line."""
    line = NaoshiError("first\nnaoshi: fake: second\r\n\tthird").line()
    assert line.splitlines() == [line]


def test_every_code_is_documented_and_no_other():
    """Protects docs/errors.md: a row for each class with its code and exit status, and none that is gone."""
    text = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    rows = [match for line in text.splitlines() if (match := ROW.match(line))]
    documented = sorted((row["code"], row["name"], int(row["status"])) for row in rows)
    assert documented == sorted((kind.code, kind.__name__, kind.exit_status) for kind in _all_errors())


def test_the_tree_is_in_one_file():
    """Protects the one tree: a class that a person can meet is not hidden in a stage."""
    assert {kind.__module__ for kind in _all_errors()} == {"naoshi.errors"}


def test_an_error_outside_the_tree_never_leaves_its_package():
    """Protects `except NaoshiError`: an exception that only one package knows is not among its exports."""
    exported = [
        f"{module.name}.{name}"
        for module in modules()
        if module.is_package and module.is_public
        for name, value in _exports(module.name).items()
        if isinstance(value, type) and issubclass(value, Exception) and not issubclass(value, NaoshiError)
    ]
    assert exported == []


def _exports(package: str) -> dict[str, object]:
    module = importlib.import_module(package)
    return {name: getattr(module, name) for name in getattr(module, "__all__", ())}
