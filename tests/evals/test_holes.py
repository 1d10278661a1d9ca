"""Scoring without holes: what may look like a pass and is none, each as a test. Promptfoo passes several of these."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import JsonValue

from naoshi.errors import JudgeError, SuiteError
from naoshi.evals.assertions.python_code import PythonCode
from naoshi.evals.judge import Grade
from naoshi.evals.run import run_cases
from naoshi.evals.score import score
from naoshi.evals.settings import AgentSettings
from naoshi.records import Assertion, EvalCase, EvalRun, ResultState
from tests.evals.examples import NOW, case

AGENT = Path(__file__).parent / "agents" / "misbehaving.py"
RIGHT = Assertion(type="equals", value="x", transform="output.said")


class StrangeJudge:
    """Gives what it was made with, or fails with that text."""

    pin = "strange"

    def __init__(self, value: float | str) -> None:
        self._value = value

    def grade(self, *, rubric: str, output: JsonValue, vars: dict[str, JsonValue]) -> Grade:
        if isinstance(self._value, str):
            raise JudgeError(self._value)
        return Grade(score=self._value, reason="because")


def ran(folder: Path, *cases: EvalCase, timeout: float = 10.0) -> EvalRun:
    agent = AgentSettings(command=(sys.executable, str(AGENT)), timeout=timeout, start_timeout=0.5)
    return run_cases(
        cases, agent=agent, folder=folder, version="v1", suite="s", environment=os.environ, workers=1, clock=lambda: NOW
    )


def coded(code: str, **more: object) -> EvalCase:
    return case(assertions=(Assertion.model_validate({"type": "python", "value": code, **more}),))


def test_an_empty_suite_has_no_result_that_could_pass(tmp_path: Path):
    """Protects the gate: nothing is made up; it refuses a run without results."""
    assert ran(tmp_path).results == ()


def test_a_case_without_assertions_fails_and_counts(tmp_path: Path):
    """Protects against tests that show nothing."""
    found = ran(tmp_path, case("empty", vars={"say": "x"}, assertions=()))
    assert [(item.state, item.score) for item in found.results] == [(ResultState.fail, 0.0)]


@pytest.mark.parametrize(("what", "timeout"), [("crash", 10.0), ("hang", 0.5), ("garbage", 10.0), ("no_output", 10.0)])
def test_an_agent_that_gave_no_answer_is_an_error_and_counts(tmp_path: Path, what: str, timeout: float):
    """Protects the denominator: a crash or a time-out is no pass, and does not go missing."""
    bad = case("bad", vars={"do": what, "say": "x"}, assertions=(RIGHT,))
    good = case("good", vars={"say": "x"}, assertions=(RIGHT,))
    counts = ran(tmp_path, bad, good, timeout=timeout).counts()
    assert (counts[ResultState.agent_error], counts[ResultState.pass_], sum(counts.values())) == (1, 1, 2)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1, 1.1, "I would say it is rather good"])
def test_a_judge_without_a_usable_grade_is_a_judge_error(value: float | str):
    """Protects both sides: no pass for the agent, and no failure of it either."""
    rubric = case(assertions=(Assertion(type="llm-rubric", value="polite"),))
    assert score(rubric, "hello", judge=StrangeJudge(value)).state is ResultState.judge_error


@pytest.mark.parametrize(
    "code",
    [
        "float('nan')", "float('inf')", "-0.5", "1.5", "7", "None", "[1]", "'good'", "1 / 0", "missing_name",
        "object()",
        "{'score': 1, 'reason': 'no pass'}", "{'pass': None, 'score': 1, 'reason': 'x'}",
        "{'pass': True, 'reason': 'no score'}", "{'pass': True, 'score': 'high', 'reason': 'x'}",
        "{'pass': True, 'score': 1}", "{'pass': True, 'score': float('nan'), 'reason': 'x'}",
        "{'pass': True, 'score': 9, 'reason': 'x'}", "10**400", "{'pass': True, 'score': 10**400, 'reason': 'x'}",
        "'{\"pass\":' * 100000", "'1e400'", "__import__('os')._exit(0)", "__import__('sys').exit(0)",
    ],
)  # fmt: skip
def test_code_without_a_usable_grade_is_a_judge_error(code: str):
    """Protects both sides against graders that people wrote: they must say pass, score and reason, in bounds."""
    for name in ("python", "not-python"):
        graded = case(assertions=(Assertion(type=name, value=code),))
        result = score(graded, "hello")
        assert (result.state, result.score) == (ResultState.judge_error, None)
        assert result.reason


def test_code_cannot_run_for_ever_nor_print_its_own_grade():
    """Protects the run: code is bounded in time, and what it prints is no answer."""
    quick = PythonCode(timeout=0.5)
    endless = coded("while True:\n    pass\n")
    assert score(endless, "hello", python=quick).state is ResultState.judge_error
    forged = coded("print('{\"value\": true}')\nreturn False\n")
    assert score(forged, "hello").state is ResultState.fail


def test_code_runs_where_less_is_allowed_than_we_would_allow():
    """Protects runs in containers and batch systems, whose own limits must not look like broken graders."""
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (2 * 1024**3, 2 * 1024**3));"
        "resource.setrlimit(resource.RLIMIT_CPU, (5, 5));"
        "from naoshi.evals.assertions.python_code import PythonCode;"
        "print(PythonCode().call('def main(o, c): return o', 'main', 'graded', {}))"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (told.stdout, told.returncode) == ("graded\n", 0)


def test_json_with_numbers_that_no_float_holds_is_graded():
    """Protects the run: an agent's output never ends it, whatever numbers are written in it."""
    schema: JsonValue = {"type": "integer", "multipleOf": 0.5, "maximum": 5}
    for output in ("1" + "0" * 400, "-1e400", '{"a": [' + "9" * 400 + "]}"):
        for value in (schema, {"enum": [1]}, {"properties": {"a": {"items": schema}}, "type": "object"}):
            graded = case(
                assertions=(Assertion(type="is-json", value=value), Assertion(type="contains-json", value=value))
            )
            assert score(graded, output).state is ResultState.fail
        assert score(case(assertions=(Assertion(type="equals", value={"a": [1]}),)), output).state is ResultState.fail


