"""Grading that takes its time, beside agents that go on meanwhile."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import JsonValue

from naoshi.evals import Grade
from naoshi.evals.run import run_cases
from naoshi.records import Assertion, EvalCase, EvalRun, ResultState
from tests.evals.examples import case
from tests.evals.test_run import assert_gone, settings, states

SLOW_CODE = "__import__('time').sleep(0.5) or True"


class SlowJudge:
    """Grades after *seconds*, and remembers how many grades were being given at the same time."""

    pin = "slow"

    def __init__(self, *, seconds: float, fault: Exception | None = None) -> None:
        self.most = 0
        self._seconds = seconds
        self._fault = fault
        self._at_work = 0
        self._lock = threading.Lock()

    def grade(self, *, rubric: str, output: JsonValue, vars: dict[str, JsonValue]) -> Grade:
        with self._lock:
            self._at_work += 1
            self.most = max(self.most, self._at_work)
        time.sleep(self._seconds)
        with self._lock:
            self._at_work -= 1
        if self._fault is not None:
            raise self._fault
        return Grade(score=1.0, reason="")


def graded(name: str, kind: str = "llm-rubric", value: str = "good", **variables: JsonValue) -> EvalCase:
    return case(name, vars={"say": name, **variables}, assertions=(Assertion(type=kind, value=value),))


def quick(name: str) -> EvalCase:
    return case(name, vars={"say": name}, assertions=(Assertion(type="contains", value=name),))


def run(
    cases: list[EvalCase],
    folder: Path,
    *,
    workers: int = 4,
    judge: SlowJudge | None = None,
    told: Callable[[str], None] = lambda _: None,
    **more: object,
) -> EvalRun:
    return run_cases(
        cases,
        agent=settings(**more),
        folder=folder,
        version="v1",
        suite="ours",
        environment={},
        workers=workers,
        judge=judge,
        on_result=lambda result: told(result.case_id),
    )


def test_a_judge_is_asked_several_things_at_a_time_and_never_too_many(tmp_path: Path):
    """Protects the hour that a suite of rubrics takes, and the endpoint from more at a time than there are workers."""
    judge = SlowJudge(seconds=0.05)
    found = run([graded(f"c{number:02d}") for number in range(40)], tmp_path, judge=judge)
    assert 2 <= judge.most <= 4
    assert [(item.case_id, item.state) for item in found.results] == [
        (f"c{number:02d}", ResultState.pass_) for number in range(40)
    ]


def test_slow_grading_holds_up_neither_other_cases_nor_their_latency(tmp_path: Path):
    """Protects the limits on `latency`: time in which a grade is waited for is not the agent's."""
    told: list[str] = []
    cases = [*(graded(f"slow{number}", "python", SLOW_CODE) for number in range(3)), *map(quick, "abcdef")]
    found = run(cases, tmp_path, workers=1, told=told.append)
    assert set(states(found).values()) == {ResultState.pass_}
    assert set(told[:6]) == set("abcdef")
    assert all(item.latency_ms is not None and item.latency_ms < 450 for item in found.results)


def test_an_agent_that_will_not_end_holds_up_no_other(tmp_path: Path):
    """Protects latency and time limits of the others while one that ignores polite signals is ended."""
    pid_file = tmp_path / "pid"
    stuck = case("stuck", vars={"do": "ignores_sigterm", "pid_file": str(pid_file)})
    others = [
        case(f"c{number}", vars={"do": "slow", "say": "yes", "seconds": 0.1, "number": number}) for number in range(12)
    ]
    found = run([stuck, *others], tmp_path, workers=2, timeout=0.3, start_timeout=0.3)
    assert found.results[0].state is ResultState.agent_error
    assert {item.state for item in found.results[1:]} == {ResultState.pass_}
    assert all(item.latency_ms is not None and item.latency_ms < 450 for item in found.results[2:])
    assert_gone(pid_file)


def test_what_a_judge_breaks_with_is_not_swallowed(tmp_path: Path):
    """Protects against a run that hangs or lies where a grader has a mistake of its own."""
    judge = SlowJudge(seconds=0, fault=ZeroDivisionError("a mistake"))
    with pytest.raises(ZeroDivisionError, match="a mistake"):
        run([graded(f"c{number}") for number in range(20)], tmp_path, judge=judge)


def test_an_error_elsewhere_ends_code_that_is_running(tmp_path: Path):
    """Protects against graders left behind, and against waiting for them when all is given up."""
    pid_file = tmp_path / "pid"
    code = f"open({str(pid_file)!r}, 'w').write(str(__import__('os').getpid())) and __import__('time').sleep(600)"
    others = [case(f"c{number}", vars={"do": "slow", "seconds": 0.2, "number": number}) for number in range(300)]
    refused: list[float] = []

    def refuse(_: str) -> None:
        if pid_file.exists() and pid_file.read_text():
            refused.append(time.monotonic())
            raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        run([graded("endless", "python", code), *others], tmp_path, workers=1, told=refuse)
    assert time.monotonic() - refused[0] < 8
    assert_gone(pid_file)
