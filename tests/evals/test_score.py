"""Grading one output."""

import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from naoshi.errors import JudgeError, SuiteError
from naoshi.evals.judge import Grade
from naoshi.evals.score import score
from naoshi.records import Assertion, EvalCase, ResultState
from tests.evals.examples import case


class FixedJudge:
    """Gives one score to everything."""

    pin = "fixed"

    def __init__(self, value: float) -> None:
        self.value = value

    def grade(self, *, rubric: str, output: JsonValue, vars: dict[str, JsonValue]) -> Grade:
        return Grade(score=self.value, reason="because")


class BrokenJudge(FixedJudge):
    """Never gives a grade."""

    def grade(self, *, rubric: str, output: JsonValue, vars: dict[str, JsonValue]) -> Grade:
        raise JudgeError("the model said nothing")


def asking(*assertions: Assertion, threshold: float = 0.7) -> EvalCase:
    return case(assertions=assertions, threshold=threshold)


def state(assertion_type: str, value: JsonValue, output: JsonValue, transform: str | None = None) -> ResultState:
    return score(asking(Assertion(type=assertion_type, value=value, transform=transform)), output).state


RUBRIC = Assertion(type="llm-rubric", value="is polite")
YES = Assertion(type="equals", value="yes")


@pytest.mark.parametrize(
    ("assertion_type", "value", "right", "wrong"),
    [
        ("equals", "yes", "yes", "Yes"),
        ("equals", "", "", " "),
        ("equals", 12, 12, 12.5),
        ("equals", 12, "12", "12.0"),
        ("equals", 12.0, 12, 13),
        ("equals", True, True, 1),
        ("equals", {"a": [1, "x"]}, {"a": [1, "x"]}, {"a": [1]}),
        ("equals", {"a": 1}, '{"a": 1}', '{"a": true}'),
        ("equals", [], "[]", "not JSON"),
        ("equals", {"a": 1}, {"a": 1.0}, {"a": 1, "b": 2}),
        ("contains", "合計", "お会計 合計 900", "小計"),
        ("contains", 9, {"total": 900}, "eight"),
        ("icontains", "total", "SUBTOTAL", "tota1"),
        ("not-contains", "sorry", "here you are", "so sorry"),
        ("regex", r"^\d{4}-\d{2}$", "2018-03", "2018-03\n"),
        ("regex", r"^\d+$", "12", "１２"),
        ("is-json", None, "[1]", "[1"),
        ("is-json", None, {"a": 1}, "NaN"),
        ("is-json", {"type": "object", "required": ["a"]}, '{"a": 1}', "{}"),
        ("is-json", {"properties": {"a": {"pattern": r"^\d$"}}}, {"a": "1"}, {"a": "1\n"}),
        ("is-json", {"patternProperties": {"^a": {"type": "string"}}}, {"ab": "1"}, {"ab": 1}),
    ],
)
def test_each_kind_passes_what_is_right_and_fails_what_is_not(
    assertion_type: str, value: JsonValue, right: JsonValue, wrong: JsonValue
):
    """Protects the meaning of every assertion that we know."""
    assert state(assertion_type, value, right) is ResultState.pass_
    assert state(assertion_type, value, wrong) is ResultState.fail


@pytest.mark.parametrize("output", [None, "", [], 0, {}, {"total": None}, {"total": 12}, "total"])
def test_a_field_that_is_not_there_is_a_failure_with_a_reason(output: JsonValue):
    """Protects the run against an agent that leaves a field out: a score of 0, never a crash."""
    wanted = Assertion(type="equals", value="12", transform="output.total.trim()")
    result = score(asking(wanted), output)
    assert (result.state, result.score) == (ResultState.fail, 0.0)
    assert "output" in result.reason


@pytest.mark.parametrize(
    "assertion",
    [
        Assertion(type="vibes", value="good"),
        Assertion(type="not-vibes", value="x"),
        Assertion(type="not-latency", threshold=1),
        Assertion(type="not-llm-rubric", value="polite"),
        Assertion(type="latency"),
        Assertion(type="cost", value=0.1),
        Assertion(type="contains-any", value=[]),
        Assertion(type="contains-all", value='a,"b'),
        Assertion(type="icontains-any", value=["a", ""]),
        Assertion(type="contains", value=0),
        Assertion(type="starts-with", value=3),
        Assertion(type="levenshtein", value=3),
        Assertion(type="levenshtein", value="x", threshold=-1),
        Assertion(type="python", value=" "),
        Assertion(type="python", value="return 1 +"),
        Assertion(type="equals"),
        Assertion(type="equals", value=math.nan),
        Assertion(type="equals", value={"a": math.inf}),
        Assertion(type="contains", value=""),
        Assertion(type="contains"),
        Assertion(type="not-contains", value=""),
        Assertion(type="icontains", value=["a"]),
        Assertion(type="regex", value="("),
        Assertion(type="regex", value=""),
        Assertion(type="regex", value=r"((a{1000}){1000}){1000}"),
        Assertion(type="is-json", value="schema.json"),
        Assertion(type="is-json", value={"type": "banana"}),
        Assertion(type="is-json", value={"pattern": "(?P<a>x)"}),
        Assertion(type="is-json", value={"patternProperties": {"a": {}}, "additionalProperties": False}),
        Assertion(type="llm-rubric", value="  "),
        Assertion(type="equals", value="x", weight=math.nan),
        Assertion(type="equals", value="x", weight=-1),
        Assertion(type="equals", value="x", threshold=0.5),
        Assertion(type="llm-rubric", value="x", threshold=0),
        Assertion(type="equals", value="x", transform="output || 'x'"),
    ],
)
def test_what_could_pass_everything_or_means_nothing_is_refused(assertion: Assertion):
    """Protects against a silent pass: an assertion that we cannot apply is an error."""
    with pytest.raises(SuiteError):
        score(asking(assertion), "x")


