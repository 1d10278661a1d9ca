"""The table of assertions that we know, and in which of them `not-` and `threshold` mean something."""

from collections.abc import Callable
from typing import NamedTuple

from naoshi.evals.assertions import graded, json_document, limits, plain_text
from naoshi.evals.assertions.subject import Finding, Subject
from naoshi.records.eval_case import Assertion

Check = Callable[[Assertion], None]
Holds = Callable[[Assertion, Subject], bool]
Words = Callable[[Assertion, Subject, bool], str]
Grades = Callable[[Assertion, Subject], Finding]


class Kind(NamedTuple):
    """One kind of assertion.

    ``check`` refuses what is malformed. A literal one has ``holds`` and ``words`` (why it failed, given whether it
    held), a grading one has ``grades``. ``threshold`` is what that means: a "share" of 0 to 1, an "amount", or None.
    """

    check: Check
    holds: Holds | None = None
    words: Words | None = None
    grades: Grades | None = None
    negatable: bool = True
    threshold: str | None = None


_KINDS = {
    "equals": Kind(check=plain_text.check_equals, holds=plain_text.equals, words=plain_text.equals_words),
    "contains": Kind(check=plain_text.check_part, holds=plain_text.contains, words=plain_text.contains_words),
    "icontains": Kind(check=plain_text.check_part, holds=plain_text.icontains, words=plain_text.contains_words),
    "contains-any": Kind(check=plain_text.check_parts, holds=plain_text.contains_any, words=plain_text.any_words),
    "contains-all": Kind(check=plain_text.check_parts, holds=plain_text.contains_all, words=plain_text.all_words),
    "icontains-any": Kind(check=plain_text.check_parts, holds=plain_text.icontains_any, words=plain_text.any_words),
    "icontains-all": Kind(check=plain_text.check_parts, holds=plain_text.icontains_all, words=plain_text.all_words),
    "starts-with": Kind(check=plain_text.check_start, holds=plain_text.starts_with, words=plain_text.starts_words),
    "regex": Kind(check=plain_text.check_regex, holds=plain_text.matches, words=plain_text.regex_words),
    "is-json": Kind(
        check=json_document.check_schema_value, holds=json_document.is_json, words=json_document.is_json_words
    ),
    "contains-json": Kind(
        check=json_document.check_schema_value,
        holds=json_document.contains_json,
        words=json_document.contains_json_words,
    ),
    # Promptfoo reads the `not-` form of these four as the plain form, so that it says the opposite of what it seems.
    "levenshtein": Kind(
        check=plain_text.check_distance,
        holds=plain_text.is_near,
        words=plain_text.distance_words,
        negatable=False,
        threshold="amount",
    ),
    "latency": Kind(
        check=limits.check_limit,
        holds=limits.is_fast,
        words=limits.latency_words,
        negatable=False,
        threshold="amount",
    ),
    "cost": Kind(
        check=limits.check_limit, holds=limits.is_cheap, words=limits.cost_words, negatable=False, threshold="amount"
    ),
    "llm-rubric": Kind(check=graded.check_rubric, grades=graded.judged, negatable=False, threshold="share"),
    "python": Kind(check=graded.check_code, grades=graded.computed, threshold="share"),
}
_BY_TYPE = {**_KINDS, **{f"not-{name}": kind for name, kind in _KINDS.items() if kind.negatable}}
KNOWN_TYPES = frozenset(_BY_TYPE)


def kind_of(name: str) -> Kind | None:
    """Return the kind of the assertion type *name*, `not-` forms included, or None where we do not know it."""
    return _BY_TYPE.get(name)
