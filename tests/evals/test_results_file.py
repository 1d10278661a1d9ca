"""Files of results of any pipeline, read as runs that the gate can compare."""

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naoshi.errors import InputError, MissingPathError
from naoshi.evals.promptfoo import write_results
from naoshi.evals.results_file import ResultsFile, read_results_file
from naoshi.records import Assertion, AssertionResult, CaseResult, EvalRun, ResultState
from tests.evals.examples import NOW, case


def row(**more: Any) -> dict[str, Any]:
    """A row as Promptfoo writes it."""
    test = {"vars": {"x": "hello"}, "assert": [{"type": "contains", "value": "a"}], **more.pop("test", {})}
    component = {"pass": True, "score": 1, "reason": "Assertion passed", "assertion": test["assert"][:1][0]}
    grading = {"pass": True, "score": 1, "componentResults": [{**component, **more.pop("component", {})}]}
    return {
        "testCase": test, "success": True, "score": 1, "gradingResult": grading, "failureReason": 0, "promptIdx": 0,
        "response": {"output": "abc"}, **more,
    }  # fmt: skip


def rubric(*, test: Mapping[str, Any] = {}, **more: Any) -> dict[str, Any]:
    """A row that a model graded."""
    asked = {"assert": [{"type": "llm-rubric", "value": "is kind"}], **test}
    return row(test=asked, **more)


def written(folder: Path, *rows: Mapping[str, Any], version: str = "0.121.9", name: str = "out.json") -> ResultsFile:
    document = {
        "evalId": "eval-1",
        "results": {"version": 3, "timestamp": "2026-03-08T09:30:00Z", "results": list(rows)},
        "metadata": {"promptfooVersion": version},
    }
    path = folder / name
    path.write_text(json.dumps(document))
    return read_results_file(path)


def only(folder: Path, *rows: Mapping[str, Any]) -> CaseResult:
    (result,) = written(folder, *rows).run.results
    return result


def test_a_test_without_a_name_is_called_by_what_it_asks(tmp_path: Path):
    """Protects the reader: a description or the vars, and enough of a hash that two tests never share a name."""
    found = written(
        tmp_path,
        row(),
        row(test={"description": "greets"}),
        row(test={"assert": [{"type": "contains", "value": "b"}]}),
        row(test={"metadata": {"case_id": "mine", "category": "safety", "source_key": "trace 1"}}),
    )
    first, second, third, fourth = found.run.results
    assert first.case_id.startswith('{"x": "hello"} (')
    assert second.case_id.startswith("greets (")
    assert first.case_id != third.case_id
    assert (fourth.case_id, fourth.category, fourth.source_key) == ("mine", "safety", "trace 1")
    assert {item.trial for item in found.run.results} == {0}


def test_the_same_test_again_is_one_more_trial(tmp_path: Path):
    """Protects k > 1: `promptfoo eval --repeat 3` gives three trials of a case and not three cases."""
    found = written(tmp_path, row(), row(success=False), row())
    assert [item.trial for item in found.run.results] == [0, 1, 2]
    assert len({item.case_id for item in found.run.results}) == 1


def test_prompts_and_providers_are_cases_of_one_source(tmp_path: Path):
    """Protects the statistics: two columns of one test are no two independent observations."""
    one, other = written(tmp_path, row(), row(promptIdx=1)).run.results
    assert (one.case_id != other.case_id, one.source_key) == (True, other.source_key)


