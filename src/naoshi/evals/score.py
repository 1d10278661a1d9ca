"""Grading one output by one case. Pure but for the judge, which is handed in."""

import json
import math
from collections.abc import Callable
from typing import NoReturn

from pydantic import JsonValue

from naoshi.errors import SuiteError
from naoshi.evals.assertion_types import GRADED, check_assertion, is_threshold
from naoshi.evals.javascript import as_output_text, number_text
from naoshi.evals.javascript_pattern import PatternTimeoutError, found_in
from naoshi.evals.json_schema import schema_violation
from naoshi.evals.judge import Judge, JudgeError
from naoshi.evals.transform import MissingValueError, compile_transform
from naoshi.records.eval_case import Assertion, EvalCase
from naoshi.records.eval_run import AssertionResult, CaseResult, ResultState

SCORER_VERSION = "1"
DEFAULT_GRADE_THRESHOLD = 0.7
_SHOWN = 120


def score(
    case: EvalCase, output: JsonValue, *, judge: Judge | None = None, latency_ms: float | None = None
) -> CaseResult:
    """Grade *output* by *case*.

    The score is the mean of the assertions' scores by weight (0–1); the case passes at or above its threshold. An
    assertion without a grade (no judge, or a judge that failed) leaves the case ``not_run`` or ``judge_error``, unless
    even full marks for it could not save the case. A case without assertions, without weight, or with a threshold
    outside (0, 1] never passes.

    Raises:
        SuiteError: an assertion is malformed or of an unknown type.
    """
    for assertion in case.assertions:
        check_assertion(assertion)
    results = tuple(_graded(case, assertion, output, judge) for assertion in case.assertions)
    state, value, reason = _summed(case, results)
    return case_result(
        case, state, score=value, output=output, reason=reason, assertions=results, latency_ms=latency_ms
    )


def case_result(
    case: EvalCase,
    state: ResultState,
    *,
    score: float | None = None,
    output: JsonValue = None,
    reason: str = "",
    assertions: tuple[AssertionResult, ...] = (),
    latency_ms: float | None = None,
) -> CaseResult:
    """Return the result of *case*, also of one that was never graded."""
    try:
        digest = case.content_hash
    except ValueError:
        digest = ""  # NaN has no canonical form; the gate compares no result without a hash
    return CaseResult(
        case_id=case.case_id,
        content_hash=digest,
        category=case.category,
        source_key=case.source_key,
        state=state,
        score=score,
        output=output,
        reason=reason,
        assertions=assertions,
        latency_ms=latency_ms,
    )


def _summed(case: EvalCase, results: tuple[AssertionResult, ...]) -> tuple[ResultState, float | None, str]:
    if not results:
        return ResultState.fail, 0.0, "the case has no assertions, so that it can show nothing"
    if not is_threshold(case.threshold):
        return ResultState.fail, 0.0, f"the threshold {case.threshold} is not above 0 and at most 1"
    total = math.fsum(item.weight for item in case.assertions)
    if not total > 0:
        return ResultState.fail, 0.0, "no assertion carries any weight"
    weighed = [(item.weight, result) for item, result in zip(case.assertions, results, strict=True) if item.weight > 0]
    at_least = math.fsum(weight * (result.score or 0.0) for weight, result in weighed) / total
    at_most = math.fsum(weight * (1.0 if result.score is None else result.score) for weight, result in weighed) / total
    if not _reaches(at_most, case.threshold):
        return ResultState.fail, at_least, _first_reason(weighed, ResultState.fail)
    for state in (ResultState.judge_error, ResultState.not_run):
        if any(result.state is state for _, result in weighed):
            return state, None, _first_reason(weighed, state)
    return ResultState.pass_, at_least, ""


def _reaches(value: float, threshold: float) -> bool:
    # Thirds and tenths do not add up exactly; a case with 7 of 10 points reaches 0.7.
    return value >= threshold or math.isclose(value, threshold, rel_tol=1e-9)


def _first_reason(weighed: list[tuple[float, AssertionResult]], state: ResultState) -> str:
    found = next((result for _, result in weighed if result.state is state), None)
    return f"{found.type}: {found.reason}" if found else "the score is below the threshold"


