"""A run that was killed goes on where it was."""

import os
import random
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from naoshi.errors import StoreError
from naoshi.evals.partial_results import PartialResults
from naoshi.evals.run import run_cases
from naoshi.evals.settings import AgentSettings
from naoshi.records import CaseResult, EvalCase, EvalRun, ResultState
from tests.evals.examples import NOW
from tests.evals.test_run import AGENT, asking

ROOT = AGENT.parents[3]
PROGRAM = (
    "import sys; from pathlib import Path; from tests.evals.test_partial_results import run, slow_cases\n"
    "run(slow_cases(Path(sys.argv[1])), Path(sys.argv[2]), partial=Path(sys.argv[3]))"
)


def result(name: str, state: ResultState = ResultState.pass_) -> CaseResult:
    return CaseResult(
        case_id=name, content_hash="h", category="general", state=state, score=1.0, output="{{ x }} 合計\n"
    )


def opened(folder: Path, key: str = "k", **later: float) -> PartialResults:
    return PartialResults.open(folder, key=key, run_id=f"run_{key}", now=NOW + timedelta(**later))


def run(cases: list[EvalCase], folder: Path, *, partial: Path, version: str = "v1") -> EvalRun:
    return run_cases(
        cases,
        agent=AgentSettings(command=(sys.executable, str(AGENT)), timeout=10.0),
        folder=folder,
        version=version,
        suite="ours",
        environment=os.environ,
        workers=1,
        partial_folder=partial,
    )


def test_what_was_graded_is_taken_up_byte_for_byte(tmp_path: Path):
    """Protects work that was done: results, identifier and start survive; another run is another file."""
    first = opened(tmp_path)
    first.add(result("a"))
    first.add(result("b", ResultState.fail))
    first.close()
    again = opened(tmp_path, hours=1)
    assert (again.run_id, again.started_at) == ("run_k", NOW)
    assert again.done == {"a": result("a"), "b": result("b", ResultState.fail)}
    again.close()
    other = opened(tmp_path, key="other")
    assert (other.run_id, dict(other.done)) == ("run_other", {})
    other.close()


@pytest.mark.parametrize("state", [ResultState.agent_error, ResultState.judge_error, ResultState.not_run])
def test_errors_are_run_again(tmp_path: Path, state: ResultState):
    """Protects the agent: an error that the end of the machine caused is not held against it."""
    first = opened(tmp_path)
    first.add(result("a", state))
    first.close()
    again = opened(tmp_path)
    assert dict(again.done) == {}
    again.close()


@pytest.mark.parametrize("torn", [b'{"case_id": "b", "con', b"\xff\xfe\n", b"[]\n", b"nonsense\n" + b"{}\n"])
def test_a_line_that_a_crash_cut_costs_that_line(tmp_path: Path, torn: bytes):
    """Protects the file: what is whole is kept, what is not is dropped, and later lines do not join it."""
    first = opened(tmp_path)
    first.add(result("a"))
    first.close()
    with first.path.open("ab") as file:
        file.write(torn)
    again = opened(tmp_path)
    assert list(again.done) == ["a"]
    again.add(result("c"))
    again.close()
    last = opened(tmp_path)
    assert list(last.done) == ["a", "c"]
    last.close()


def test_an_old_one_and_a_broken_one_are_not_taken_up(tmp_path: Path):
    """Protects against results of a world that has changed: a day is the limit."""
    first = opened(tmp_path)
    first.add(result("a"))
    first.close()
    (tmp_path / "broken.jsonl").write_bytes(b"\xff\n")
    later = opened(tmp_path, hours=25)
    assert dict(later.done) == {}
    later.close()


def test_what_nobody_can_take_up_any_more_is_removed(tmp_path: Path):
    """Protects the disk, and what outputs say: a killed run whose suite was changed leaves nothing behind for ever."""
    for key in ("killed", "at_work"):
        part = opened(tmp_path, key)
        part.add(result("a"))
        if key == "killed":
            part.close()
    opened(tmp_path, "next_day", hours=24).close()
    assert (tmp_path / "run_killed.jsonl").exists()
    opened(tmp_path, "later", hours=25).close()
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["run_at_work", "run_later", "run_next_day"]
    part.close()


def test_two_processes_never_write_one_file(tmp_path: Path):
    """Protects against a mix of two runs: the second is told, and nothing is written."""
    first = opened(tmp_path)
    with pytest.raises(StoreError, match="another process"):
        opened(tmp_path)
    first.close()


def test_a_finished_part_is_not_asked_again(tmp_path: Path):
    """Protects time and money: only what is missing reaches the agent; another version asks for everything."""
    log, partial = tmp_path / "log", tmp_path / "runs"
    cases = [asking(name, "count_requests", count_file=str(log), number=name) for name in "ab"]
    cases.append(asking("bad", "crash"))
    first = run(cases, tmp_path, partial=partial)
    again = run(cases, tmp_path, partial=partial)
    assert log.read_text().split() == ["a", "b"]
    assert (first.run_id, first.started_at) == (again.run_id, again.started_at)
    assert [item.state for item in first.results] == [item.state for item in again.results]
    run(cases, tmp_path, partial=partial, version="v2")
    assert log.read_text().split() == ["a", "b", "a", "b"]


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path):
    """Protects long runs against SIGKILL at any moment: nothing is lost but the last batch, nothing comes twice."""
    log, partial = tmp_path / "log", tmp_path / "runs"
    words = [sys.executable, "-c", PROGRAM, str(log), str(tmp_path), str(partial)]
    with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.PIPE) as process:
        limit = time.monotonic() + 60
        while time.monotonic() < limit and not (log.exists() and log.stat().st_size > 2000):
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
    (kept,) = partial.glob("*.jsonl")
    before = log.read_text().split()
    known = opened_results(kept)
    found = run(slow_cases(log), tmp_path, partial=partial)
    asked = log.read_text().split()[len(before) :]
    assert known > 0
    assert len(asked) == 900 - known
    assert found.run_id == kept.stem
    assert [item.case_id for item in found.results] == [item.case_id for item in slow_cases(log)]
    assert found.counts()[ResultState.pass_] == 900


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again_comes_to_its_end(tmp_path: Path):
    """Protects long runs on a machine that fails often: each start keeps what the one before made durable."""
    log, partial = tmp_path / "log", tmp_path / "runs"
    draw = random.Random(os.environ.get("NAOSHI_SEED", "kills"))
    kept = 0
    for _ in range(int(os.environ.get("NAOSHI_KILLS", "6"))):
        with subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(log), str(tmp_path), str(partial)], cwd=ROOT
        ) as process:
            try:
                process.wait(draw.uniform(0.2, 1.2))
            except subprocess.TimeoutExpired:
                process.kill()
        known = sum(map(opened_results, partial.glob("*.jsonl")))
        assert known >= kept
        kept = known
    found = run(slow_cases(log), tmp_path, partial=partial)
    assert [item.case_id for item in found.results] == [item.case_id for item in slow_cases(log)]
    assert found.counts()[ResultState.pass_] == 900
    assert len(list(partial.glob("*.jsonl"))) == 1


def slow_cases(log: Path) -> list[EvalCase]:
    return [asking(f"c{number}", "count_requests", count_file=str(log), number=number) for number in range(900)]


def opened_results(path: Path) -> int:
    return path.read_bytes().count(b"\n") - 1
