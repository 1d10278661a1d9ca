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


_DEPARTURES = """\
## Where this departs from the first design, and why

- **`system` lies below the stages.** git, child processes and durable files are needed by several stages, and
  stages never import one another.
- **`ui` lies above `demo`**, since `naoshi demo` is a command; `app` is a package, as settings, set-up and doctor
  are three ideas.
- **Triage comes before the signals of corrections.** A correction is a signal of failure only once a person called
  it a defect. The coded checks need no triage and run in the same stage.
- **The holdout suite lies outside git**, in `.naoshi/evals/holdout.yaml`, and the validate suite is not in the
  coding agent's checkout: what is in a repository can be read by whoever works in it.
- **A coding agent's checkout is a repository of its own** with one commit, not a linked work tree: no history to
  look things up in, and no hooks shared with the user's repository.
- **What people left alone is guarded too.** Somebody who corrected one field of a record looked at the others; a
  change that breaks those is worse, though they are not cases. They are made afresh from the store and are in no
  suite.
- **Releases go forward only** (fast-forward), so that the commit that was judged is the commit that is released; a
  rollback is a new commit and a new version.
- **Suites are edited as text** and read back before they are saved; a YAML round trip does not keep files byte for
  byte.
- **A suite that a command line names is composed by a second process**, forked before anything else is loaded: on two
  processors a fifth of the time of a short run is saved, and nothing is kept that could go stale. It tells the bytes
  that it read with what it made of them; any other bytes, and whatever it could not finish, are composed where the
  suite is read. PyYAML's nodes stay inside one module.
- **A confirmation store keeps the state of a conversation**, not a bare question, and `save` compares revisions:
  otherwise asking again could race an answer and revive a settled question.
- **A cycle that waits for a person ends its workflow**; the next run begins at the step that the cycle's record
  names. No thread and no process waits for an answer.
- **Whether a case has a say in the gate stands in the ledger**, not in its suite: neither an edit of a file nor a
  coding agent can take a case out of the decision, and each time is on record.
- **A conversation's file has two halves that are written in turn**, not one text that is renamed over: a change is one
  sync of content, the state before it stays whole, and damage to a decision never brings its question back.
- **A conversation's first state goes into a file that is on the disk already**: a few blank ones lie ready, since
  making a file durable waits for all that others write on the machine, and writing into one waits for its own content.
- **Asking a model is a layer of its own** (`models`, below the stages), since a judge and a diagnosis both need it and
  stages never import one another.
- **The gate's policy is `paired`**, and the literal rules are computed beside it; the gate has to pass a test of itself
  on the suite before a cycle believes it.
- **A repair is a record** with its attempts, in a cycle and outside of one: both go on where they were stopped, and a
  group that no attempt mended is left to people by what its last repair came to, not by a mark on the group.
- **A proposal's commit is not the judged one.** It has the same tree and cites the certificate, which cites the judged
  commit; a release takes over the judged one.
- **One database for each agent.** The loop's tables and the workflows' share it.
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
    parts = [_PREFACE, _picture(table), _table(table), _LAYERS, _layers(), _PACKAGES, _packages(), _DEPARTURES]
    return "\n".join(parts)


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