@pytest.mark.parametrize(
    ("more", "state"),
    [
        ({}, "pass"),
        ({"success": False, "failureReason": 1}, "fail"),
        ({"success": False, "failureReason": 2, "error": "exploded", "gradingResult": None}, "agent_error"),
        ({"success": False, "error": "exploded", "gradingResult": None, "failureReason": None}, "agent_error"),
        ({"component": {"pass": False, "score": 0}, "success": False}, "fail"),
        ({"component": {"metadata": {"graderError": True}}}, "judge_error"),
        ({"component": {"reason": "Custom function threw error: x", "pass": False}, "success": False}, "judge_error"),
        ({"component": {"reason": "Python code execution failed", "pass": False}, "success": False}, "judge_error"),
        ({"component": {"score": float("nan")}}, "judge_error"),
        ({"component": {"score": 1.5}}, "judge_error"),
        ({"component": {"score": None}}, "judge_error"),
        ({"component": {"pass": None}}, "judge_error"),
        ({"component": {"pass": "yes"}}, "judge_error"),
        ({"component": {"score": 0, "assertion": {"type": "contains", "weight": 0}}}, "fail"),
        ({"score": float("nan")}, "judge_error"),
        ({"score": float("inf")}, "judge_error"),
        ({"score": 7}, "judge_error"),
        ({"score": None}, "judge_error"),
        ({"gradingResult": {"pass": True, "score": 1, "reason": "No assertions"}}, "fail"),
        ({"gradingResult": {"pass": False, "score": 1, "componentResults": [{"pass": True, "score": 1}]}}, "fail"),
        ({"gradingResult": None}, "fail"),
        ({"success": "true"}, "fail"),
        ({"success": None}, "fail"),
    ],
)
def test_nothing_passes_that_has_a_hole(more: dict[str, Any], state: str, tmp_path: Path):
    """Protects the gate against what Promptfoo lets pass: nothing asserted, odd scores, missing fields."""
    assert only(tmp_path, row(**more)).state.value == state


def test_a_grader_that_failed_is_no_failure_of_the_agent(tmp_path: Path):
    """Protects the agent: Promptfoo leaves out which assertion it was when the grader's answer cannot be read."""
    lost = {"componentResults": [{"pass": False, "score": 0, "reason": "Could not extract JSON"}]}
    assert only(tmp_path, rubric(success=False, gradingResult=lost)).state is ResultState.judge_error
    assert only(tmp_path, row(success=False, gradingResult=lost)).state is ResultState.fail


def test_the_agent_cannot_say_what_became_of_a_case(tmp_path: Path):
    """Protects against hostile metadata: Promptfoo merges what the provider returns into that of the row."""
    said = {"state": "pass", "case_id": "another", "category": "general", "runner": "naoshi"}
    hostile = row(success=False, metadata=said, test={"metadata": {"case_id": "mine", "category": "safety"}})
    found = only(tmp_path, hostile)
    assert (found.case_id, found.category, found.state.value) == ("mine", "safety", "fail")
    hidden = only(tmp_path, row(success=False, metadata={"state": "judge_error"}))
    assert hidden.state is ResultState.fail


def test_another_grader_makes_runs_incomparable_and_another_agent_does_not(tmp_path: Path):
    """Protects the pin of the judge: its model, its prompt and the version of what graded, where a model graded."""
    first = written(tmp_path, rubric(), row())
    for other in (
        written(tmp_path, rubric(test={"options": {"provider": "openai:another"}}), row()),
        written(tmp_path, rubric(test={"options": {"rubricPrompt": "be mild"}}), row()),
        written(tmp_path, rubric(test={"assert": [{"type": "llm-rubric", "value": "is kind", "provider": "p"}]})),
        written(tmp_path, rubric(), row(), version="0.200.0"),
    ):
        assert other.graded_as(first).settings_hash != first.run.settings_hash
        assert {item.case_id for item in other.run.results} <= {item.case_id for item in first.run.results}
    literal = written(tmp_path, row(), version="0.200.0")
    assert literal.graded_as(first).settings_hash == first.run.settings_hash
    assert written(tmp_path, rubric(), row(provider={"id": "new agent"})).graded_as(first).settings_hash == (
        first.run.settings_hash
    )


