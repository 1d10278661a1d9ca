"""ARCHITECTURE.md: the stages as the flow's own table has them, the layers as they are checked."""

import ast
import tomllib
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

PAGE = Path("ARCHITECTURE.md")
SOURCE = "naoshi.flow.stages"
_ROOT = Path(__file__).resolve().parents[1]

_PREFACE = """\
# Architecture

<!-- Written by `make docs` from src/naoshi/flow/stages.py and pyproject.toml; change those instead. -->

Naoshi has two halves. **Confirm** runs inside a user's agent and asks a person before what cannot be undone. **The
loop** runs beside the agent and turns people's corrections into tested, reviewed releases. Each human decision in the
loop is itself a confirmation. The words are explained in [docs/glossary.md](docs/glossary.md).

## The stages, in order

A trace enters at the first stage and its consequences leave at the last. A stage takes records and gives records;
`naoshi.flow` alone passes them on, so that no stage knows another. Each is also a command that can be used alone.
"""

_LAYERS = """\
## Who may import whom

Higher may import lower, and names on one line never import each other. `make check` holds the code to it.
"""

_PACKAGES = """\
## Where things live
"""


def stages() -> Sequence[Any]:
    """Return the flow's ordered table of stages."""
    return import_module(SOURCE).STAGES


def names(items: Any) -> tuple[str, ...]:
    """Return the names of *items*: record classes or texts, one of them, several, or none."""
    if not items:
        return ()
    many: tuple[Any, ...] = (items,) if isinstance(items, str | type) else tuple(items)
    return tuple(str(getattr(item, "__name__", item)) for item in many)


def render() -> str:
    """Return the page in Markdown."""
    table = stages()
    return "\n".join([_PREFACE, _picture(table), _table(table), _LAYERS, _layers(), _PACKAGES, _packages()])


def _picture(table: Sequence[Any]) -> str:
    """Return a diagram of who gives what to whom; what the next cycle takes from this one is dotted."""
    lines = ["```mermaid", "flowchart LR"]
    lines += [f'    {_node(stage)}["{stage.name}"]' for stage in table]
    for position, taker in enumerate(table):
        passed: dict[int, list[str]] = {}
        for record in names(taker.takes):
            giver = _giver(table, position, record)
            if giver is not None:
                passed.setdefault(giver, []).append(record)
        for giver, given in sorted(passed.items()):
            arrow = "-->" if giver < position else "-.->"
            lines.append(f"    {_node(table[giver])} {arrow}|{', '.join(given)}| {_node(taker)}")
    return "\n".join([*lines, "```", ""])


def _node(stage: Any) -> str:
    return stage.name.replace(" ", "_")


def _giver(table: Sequence[Any], taker: int, record: str) -> int | None:
    """Return the stage that *record* comes from: the nearest one before *taker*, else the last one after it."""
    givers = [position for position, stage in enumerate(table) if record in names(stage.gives)]
    earlier = [position for position in givers if position < taker]
    return max(earlier or givers, default=None)


def _table(table: Sequence[Any]) -> str:
    lines = ["| stage | module | takes | gives | a person is asked | command |", "|---|---|---|---|---|---|"]
    for stage in table:
        commands = ", ".join(f"`naoshi {command}`" for command in names(stage.command))
        cells = (stage.name, f"`{stage.module}`", _listed(stage.takes), _listed(stage.gives), stage.question or "–")
        lines.append(f"| {' | '.join(cells)} | {commands or '–'} |")
    return "\n".join([*lines, ""])


def _listed(items: Any) -> str:
    return ", ".join(names(items)) or "–"


def _layers() -> str:
    settings = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    order = next(contract for contract in contracts if contract["type"] == "layers")["layers"]
    others = [f"- {contract['name']}." for contract in contracts if contract["type"] != "layers"]
    return "\n".join(["```", *(line.replace("naoshi.", "") for line in order), "```", "", "Besides:", "", *others, ""])


def _packages() -> str:
    """Return the packages with the first line of each docstring."""
    source = _ROOT / "src" / "naoshi"
    lines = ["| package | what it is |", "|---|---|"]
    for path in sorted(source.glob("*/__init__.py")):
        about = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        lines.append(f"| `naoshi.{path.parent.name}` | {about.partition(chr(10) * 2)[0].replace(chr(10), ' ')} |")
    return "\n".join([*lines, ""])