@pytest.mark.parametrize(
    "doubtful",
    [
        case(assertions=()),
        asking(YES, threshold=math.nan),
        asking(YES, threshold=0.0),
        asking(YES, threshold=-1.0),
        asking(YES, threshold=1.5),
        asking(Assertion(type="equals", value="yes", weight=0.0)),
    ],
)
def test_a_case_that_shows_nothing_never_passes(doubtful: EvalCase):
    """Protects the gate against empty cases and against thresholds that everything reaches."""
    assert score(doubtful, "yes").state is ResultState.fail


def test_a_hanging_pattern_ends_as_a_failure():
    """Protects the run against catastrophic backtracking."""
    begun = time.monotonic()
    result = score(asking(Assertion(type="regex", value=r"^(a|aa)+$")), "a" * 60 + "b")
    assert (result.state, time.monotonic() - begun < 5) == (ResultState.fail, True)
    assert "took longer" in result.reason


def test_weights_and_threshold_decide():
    """Protects L7: the case passes at or above its threshold of the weighted mean."""
    parts = [Assertion(type="contains", value=word, weight=weight) for word, weight in [("a", 7.0), ("b", 3.0)]]
    assert score(asking(*parts), "a").score == pytest.approx(0.7)
    assert score(asking(*parts), "a").state is ResultState.pass_
    assert score(asking(*parts), "b").state is ResultState.fail
    assert score(asking(*parts, threshold=0.71), "a").state is ResultState.fail


def test_a_rubric_without_a_judge_is_not_run_unless_the_case_has_failed_already():
    """Protects against both errors: passing what nobody graded, and hiding a certain failure behind it."""
    assert score(asking(RUBRIC), "hello").state is ResultState.not_run
    assert score(asking(RUBRIC, YES), "yes").state is ResultState.not_run
    assert score(asking(RUBRIC, YES), "no").state is ResultState.fail


def test_a_failing_judge_is_not_the_agents_failure():
    """Protects the agent's score against the judge's errors."""
    assert score(asking(RUBRIC), "hello", judge=BrokenJudge(1)).state is ResultState.judge_error
    assert score(asking(RUBRIC, YES), "no", judge=BrokenJudge(1)).state is ResultState.fail


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1, 1.1])
def test_a_score_that_is_no_score_is_the_judges_error(value: float):
    """Protects the gate against NaN and scores outside 0 to 1."""
    assert score(asking(RUBRIC), "hello", judge=FixedJudge(value)).state is ResultState.judge_error


def test_a_judge_decides_by_its_grade():
    """Protects the use of a judge once there is one."""
    assert score(asking(RUBRIC), "hello", judge=FixedJudge(0.9)).state is ResultState.pass_
    assert score(asking(RUBRIC), "hello", judge=FixedJudge(0.6)).state is ResultState.fail


def test_a_schema_fetches_nothing():
    """Protects the machine: a reference to elsewhere is a failure, not a request."""
    result = score(asking(Assertion(type="is-json", value={"$ref": "http://127.0.0.1:9/schema.json"})), {})
    assert result.state is ResultState.fail


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
ASSERTIONS = st.sampled_from(
    [
        YES,
        RUBRIC,
        Assertion(type="contains", value="a"),
        Assertion(type="not-contains", value="a", weight=2.0),
        Assertion(type="is-json", weight=0.0),
        Assertion(type="regex", value=r"^\w+$", transform="output.a[0].trim()"),
        Assertion(type="equals", value="A", transform=r"output.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()"),
    ]
)


@given(output=JSON, assertions=st.lists(ASSERTIONS, max_size=4), threshold=st.floats(width=32))
def test_any_output_gives_a_result(output: JsonValue, assertions: list[Assertion], threshold: float):
    """Protects the run: no output and no threshold can crash it, and a pass always has a score that reaches."""
    result = score(asking(*assertions, threshold=threshold), output)
    if result.state is ResultState.pass_:
        assert result.score is not None
        assert 0 < threshold <= 1
        assert result.score >= threshold - 1e-6
        assert any(item.state is ResultState.pass_ for item in result.assertions)
