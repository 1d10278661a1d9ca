"""The assertions that we know, and what each needs to be well formed."""

import json
import math
from collections.abc import Callable

from pydantic import JsonValue

from naoshi.errors import SuiteError
from naoshi.evals.javascript_pattern import check_pattern
from naoshi.evals.json_schema import check_schema
from naoshi.evals.transform import compile_transform
from naoshi.records.eval_case import Assertion


def check_assertion(assertion: Assertion) -> None:
    """Check that *assertion* can be graded, and that it cannot pass whatever the output is.

    Raises:
        SuiteError: the type is unknown, or the value, threshold, weight or transform is unusable.
    """
    check = _CHECKS.get(assertion.type)
    if check is None:
        raise SuiteError(
            f"the assertion {assertion.type[:80]!r} is not supported", hint=f"use one of {', '.join(sorted(_CHECKS))}"
        )
    if not (math.isfinite(assertion.weight) and assertion.weight >= 0):
        raise SuiteError(f"the weight of `{assertion.type}` must be a number of at least 0, not {assertion.weight}")
    if assertion.threshold is not None:
        if not is_threshold(assertion.threshold):
            raise SuiteError(f"the threshold of `{assertion.type}` must be above 0 and at most 1")
        if assertion.type not in GRADED:
            raise SuiteError(f"`{assertion.type}` has no grades, so that a threshold means nothing")
    if assertion.transform is not None:
        compile_transform(assertion.transform)
    check(assertion.type, assertion.value)


def is_threshold(value: float) -> bool:
    """Return whether *value* can be a threshold: above 0 (or everything would pass) and at most 1."""
    return math.isfinite(value) and 0 < value <= 1


def _check_equals(name: str, value: JsonValue) -> None:
    if value is None:
        raise SuiteError(f"`{name}` needs a value")
    _check_finite(name, value)


def _check_part(name: str, value: JsonValue) -> None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise SuiteError(f"`{name}` needs a text or a number")
    if value == "":
        raise SuiteError(f"`{name}` with an empty text says nothing: every output contains it")
    _check_finite(name, value)


def _check_regex(name: str, value: JsonValue) -> None:
    if not isinstance(value, str) or not value:
        raise SuiteError(f"`{name}` needs a pattern")
    check_pattern(value)


def _check_json(name: str, value: JsonValue) -> None:
    if value is not None:
        check_schema(value)


def _check_rubric(name: str, value: JsonValue) -> None:
    if not isinstance(value, str) or not value.strip():
        raise SuiteError(f"`{name}` needs a rule in words")


def _check_finite(name: str, value: JsonValue) -> None:
    try:
        json.dumps(value, allow_nan=False)
    except ValueError as error:
        raise SuiteError(f"the value of `{name}` holds NaN or infinity, which equals nothing") from error


_CHECKS: dict[str, Callable[[str, JsonValue], None]] = {
    "equals": _check_equals,
    "contains": _check_part,
    "icontains": _check_part,
    "not-contains": _check_part,
    "regex": _check_regex,
    "is-json": _check_json,
    "llm-rubric": _check_rubric,
}
GRADED = frozenset({"llm-rubric"})
KNOWN_TYPES = frozenset(_CHECKS)
