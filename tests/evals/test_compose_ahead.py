"""A suite composed by a second process: the same nodes, and never anything else in their place."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from naoshi.errors import SuiteError
from naoshi.evals.settings import EvalSettings
from naoshi.evals.suite_load import load_suite

SUITE = """\
x-shared: &shared {category: 合計}
tests:
  - vars: {document: "箱/1.csv", list: [1, 2.5, true, null]}
    assert: [{type: equals, value: RM 1}]
    metadata: {<<: *shared, case_id: one}
  - vars: {document: b}
    assert:
      - type: contains
        value: |
          two
          lines
"""
# What the command does, with a way to come between, and what came of it on the output.
BEGIN = """
import json, os, signal, sys, time
from pathlib import Path
from naoshi.evals import compose_ahead
from naoshi.evals.compose_ahead import begin_composing, composed_ahead, end_composing
from naoshi.evals.yaml_composer import compose
path = Path(sys.argv[1])
def children():
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
def tell(*told):
    print(json.dumps(told))
"""
several_processors = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2,
    reason="on one processor nothing is composed ahead",
)


def told_by(code: str, path: Path) -> list[object]:
    done = subprocess.run(
        [sys.executable, "-c", BEGIN + code, str(path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "suite.yaml"
    path.write_text(SUITE, encoding="utf-8")
    return path


@several_processors
def test_the_nodes_are_those_that_are_composed_here_and_nothing_is_left(suite: Path):
    """Protects the reading: where it was composed makes no difference, and it is given once."""
    code = """
begin_composing(["evals", "run", str(path), "--check"])
begun = len(children())
found = composed_ahead(path.read_bytes())
tell(begun, found == compose(path.read_text()), composed_ahead(path.read_bytes()), children())
"""
    assert told_by(code, suite) == [1, True, None, []]


@several_processors
@pytest.mark.parametrize(
    "between",
    [
        "path.write_text(path.read_text() + '# changed')",
        "os.kill(int(children()[0]), signal.SIGKILL)",
        "os.kill(int(children()[0]), signal.SIGTERM)",
    ],
    ids=["changed", "killed", "ended"],
)
def test_what_is_not_of_these_bytes_or_not_whole_is_not_taken(suite: Path, between: str):
    """Protects the gate: a suite that changed, or a process that was killed, means that it is composed here."""
    suite.write_text(SUITE + "".join(f"  - vars: {{document: c{number}}}\n" for number in range(20_000)))
    code = f"""
begin_composing(["evals", "run", str(path)])
{between}
tell(composed_ahead(path.read_bytes()), children())
"""
    assert told_by(code, suite) == [None, []]


@several_processors
@pytest.mark.parametrize("text", [b"tests: [", b"\xff", b"", b"a: &a [*a]", b"[" * 5000, b"# nothing"])
def test_what_cannot_be_composed_is_left_to_the_one_who_tells_it(suite: Path, text: bytes):
    """Protects the message: the other process says nothing, and errors are told where the suite is read."""
    suite.write_bytes(text)
    code = """
begin_composing(["evals", "run", str(path)])
tell(composed_ahead(path.read_bytes()), children())
"""
    assert told_by(code, suite) == [None, []]


@pytest.mark.parametrize(
    "words",
    [
        ["evals", "list", "PATH"],
        ["evals", "run"],
        ["evals", "run", "--output", "no-such.yaml"],
        ["evals", "run", "FOLDER.yaml"],
        ["gate", "run", "PATH"],
        ["PATH"],
        [],
    ],
)
def test_other_commands_begin_nothing(suite: Path, words: list[str]):
    """Protects every other command from a process that it has no use for."""
    suite.with_name("folder.yaml").mkdir()
    named = [word.replace("PATH", str(suite)).replace("FOLDER", str(suite.with_name("folder"))) for word in words]
    code = f"begin_composing({named!r})\ntell(children(), composed_ahead(path.read_bytes()))"
    assert told_by(code, suite) == [[], None]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs a way to have one processor")
def test_on_one_processor_nothing_is_begun(suite: Path):
    """Protects small machines: the work would only be moved."""
    code = """
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
begin_composing(["evals", "run", str(path)])
tell(children())
"""
    assert told_by(code, suite) == [[]]


@several_processors
def test_where_no_process_may_be_started_nothing_is_begun(suite: Path):
    """Protects runs at a limit of processes."""
    code = """
def refused():
    raise BlockingIOError("no more processes")
os.fork = refused
files = len(os.listdir("/proc/self/fd"))
begin_composing(["evals", "run", str(path)])
tell(children(), composed_ahead(path.read_bytes()), len(os.listdir("/proc/self/fd")) - files)
"""
    assert told_by(code, suite) == [[], None, 0]


@several_processors
def test_what_nobody_asks_for_is_ended(suite: Path):
    """Protects the end of a command that was refused: it leaves no process at work."""
    suite.write_text(SUITE + "".join(f"  - vars: {{document: c{number}}}\n" for number in range(50_000)))
    code = """
begin_composing(["evals", "run", str(path)])
begun, at = len(children()), time.monotonic()
end_composing()
tell(begun, children(), time.monotonic() - at < 1)
"""
    assert told_by(code, suite) == [1, [], True]


def test_a_chain_of_aliases_cannot_nest_deeper_than_what_is_written_out(suite: Path):
    """Protects the stack: each part is flat enough by itself."""
    lines = [f"x-0: &a0 {'[' * 60}{']' * 60}"]
    lines += [f"x-{n}: &a{n} {'[' * 60}*a{n - 1}{']' * 60}" for n in range(1, 40)]
    suite.write_text("\n".join(lines) + "\ntests:\n  - vars: {x: *a39}\n    options: {disableVarExpansion: true}\n")
    with pytest.raises(SuiteError, match="nested deeper than 64 levels") as caught:
        load_suite(suite, settings=EvalSettings())
    assert "\n" not in str(caught.value)
