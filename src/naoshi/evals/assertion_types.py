"""Whether an assertion is well formed, and cannot pass whatever the output is."""

import math

from naoshi.errors import SuiteError
from naoshi.evals.assertions.kinds import KNOWN_TYPES, Kind, kind_of
from naoshi.evals.transform import compile_transform
from naoshi.records.eval_case import Assertion


def check_assertion(assertion: Assertion) -> Kind:
    """Check that *assertion* can be graded, and that it cannot pass whatever the output is; return its kind.

    Raises:
        SuiteError: the type is unknown, or the value, threshold, weight or transform is unusable.
    """
    kind = known_kind(assertion.type)
    if not (math.isfinite(assertion.weight) and assertion.weight >= 0):
        raise SuiteError(f"the weight of `{assertion.type}` must be a number of at least 0, not {assertion.weight}")
    _check_threshold(kind, assertion)
    if assertion.transform is not None:
        compile_transform(assertion.transform)
    kind.check(assertion)
    return kind


def known_kind(name: str) -> Kind:
    """Return the kind of the assertion type *name*.

    Raises:
        SuiteError: we do not know it.
    """
    kind = kind_of(name)
    if kind is None:
        raise _unknown(name)
    return kind


def is_threshold(value: float) -> bool:
    """Return whether *value* can be a threshold: above 0 (or everything would pass) and at most 1."""
    return math.isfinite(value) and 0 < value <= 1


def is_graded(name: str) -> bool:
    """Return whether the assertion type *name* gives grades between right and wrong."""
    kind = kind_of(name)
    return kind is not None and kind.grades is not None


def _check_threshold(kind: Kind, assertion: Assertion) -> None:
    if assertion.threshold is None:
        return
    if kind.threshold is None:
        raise SuiteError(f"`{assertion.type}` has no grades, so that a threshold means nothing")
    if kind.threshold == "share" and not is_threshold(assertion.threshold):
        raise SuiteError(f"the threshold of `{assertion.type}` must be above 0 and at most 1")
    if kind.threshold == "amount" and not (math.isfinite(assertion.threshold) and assertion.threshold >= 0):
        raise SuiteError(f"the threshold of `{assertion.type}` must be a number of at least 0")


def _unknown(name: str) -> SuiteError:
    known = ", ".join(sorted(item for item in KNOWN_TYPES if not item.startswith("not-")))
    if name.startswith("not-") and kind_of(name.removeprefix("not-")) is not None:
        return SuiteError(
            f"the assertion {name[:80]!r} is not supported: Promptfoo reads it as {name.removeprefix('not-')!r}"
        )
    return SuiteError(
        f"the assertion {name[:80]!r} is not supported", hint=f"use one of {known}, or `not-` and one of them"
    )