def test_our_own_file_keeps_the_five_states_and_the_pin(tmp_path: Path):
    """Protects the way round: what `--output` wrote is read back with every state, category and source."""
    cases = [case(state.value, assertions=(Assertion(type="contains", value="a"),)) for state in ResultState]
    results = tuple(
        CaseResult(
            case_id=item.case_id,
            content_hash=item.content_hash,
            category=item.category,
            source_key=item.source_key,
            state=ResultState(item.case_id),
            score=1.0 if item.case_id == "pass" else None,
            assertions=(AssertionResult(type="contains", state=ResultState(item.case_id), score=None),),
        )
        for item in cases
    )
    run = EvalRun(run_id="run_1", suite="s", version="v3", started_at=NOW, finished_at=NOW, settings_hash="pinned",
                  results=results)  # fmt: skip
    write_results(tmp_path / "ours.json", run, cases)
    found = read_results_file(tmp_path / "ours.json").run
    assert (found.run_id, found.version, found.settings_hash) == ("run_1", "v3", "pinned")
    assert [(item.case_id, item.state, item.category) for item in found.results] == [
        (item.case_id, item.state, item.category) for item in results
    ]
    (tmp_path / "record.json").write_text(run.to_json())
    assert read_results_file(tmp_path / "record.json").run == run


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not one JSON document"),
        ('{"a": 1}\n{"a": 2}\n', "jsonl"),
        ("[]", "a list or a bare value"),
        ("3", "a list or a bare value"),
        ("{}", "no results: run_id"),
        ('{"results": []}', "holds no results"),
        ('{"results": {"results": 3}}', "holds no results"),
        ('{"results": {"results": [{}, null]}}', "results.results.1 is no JSON object"),
        ("[" * 100_000, "nested too deep"),
    ],
)
def test_what_holds_no_results_is_refused_in_one_line(text: str, told: str, tmp_path: Path):
    """Protects against a file of another kind being compared as an empty run."""
    path = tmp_path / "odd.json"
    path.write_text(text)
    with pytest.raises(InputError, match=r"odd\.json") as refused:
        read_results_file(path)
    assert told in refused.value.line()
    with pytest.raises(MissingPathError):
        read_results_file(tmp_path / "none.json")


def test_an_empty_run_stays_empty_and_a_row_without_a_test_fails(tmp_path: Path):
    """Protects the reader's process; that an empty run never passes is the gate's own rule."""
    path = tmp_path / "out.json"
    path.write_text(json.dumps({"results": {"results": []}}))
    assert read_results_file(path).run.results == ()
    path.write_text(json.dumps({"results": {"results": [{"testCase": 3}]}}))
    assert [item.state for item in read_results_file(path).run.results] == [ResultState.fail]


ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.floats()
    | st.sampled_from(["", "pass", "\ud800", "llm-rubric"]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["type", "pass", "x"]), inner, max_size=2)
    ),
    max_leaves=5,
)
KEYS = ["testCase", "success", "score", "gradingResult", "failureReason", "promptIdx", "response", "latencyMs", "error"]
INNER = ["vars", "assert", "metadata", "options", "description", "componentResults", "pass", "score", "output"]
ROWS = st.dictionaries(
    st.sampled_from(KEYS), ODD | st.dictionaries(st.sampled_from(INNER), ODD, max_size=4), max_size=6
)


@settings(max_examples=200)
@given(rows=st.lists(ROWS, max_size=3), ours=st.booleans())
def test_whatever_stands_in_a_row_is_read_and_never_passes_by_accident(rows: list[dict[str, Any]], ours: bool):
    """Protects the gate against a file that somebody else wrote: a result for each row, or one clear refusal."""
    document = {"results": {"results": rows}, "metadata": {"runner": "naoshi"} if ours else {}}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "odd.json"
        path.write_text(json.dumps(document))
        try:
            found = read_results_file(path).run
        except InputError:
            return
    assert len(found.results) == len(rows)
    for item, written in zip(found.results, rows, strict=True):
        assert item.state is not ResultState.pass_ or written["success"] is True