def _graded(case: EvalCase, assertion: Assertion, output: JsonValue, judge: Judge | None) -> AssertionResult:
    try:
        value = compile_transform(assertion.transform)(output) if assertion.transform else output
    except MissingValueError as missing:
        return _literal(assertion, str(missing))
    if assertion.type in GRADED:
        return _judged(case, assertion, value, judge)
    try:
        return _literal(assertion, _FAULTS[assertion.type](assertion.value, value))
    except PatternTimeoutError as late:
        return _literal(assertion, str(late))


def _literal(assertion: Assertion, fault: str | None) -> AssertionResult:
    state = ResultState.pass_ if fault is None else ResultState.fail
    return AssertionResult(type=assertion.type, state=state, score=float(fault is None), reason=fault or "")


def _judged(case: EvalCase, assertion: Assertion, value: JsonValue, judge: Judge | None) -> AssertionResult:
    if judge is None:
        return AssertionResult(type=assertion.type, state=ResultState.not_run, reason="no judge is configured")
    try:
        grade = judge.grade(rubric=str(assertion.value), output=value, vars=dict(case.vars))
    except JudgeError as error:
        return AssertionResult(type=assertion.type, state=ResultState.judge_error, reason=f"the judge failed: {error}")
    if not (math.isfinite(grade.score) and 0 <= grade.score <= 1):
        reason = f"the judge's score {grade.score} is not between 0 and 1"
        return AssertionResult(type=assertion.type, state=ResultState.judge_error, reason=reason)
    threshold = DEFAULT_GRADE_THRESHOLD if assertion.threshold is None else assertion.threshold
    state = ResultState.pass_ if grade.score >= threshold else ResultState.fail
    return AssertionResult(type=assertion.type, state=state, score=grade.score, reason=grade.reason)


def _equals_fault(expected: JsonValue, value: JsonValue) -> str | None:
    if isinstance(expected, dict | list):
        found, fault = _parsed(value) if isinstance(value, str) else (value, None)
        same = fault is None and _same_json(expected, found)
    else:
        same = _plain_text(expected) == as_output_text(value)
    return None if same else f"expected {_shown(expected)}, got {_shown(value)}"


def _contains_fault(expected: JsonValue, value: JsonValue) -> str | None:
    if _plain_text(expected) in as_output_text(value):
        return None
    return f"{_shown(expected)} is not in {_shown(value)}"


def _icontains_fault(expected: JsonValue, value: JsonValue) -> str | None:
    if _plain_text(expected).lower() in as_output_text(value).lower():
        return None
    return f"{_shown(expected)} is not in {_shown(value)}, whatever the case"


def _not_contains_fault(expected: JsonValue, value: JsonValue) -> str | None:
    return None if _contains_fault(expected, value) else f"{_shown(expected)} is in {_shown(value)}"


def _regex_fault(pattern: JsonValue, value: JsonValue) -> str | None:
    return None if found_in(str(pattern), as_output_text(value)) else f"{_shown(value)} does not match {pattern}"


def _json_fault(schema: JsonValue, value: JsonValue) -> str | None:
    found, fault = _parsed(value) if isinstance(value, str) else (value, None)
    if fault is not None or schema is None:
        return fault
    return schema_violation(schema, found)


_FAULTS: dict[str, Callable[[JsonValue, JsonValue], str | None]] = {
    "equals": _equals_fault,
    "contains": _contains_fault,
    "icontains": _icontains_fault,
    "not-contains": _not_contains_fault,
    "regex": _regex_fault,
    "is-json": _json_fault,
}


def _plain_text(expected: JsonValue) -> str:
    if isinstance(expected, bool):
        return "true" if expected else "false"
    return number_text(expected) if isinstance(expected, int | float) else str(expected)


def _parsed(text: str) -> tuple[JsonValue, str | None]:
    try:
        return json.loads(text, parse_constant=_refuse_constant), None
    except (ValueError, RecursionError) as error:
        return None, f"not JSON ({str(error)[:_SHOWN]})"


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _same_json(left: JsonValue, right: JsonValue) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same_json(item, right[key]) for key, item in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(_same_json(a, b) for a, b in zip(left, right, strict=True))
    return left == right


def _shown(value: JsonValue) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def require_known(case: EvalCase) -> None:
    """Check that every assertion of *case* can be graded.

    Raises:
        SuiteError: one cannot; the message names the case.
    """
    for assertion in case.assertions:
        try:
            check_assertion(assertion)
        except SuiteError as error:
            raise SuiteError(f"{case.case_id}: {error.message}", hint=error.advice) from error
