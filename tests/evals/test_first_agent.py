"""The first agent comes up while the cases are read."""

import os
import sys
import time
from pathlib import Path

import pytest

from naoshi.errors import MissingProgramError, SuiteError
from naoshi.evals.evaluation import first_agent
from naoshi.evals.run import run_cases
from naoshi.evals.runner import Runner
from naoshi.records import EvalRun, ResultState
from tests.evals.examples import NOW
from tests.evals.test_run import AGENT, asking, is_alive, settings, states

# Each agent leaves its process id, and then whatever it is asked, in files of its own.
TELLING = f"""
import os, sys
with open(f"started-{{os.getpid()}}", "w") as started: started.write(str(os.getpid()))
asked = open(f"asked-{{os.getpid()}}", "w")
sys.path.insert(0, {str(AGENT.parent)!r})
import misbehaving
class Told:
    def __iter__(self):
        for line in iter(sys.__stdin__.readline, ""):
            asked.write(line); asked.flush()
            yield line
sys.stdin = Told()
misbehaving.main()
"""


def started(folder: Path) -> list[int]:
    return [int(path.read_text()) for path in folder.glob("started-*") if path.read_text()]


def asked(folder: Path) -> str:
    return "".join(path.read_text() for path in folder.glob("asked-*"))


def wait_until_one_is_up(folder: Path) -> None:
    limit = time.monotonic() + 10
    while not started(folder) and time.monotonic() < limit:
        time.sleep(0.01)
    assert len(started(folder)) == 1


def assert_all_gone(folder: Path) -> None:
    limit = time.monotonic() + 5
    while any(is_alive(number) for number in started(folder)) and time.monotonic() < limit:
        time.sleep(0.01)
    assert not any(is_alive(number) for number in started(folder))


def ahead(folder: Path, *, runner: Runner = Runner.native, **more: object):
    agent = settings(**{"command": (sys.executable, "-c", TELLING), "workers": 3, **more})
    return first_agent(agent, folder=folder, data_root=folder, version="v1", runner=runner, clock=lambda: NOW)


def run_at(desk, folder: Path, names: str) -> EvalRun:
    return run_cases(
        [asking(name) for name in names], agent=settings(command=(sys.executable, "-c", TELLING), workers=3),
        folder=folder, version="v1", suite="ours", environment=os.environ, clock=lambda: NOW, desk=desk,
    )  # fmt: skip


@pytest.mark.parametrize("error", [SuiteError("a mistake in the suite"), KeyboardInterrupt()])
def test_it_is_asked_nothing_and_ended_when_the_cases_cannot_be_read(tmp_path: Path, error: BaseException):
    """Protects the machine and the cases: what is refused was shown to nobody, and leaves nothing behind."""
    with pytest.raises(type(error)), ahead(tmp_path) as desk:
        assert desk is not None
        wait_until_one_is_up(tmp_path)
        raise error
    assert asked(tmp_path) == ""
    assert_all_gone(tmp_path)


def test_no_more_agents_are_started_than_there_are_calls(tmp_path: Path):
    """Protects the machine: with one call the agent that is up is enough, however many may work at a time."""
    with ahead(tmp_path) as desk:
        wait_until_one_is_up(tmp_path)
        found = run_at(desk, tmp_path, "a")
    assert states(found) == {"a": ResultState.pass_}
    assert len(started(tmp_path)) == 1
    assert_all_gone(tmp_path)


def test_the_others_start_with_the_run(tmp_path: Path):
    """Protects results and the limit of workers: many calls are answered by three agents at most, one of them early."""
    with ahead(tmp_path) as desk:
        found = run_at(desk, tmp_path, "abcdefghijkl")
    assert set(states(found).values()) == {ResultState.pass_}
    assert len(found.results) == 12
    assert len(started(tmp_path)) <= 3
    assert_all_gone(tmp_path)


@pytest.mark.parametrize(
    "more", [{"runner": Runner.promptfoo}, {"command": ""}, {"command": "no-such-program"}, {"command": "python 'open"}]
)
def test_where_none_can_be_started_ahead_there_is_none(tmp_path: Path, more: dict):
    """Protects the order of errors: what is wrong with the cases is told first, and the run says the rest."""
    with ahead(tmp_path, **more) as desk:
        assert desk is None
    assert started(tmp_path) == []


def test_a_missing_program_is_told_by_the_run(tmp_path: Path):
    """Protects people: that there is no agent is still one clear error."""
    with pytest.raises(MissingProgramError, match="no-such-program"):
        run_cases(
            [asking("a")], agent=settings(command="no-such-program"), folder=tmp_path, version="v1", suite="ours",
            environment=os.environ, clock=lambda: NOW, desk=None,
        )  # fmt: skip
