"""The generator of ARCHITECTURE.md, on a table of the tests' own."""

from dataclasses import dataclass

import pytest

from naoshi.records import Baseline, Signal, Trace
from scripts import architecture


@dataclass(frozen=True, kw_only=True)
class Step:
    """A stage as the flow's table has them."""

    name: str
    module: str
    takes: tuple[type, ...]
    gives: tuple[type, ...]
    question: str
    command: str


TABLE = (
    Step(name="take in", module="a", takes=(), gives=(Trace,), question="", command="ingest"),
    Step(name="look", module="b", takes=(Trace, Baseline), gives=(Signal,), question="is it so?", command="signals"),
    Step(name="end", module="c", takes=(Signal, Trace), gives=(Baseline,), question="", command="release"),
)


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the page about the table."""
    monkeypatch.setattr(architecture, "stages", lambda: TABLE)
    return architecture.render()


def test_the_picture_joins_who_gives_with_who_takes(page: str):
    """Protects the diagram: an edge is what one stage takes from the nearest earlier one, dotted across cycles."""
    edges = [line.strip() for line in page.splitlines() if line.startswith("    ") and "|" in line]
    assert edges == [
        "take_in -->|Trace| look",
        "end -.->|Baseline| look",
        "take_in -->|Trace| end",
        "look -->|Signal| end",
    ]


def test_the_table_has_a_row_for_each_stage(page: str):
    """Protects the table: what passes, what a person is asked, and the command that runs the stage alone."""
    assert "| take in | `a` | – | Trace | – | `naoshi ingest` |" in page
    assert "| look | `b` | Trace, Baseline | Signal | is it so? | `naoshi signals` |" in page


def test_the_layers_are_those_that_are_checked(page: str):
    """Protects the picture of the layers: it is import-linter's own contract."""
    assert "\nrecords | system | pages | models\nerrors\n" in page


def test_names_of_one_several_or_none():
    """Protects tables that give one record, several, a text, or nothing."""
    assert architecture.names(None) == ()
    assert architecture.names(Trace) == ("Trace",)
    assert architecture.names("status") == ("status",)
    assert architecture.names((Trace, "Signal")) == ("Trace", "Signal")
