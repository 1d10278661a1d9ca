"""Promptfoo's results, read as ours and written from ours; the real program is in tests/peers."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from naoshi.errors import InputError, MissingProgramError
from naoshi.evals.answer import Answer
from naoshi.evals.promptfoo import find_promptfoo, read_results, write_results
from naoshi.records import Assertion, AssertionResult, CaseResult, EvalCase, EvalRun, ResultState
from tests.evals.examples import NOW, case

CASE = case("c", vars={"x": "1"}, assertions=(Assertion(type="contains", value="a", metric="letters"),))
ANSWER = Answer(case_id="c", vars={}, started_at=NOW, ended_at=NOW, latency_ms=5.0, output="abc")


def row(**more: Any) -> dict[str, Any]:
    component = {"pass": True, "score": 1, "reason": "Assertion passed", "assertion": {"type": "contains"}}
    grading = {"pass": True, "score": 1, "componentResults": [{**component, **more.pop("component", {})}]}
    return {
        "testCase": {"metadata": {"case_id": "c"}}, "success": True, "score": 1, "gradingResult": grading, **more,
    }  # fmt: skip


def read(*rows: dict[str, Any], answer: Answer = ANSWER, of: EvalCase = CASE) -> CaseResult:
    (result,) = read_results({"results": {"results": list(rows)}}, [of], {"c": answer})
    return result


def test_a_pass_is_a_pass():
    """Protects the ordinary case."""
    assert (read(row()).state, read(row()).score, read(row()).output) == (ResultState.pass_, 1.0, "abc")


@pytest.mark.parametrize(
    "component",
    [{"score": None}, {"score": float("nan")}, {"score": 1.5}, {"score": -1}, {"score": True}, {"score": "1"},
     {"pass": None}, {"pass": "yes"}],
)  # fmt: skip
def test_a_score_that_is_none_and_a_missing_pass_are_judge_errors(component: dict[str, Any]):
    """Protects the gate against the holes of what wrote the results."""
    assert read(row(component=component)).state is ResultState.judge_error


def test_what_promptfoo_does_not_mention_is_not_run_and_counts():
    """Protects the denominator, also against a file of another shape."""
    assert read().state is ResultState.not_run
    for document in ({}, {"results": []}, {"results": {"results": [1, None, {"testCase": 3}]}}):
        (result,) = read_results(document, [CASE], {"c": ANSWER})
        assert result.state is ResultState.not_run


def test_nothing_passes_that_our_rules_would_not_let_pass():
    """Protects the gate: without assertions or weight, and where Promptfoo itself says no."""
    assert read(row(), of=case("c", assertions=())).state is ResultState.fail
    assert read(row(success=False)).state is ResultState.fail
    light = CASE.model_copy(update={"assertions": (Assertion(type="contains", value="a", weight=0),)})
    assert read(row(), of=light).state is ResultState.fail


def test_the_agents_error_is_the_agents(tmp_path: Path):
    """Protects the five states: whose fault it was is what the agent's answer says."""
    failed = Answer(case_id="c", vars={}, started_at=NOW, ended_at=NOW, latency_ms=5.0, error="no answer within 1 s")
    result = read(row(success=False, error="boom"), answer=failed)
    assert (result.state, result.reason) == (ResultState.agent_error, "no answer within 1 s")


def ran(*states: ResultState) -> tuple[EvalRun, list[EvalCase]]:
    cases = [CASE.model_copy(update={"case_id": f"c{number}"}) for number in range(len(states))]
    results = tuple(
        CaseResult(
            case_id=item.case_id,
            content_hash=item.content_hash,
            category="general",
            state=state,
            score=1.0 if state is ResultState.pass_ else None,
            output={"total": "合計 \ud83d" if number == 0 else "😀"},
            assertions=(AssertionResult(type="contains", state=state, score=1.0),),
        )
        for number, (item, state) in enumerate(zip(cases, states, strict=True))
    )
    later = NOW + timedelta(seconds=2)
    return EvalRun(run_id="run_1", suite="s", version="v1", started_at=NOW, finished_at=later, results=results), cases


def test_all_five_states_are_in_the_file_and_its_totals(tmp_path: Path):
    """Protects tools: nothing that is no verdict looks like one, and each total is whole."""
    run, cases = ran(*ResultState)
    write_results(tmp_path / "out" / "r.json", run, cases)
    document = json.loads((tmp_path / "out" / "r.json").read_text(encoding="utf-8"))
    stats = document["results"]["stats"]
    assert (stats["successes"], stats["failures"], stats["errors"], stats["durationMs"]) == (1, 1, 3, 2000)
    assert stats["states"] == {state.value: 1 for state in ResultState}
    rows = document["results"]["results"]
    assert [item["success"] for item in rows] == [True, False, False, False, False]
    assert [item["failureReason"] for item in rows] == [0, 1, 2, 2, 2]
    assert [item["metadata"]["state"] for item in rows] == [state.value for state in ResultState]
    assert rows[0]["namedScores"] == {"letters": 1.0}
    assert document["evalId"] == "run_1"


def test_lines_and_an_empty_run_are_written_too(tmp_path: Path):
    """Protects large runs, which are read line by line, and the run that has nothing to say."""
    run, cases = ran(ResultState.pass_, ResultState.fail)
    write_results(tmp_path / "r.jsonl", run, cases)
    assert [json.loads(line)["success"] for line in (tmp_path / "r.jsonl").read_text().splitlines()] == [True, False]
    empty, _ = ran()
    write_results(tmp_path / "e.json", empty, [])
    document = json.loads((tmp_path / "e.json").read_text())
    assert (document["results"]["results"], set(document["results"]["stats"]["states"].values())) == ([], {0})


def test_a_file_of_another_kind_or_of_another_suite_is_refused(tmp_path: Path):
    """Protects what stands there: nothing is written that could not be read again."""
    run, cases = ran(ResultState.pass_)
    with pytest.raises(InputError, match=r"\.json"):
        write_results(tmp_path / "r.xml", run, cases)
    with pytest.raises(InputError, match="not in the suite"):
        write_results(tmp_path / "r.json", run, [])
    assert list(tmp_path.iterdir()) == []


def test_a_missing_promptfoo_is_one_line_that_says_how_to_get_it(tmp_path: Path):
    """Protects people without it: the version that PROMPTFOO_VERSION names, and the command that installs it."""
    environment = {"PATH": str(tmp_path), "NAOSHI_PEERS": str(tmp_path), "PROMPTFOO_VERSION": "9.9.9"}
    with pytest.raises(MissingProgramError, match="Node"):
        find_promptfoo(environment)
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\n")
    node.chmod(0o755)
    with pytest.raises(MissingProgramError, match=r"Promptfoo 9\.9\.9 is not installed") as caught:
        find_promptfoo(environment)
    assert "npm install --prefix" in caught.value.advice
    package = tmp_path / "promptfoo-9.9.9" / "node_modules" / "promptfoo"
    package.mkdir(parents=True)
    (package / "package.json").write_text('{"version": "9.9.9"}')
    found = find_promptfoo(environment)
    assert (found.version, found.command[0]) == ("9.9.9", str(node))
    hidden = found.environment({"OPENAI_API_KEY": "secret", "PATH": "x"}, folder=tmp_path, python="py")
    assert "secret" not in hidden.values()
