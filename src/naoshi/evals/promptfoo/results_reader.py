"""Promptfoo's results as ours: five states, and nothing passes that ours would not let pass."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from naoshi.evals.answer import Answer
from naoshi.evals.assertions.graded import is_share
from naoshi.evals.promptfoo.answer_server import JUDGE_FAILED, NOT_RUN
from naoshi.evals.score import NO_OUTPUT, case_result, summed
from naoshi.records.eval_case import Assertion, EvalCase
from naoshi.records.eval_run import AssertionResult, CaseResult, ResultState

_BROKEN_CODE = ("Python code execution failed", "Error running Python script")
_LONGEST_REASON = 300


def read_results(
    document: Mapping[str, Any], cases: Sequence[EvalCase], answers: Mapping[str, Answer]
) -> tuple[CaseResult, ...]:
    """Return a result for each of *cases*, in order, from *document*, what Promptfoo wrote with ``--output``.

    ``answers`` is what the agent said, by case. A case that Promptfoo passed passes only where our rules let it: with
    assertions that have weight and scores of 0–1. One that it does not mention is ``not_run``.
    """
    found = {_case_id(row): row for row in _rows(document)}
    return tuple(_result(case, found.get(case.case_id), answers.get(case.case_id)) for case in cases)


def _rows(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    results: Any = document.get("results")
    rows: Any = cast("dict[str, Any]", results).get("results") if isinstance(results, dict) else None
    listed = cast("list[Any]", rows) if isinstance(rows, list) else []
    return [cast("dict[str, Any]", row) for row in listed if isinstance(row, dict)]


def _case_id(row: Mapping[str, Any]) -> str:
    return str(_inner(_inner(row, "testCase"), "metadata").get("case_id"))


def _inner(row: Mapping[str, Any], key: str) -> dict[str, Any]:
    value: Any = row.get(key)
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _result(case: EvalCase, row: Mapping[str, Any] | None, answer: Answer | None) -> CaseResult:
    if row is None or answer is None:
        return case_result(case, ResultState.not_run, reason="Promptfoo gave no result")
    output, latency = answer.output, answer.latency_ms
    if answer.error is not None:
        return case_result(case, ResultState.agent_error, output=output, reason=answer.error, latency_ms=latency)
    if output is None and case.assertions:
        return case_result(case, ResultState.fail, score=0.0, reason=NO_OUTPUT, latency_ms=latency)
    assertions = tuple(_assertions(case.assertions, row))
    state, score, reason = summed(case, assertions)
    if state is ResultState.pass_ and row.get("success") is not True:
        state, reason = ResultState.fail, _told(row)
    return case_result(
        case, state, score=score, output=output, reason=reason, assertions=assertions, latency_ms=latency
    )


def _assertions(assertions: Sequence[Assertion], row: Mapping[str, Any]) -> Iterator[AssertionResult]:
    """Yield a result for each assertion; where the whole row failed (a transform, say), each fails as it did."""
    components = iter(cast("list[Any]", _inner(row, "gradingResult").get("componentResults") or []))
    for assertion in assertions:
        component = next((item for item in components if _is_of(item, assertion)), None)
        if component is None:
            yield AssertionResult(type=assertion.type, state=ResultState.fail, score=0.0, reason=_told(row))
        else:
            yield _assertion(assertion, cast("dict[str, Any]", component))


def _is_of(component: Any, assertion: Assertion) -> bool:
    # Code that returns components of its own gets them listed too, after its own.
    if not isinstance(component, dict):
        return False
    return _inner(cast("dict[str, Any]", component), "assertion").get("type") in (assertion.type, None)


def _assertion(assertion: Assertion, component: Mapping[str, Any]) -> AssertionResult:
    reason = str(component.get("reason") or "")
    state, score = _state(assertion, component, reason)
    for mark in (NOT_RUN, JUDGE_FAILED):
        reason = reason.removeprefix(mark)
    if state is ResultState.judge_error and component.get("pass") is True:
        reason = f"the score {component.get('score')} is not between 0 and 1"
    # Of a pass Promptfoo says no more than that it is one, but for the words of our judge.
    told = assertion.type == "llm-rubric" or state is not ResultState.pass_
    kept = reason[:_LONGEST_REASON] if told else ""
    return AssertionResult(type=assertion.type, state=state, score=score, reason=kept)


def _state(assertion: Assertion, component: Mapping[str, Any], reason: str) -> tuple[ResultState, float | None]:
    if assertion.type == "llm-rubric" and reason.startswith(NOT_RUN):
        return ResultState.not_run, None
    broken = (assertion.type == "llm-rubric" and reason.startswith(JUDGE_FAILED)) or (
        assertion.type.endswith("python") and reason.startswith(_BROKEN_CODE)
    )
    score, passed = component.get("score"), component.get("pass")
    if broken or not isinstance(passed, bool) or not is_number(score) or not is_share(float(cast("float", score))):
        return ResultState.judge_error, None
    # Promptfoo calls an assertion without weight passed whatever it found.
    held = passed if assertion.weight > 0 else float(cast("float", score)) > 0
    return (ResultState.pass_ if held else ResultState.fail), float(cast("float", score))


def is_number(value: object) -> bool:
    """Return whether *value* is a finite number, true and false not counting as one."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _told(row: Mapping[str, Any]) -> str:
    text = str(row.get("error") or _inner(row, "gradingResult").get("reason") or "Promptfoo says it failed")
    return text.splitlines()[0][:_LONGEST_REASON]
