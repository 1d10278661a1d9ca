"""Grading one output by one case. Pure but for the judge and for Python code that people wrote as an assertion."""

import math
from functools import lru_cache

from pydantic import JsonValue

from naoshi.errors import SuiteError
from naoshi.evals.assertion_types import check_assertion, is_threshold
from naoshi.evals.assertions.kinds import Kind, kind_of
from naoshi.evals.assertions.python_code import PythonCode
from naoshi.evals.assertions.subject import FirmFailure, Subject, WholeFailure
from naoshi.evals.judge import Judge
from naoshi.evals.transform import MissingValueError, compile_transform
from naoshi.records.eval_case import Assertion, EvalCase
from naoshi.records.eval_run import AssertionResult, CaseResult, ResultState

SCORER_VERSION = "2"
NO_ASSERTIONS = "the case has no assertions, so that it can show nothing"
NO_OUTPUT = "the output is null: the agent put out nothing"
_OUR_PYTHON = PythonCode()
_RESULT_FIELDS = set(CaseResult.model_fields)


def score(
    case: EvalCase,
    output: JsonValue,
    *,
    judge: Judge | None = None,
    latency_ms: float | None = None,
    cost: float | None = None,
    python: PythonCode = _OUR_PYTHON,
) -> CaseResult:
    """Grade *output* by *case*.

    The score is the mean of the assertions' scores by weight (0–1); the case passes at or above its threshold, or, if
    it says ``every``, when each assertion with a weight passes. An assertion without a grade (no judge, or a judge or
    code that failed) leaves the case ``not_run`` or ``judge_error``, unless even full marks for it could not save the
    case. A case without assertions, without weight, or with a threshold outside (0, 1] never passes, nor does an
    output of null, nor one that lacks what a transform picks, whatever the other assertions say. ``latency_ms``
    (milliseconds) and ``cost`` (US dollars) are those of the answer.

    Raises:
        SuiteError: an assertion is malformed or of an unknown type.
    """
    for assertion in case.assertions:
        check_assertion(assertion)
    return score_checked(case, output, judge=judge, latency_ms=latency_ms, cost=cost, python=python)


def score_checked(
    case: EvalCase,
    output: JsonValue,
    *,
    judge: Judge | None,
    latency_ms: float | None,
    cost: float | None,
    python: PythonCode,
    digest: str | None = None,
) -> CaseResult:
    """Grade *output* by *case*, whose assertions `require_known` has seen, as `score` does.

    ``digest`` is the case's content hash, where it is known already.
    """
    if output is None and case.assertions:
        return case_result(case, ResultState.fail, score=0.0, reason=NO_OUTPUT, latency_ms=latency_ms, digest=digest)
    whole = Subject(case=case, value=output, latency_ms=latency_ms, cost=cost, judge=judge, python=python)
    try:
        results = tuple(_graded(assertion, whole) for assertion in case.assertions)
        state, value, reason = summed(case, results)
    except _ThrownError as thrown:
        results = tuple(thrown.of(assertion) for assertion in case.assertions)
        state, value, reason = ResultState.fail, 0.0, str(thrown)
    return case_result(
        case,
        state,
        score=value,
        output=output,
        reason=reason,
        assertions=results,
        latency_ms=latency_ms,
        digest=digest,
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
    digest: str | None = None,
) -> CaseResult:
    """Return the result of *case*, also of one that was never graded.

    ``digest`` is the case's content hash, where it is known already.
    """
    if digest is None:
        digest = hash_of(case)
    # Every part is ours already; a hundred thousand results need not be validated one by one.
    return CaseResult.of_checked(
        _RESULT_FIELDS,
        {
            "schema_version": 1,
            "case_id": case.case_id,
            "content_hash": digest,
            "category": case.category,
            "source_key": case.source_key,
            "state": state,
            "score": score,
            "output": output,
            "reason": reason,
            "assertions": assertions,
            "latency_ms": latency_ms,
            "trial": 0,
        },
    )


def hash_of(case: EvalCase) -> str:
    """Return the content hash of *case*, or "" where it has none; the gate compares no result without one."""
    try:
        return case.content_hash
    except ValueError:
        return ""  # NaN has no canonical form


