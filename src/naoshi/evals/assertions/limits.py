"""`latency` and `cost`: what an answer may take."""

import math

from naoshi.errors import SuiteError
from naoshi.evals.assertions.subject import Subject, WholeFailure
from naoshi.evals.javascript import number_text
from naoshi.records.eval_case import Assertion


def check_limit(assertion: Assertion) -> None:
    """Check the threshold of `latency` (milliseconds) or `cost` (US dollars).

    Raises:
        SuiteError: there is none, or there is a value, which would mean nothing.
    """
    if assertion.threshold is None or not math.isfinite(assertion.threshold) or assertion.threshold < 0:
        raise SuiteError(f"`{assertion.type}` needs a `threshold` of at least 0")
    if assertion.value is not None:
        raise SuiteError(f"`{assertion.type}` takes a `threshold`, no `value`")


def is_fast(assertion: Assertion, subject: Subject) -> bool:
    """Return whether the answer came within the threshold."""
    if subject.latency_ms is None:
        raise WholeFailure("nobody measured how long the answer took")
    return subject.latency_ms <= _most(assertion)


def latency_words(assertion: Assertion, subject: Subject, held: bool) -> str:
    """Say how long it took."""
    return f"it took {round(subject.latency_ms or 0.0, 1)} ms, more than {number_text(_most(assertion))} ms"


def is_cheap(assertion: Assertion, subject: Subject) -> bool:
    """Return whether the answer cost at most the threshold."""
    if subject.cost is None:
        raise WholeFailure("the agent did not say what the answer cost (`cost`, in US dollars)")
    return subject.cost <= _most(assertion)


def cost_words(assertion: Assertion, subject: Subject, held: bool) -> str:
    """Say what it cost."""
    return f"it cost {subject.cost} US dollars, more than {number_text(_most(assertion))}"


def _most(assertion: Assertion) -> float:
    return 0.0 if assertion.threshold is None else assertion.threshold
