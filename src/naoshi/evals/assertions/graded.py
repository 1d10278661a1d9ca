"""Assertions that grade: `python` and `llm-rubric`."""

import json
from typing import Any, cast

from pydantic import JsonValue

from naoshi.errors import JudgeError, SuiteError
from naoshi.evals.assertions.python_code import GraderError, compiled_source
from naoshi.evals.assertions.subject import Finding, Subject
from naoshi.records.eval_case import Assertion
from naoshi.records.eval_run import ResultState

DEFAULT_GRADE_THRESHOLD = 0.7

_LONGEST_SCORE = 40


def check_rubric(assertion: Assertion) -> None:
    """Check the rule of `llm-rubric`.

    Raises:
        SuiteError: there is none in words.
    """
    if not isinstance(assertion.value, str) or not assertion.value.strip():
        raise SuiteError(f"`{assertion.type}` needs a rule in words")


def check_code(assertion: Assertion) -> None:
    """Check the code of `python`.

    Raises:
        SuiteError: there is none, or it is no Python.
    """
    compiled_source(assertion.value)


def judged(assertion: Assertion, subject: Subject) -> Finding:
    """Have the judge grade the output by the rule."""
    if subject.judge is None:
        return Finding(state=ResultState.not_run, score=None, reason="no judge is configured")
    try:
        grade = subject.judge.grade(rubric=str(assertion.value), output=subject.value, vars=dict(subject.case.vars))
    except JudgeError as error:
        return _broken(f"the judge failed: {error}")
    if not is_share(grade.score):
        return _broken(f"the judge's score {grade.score} is not between 0 and 1")
    if grade.advice:
        return _broken(grade.as_advice())
    threshold = DEFAULT_GRADE_THRESHOLD if assertion.threshold is None else assertion.threshold
    passed = grade.passed and grade.score >= threshold
    return Finding(state=_state(passed), score=grade.score, reason=grade.reason)


def computed(assertion: Assertion, subject: Subject) -> Finding:
    """Run the code on the output. What it returns must be a plain yes or no, a score of 0–1, or a whole grade."""
    source, function = compiled_source(assertion.value)
    try:
        value = subject.python.call(source, function, subject.value, _context(subject))
        return _finding(assertion, value)
    except GraderError as error:
        return _broken(str(error))


def is_share(score: float) -> bool:
    """Return whether *score* is a number of 0 to 1."""
    # An integer may be too large to be asked whether it is finite.
    return 0 <= score <= 1


def _context(subject: Subject) -> dict[str, JsonValue]:
    case = subject.case
    test: dict[str, JsonValue] = {"description": case.description, "vars": case.vars, "threshold": case.threshold,
                                  "metadata": {"case_id": case.case_id, "category": case.category}}  # fmt: skip
    return {"vars": case.vars, "test": test}


def _finding(assertion: Assertion, value: Any) -> Finding:
    inverse = assertion.type.startswith("not-")
    value = _read(value)
    if isinstance(value, bool):
        held = value != inverse
        return Finding(state=_state(held), score=float(held), reason="" if held else f"the code says {value}")
    if isinstance(value, int | float):
        score = _share(value)
        passed = score > 0 if assertion.threshold is None else score >= assertion.threshold
        reason = "" if passed != inverse else f"the code gives {score:g}"
        return Finding(state=_state(passed != inverse), score=score, reason=reason)
    if isinstance(value, dict):
        return _whole_grade(assertion, cast("dict[str, Any]", value), inverse)
    raise GraderError(f"the code returned {str(value)[:80]!r}, no grade")


def _whole_grade(assertion: Assertion, grade: dict[str, Any], inverse: bool) -> Finding:
    passed, score, reason = grade.get("pass", grade.get("pass_")), grade.get("score"), grade.get("reason")
    if not isinstance(passed, bool):
        raise GraderError("the grade of the code has no `pass` that is true or false")
    if isinstance(score, bool) or not isinstance(score, int | float):
        raise GraderError("the grade of the code has no `score` that is a number")
    if not isinstance(reason, str):
        raise GraderError("the grade of the code has no `reason` in words")
    share = _share(score)
    if assertion.threshold is not None:
        passed = passed and share >= assertion.threshold
    return Finding(state=_state(passed != inverse), score=share, reason=reason or f"the code says {passed}")


def _read(value: Any) -> Any:
    """Return *value*, a text in it read as Promptfoo reads it: true, false, a number, or a grade in JSON."""
    if not isinstance(value, str):
        return value
    if value.lower() in ("true", "false"):
        return value.lower() == "true"
    try:
        return json.loads(value) if value.startswith("{") else float(value)
    except (ValueError, RecursionError) as error:
        raise GraderError(f"the code returned {value[:80]!r}, no grade") from error


def _share(score: float) -> float:
    if not is_share(score):
        raise GraderError(f"the score {str(score)[:_LONGEST_SCORE]} of the code is not between 0 and 1")
    return float(score)


def _state(passed: bool) -> ResultState:
    return ResultState.pass_ if passed else ResultState.fail


def _broken(reason: str) -> Finding:
    return Finding(state=ResultState.judge_error, score=None, reason=reason)