def test_code_sees_no_secret_of_ours(monkeypatch: pytest.MonkeyPatch):
    """Protects keys: the code gets the few variables that programs need, and no other."""
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    assert score(coded("'OPENAI_API_KEY' not in __import__('os').environ"), "x").state is ResultState.pass_


def test_code_that_fails_hides_no_certain_failure():
    """Protects against code that crashes on purpose: what fails anyway stays a failure."""
    wrong = Assertion(type="equals", value="x")
    broken = Assertion(type="python", value="1 / 0")
    assert score(case(assertions=(wrong, broken), threshold=0.9), "y").state is ResultState.fail


def test_with_no_threshold_each_graded_assertion_has_to_pass():
    """Protects against a mean that hides a failure, where Promptfoo wants every assertion to pass."""
    graders = (Assertion(type="python", value="1.0"), Assertion(type="python", value="0.9", threshold=0.95))
    whole = EvalCase(case_id="c", vars={}, assertions=graders, threshold=0.8, every=True)
    assert score(whole, "x").state is ResultState.fail
    assert score(whole.model_copy(update={"every": False}), "x").state is ResultState.pass_
    assert whole.content_hash != whole.model_copy(update={"every": False}).content_hash


@pytest.mark.parametrize(
    "name", ["not-latency", "not-cost", "not-levenshtein", "not-llm-rubric", "similar", "javascript"]
)
def test_what_we_do_not_support_is_named(name: str):
    """Protects against a silent pass; the `not-` forms that Promptfoo ignores are refused too."""
    with pytest.raises(SuiteError, match=name):
        score(case(assertions=(Assertion(type=name, value="x", threshold=1),)), "x")


def test_all_five_states_are_in_every_total(tmp_path: Path):
    """Protects the reader of a total: a state that nothing is in is shown as none, not left out."""
    assert list(ran(tmp_path).counts()) == list(ResultState)
    assert set(ran(tmp_path).counts().values()) == {0}