def summed(case: EvalCase, results: tuple[AssertionResult, ...]) -> tuple[ResultState, float | None, str]:
    """Return state, score and reason of *case*, given what its assertions made of the output, one result for each."""
    if not results:
        return ResultState.fail, 0.0, NO_ASSERTIONS
    if not is_threshold(case.threshold):
        return ResultState.fail, 0.0, f"the threshold {case.threshold} is not above 0 and at most 1"
    weighed = [(item.weight, result) for item, result in zip(case.assertions, results, strict=True) if item.weight > 0]
    if not weighed:
        return ResultState.fail, 0.0, "no assertion carries any weight"
    if all(result.state is ResultState.pass_ and result.score == 1.0 for _, result in weighed):
        return ResultState.pass_, 1.0, ""  # full marks reach every threshold
    total = math.fsum(weight for weight, _ in weighed)
    at_least = math.fsum(weight * (result.score or 0.0) for weight, result in weighed) / total
    if not _can_pass(case, weighed, total):
        return ResultState.fail, at_least, _first_reason(weighed, ResultState.fail)
    for state in (ResultState.judge_error, ResultState.not_run):
        if any(result.state is state for _, result in weighed):
            return state, None, _first_reason(weighed, state)
    return ResultState.pass_, at_least, ""


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


def _can_pass(case: EvalCase, weighed: list[tuple[float, AssertionResult]], total: float) -> bool:
    """Return whether the case passes if every assertion without a grade got full marks."""
    if case.every:
        return all(result.state is not ResultState.fail for _, result in weighed)
    at_most = math.fsum(weight * (1.0 if result.score is None else result.score) for weight, result in weighed) / total
    # Thirds and tenths do not add up exactly; a case with 7 of 10 points reaches 0.7.
    return at_most >= case.threshold or math.isclose(at_most, case.threshold, rel_tol=1e-9)


def _first_reason(weighed: list[tuple[float, AssertionResult]], state: ResultState) -> str:
    found = next((result for _, result in weighed if result.state is state), None)
    return f"{found.type}: {found.reason}" if found else "the score is below the threshold"


class _ThrownError(Exception):
    """One assertion could not be applied to the output at all, so that the case fails."""

    def __init__(self, assertion: Assertion, reason: str) -> None:
        super().__init__(f"{assertion.type}: {reason}")
        self._assertion = assertion
        self._reason = reason

    def of(self, assertion: Assertion) -> AssertionResult:
        """Return the result of *assertion*, which was not graded unless it is the one that failed."""
        if assertion is self._assertion:
            return _failed(assertion.type, self._reason)
        return AssertionResult(type=assertion.type, state=ResultState.not_run, reason=f"not graded, for {self}")


def _graded(assertion: Assertion, whole: Subject) -> AssertionResult:
    kind = kind_of(assertion.type)
    if kind is None:
        raise SuiteError(f"the assertion {assertion.type[:80]!r} is not supported")
    try:
        subject = _transformed(assertion, whole)
        if kind.grades is not None:
            found = kind.grades(assertion, subject)
            return AssertionResult(type=assertion.type, state=found.state, score=found.score, reason=found.reason)
        return _literal(kind, assertion, subject)
    except (MissingValueError, WholeFailure) as failure:
        raise _ThrownError(assertion, str(failure)) from failure


def _transformed(assertion: Assertion, whole: Subject) -> Subject:
    if assertion.transform is None:
        return whole
    value = compile_transform(assertion.transform)(whole.value)
    if value is None:
        raise MissingValueError(f"{assertion.transform} is null")
    return Subject(
        case=whole.case,
        value=value,
        latency_ms=whole.latency_ms,
        cost=whole.cost,
        judge=whole.judge,
        python=whole.python,
    )


def _literal(kind: Kind, assertion: Assertion, subject: Subject) -> AssertionResult:
    if kind.holds is None or kind.words is None:
        raise SuiteError(f"the assertion {assertion.type!r} cannot be graded")
    try:
        held = kind.holds(assertion, subject)
        if held != assertion.type.startswith("not-"):
            return _passed(assertion.type)
        return _failed(assertion.type, kind.words(assertion, subject, held))
    except FirmFailure as failure:
        return _failed(assertion.type, str(failure))


@lru_cache(maxsize=64)
def _passed(name: str) -> AssertionResult:
    return AssertionResult(type=name, state=ResultState.pass_, score=1.0)


def _failed(name: str, reason: str) -> AssertionResult:
    return AssertionResult(type=name, state=ResultState.fail, score=0.0, reason=reason)
