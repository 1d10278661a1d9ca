"""Thirty cases of one document do not count as thirty documents."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.evals.score import score
from naoshi.evals.suites.source_weights import category_rates
from naoshi.records import Assertion, CaseResult
from tests.evals.examples import case
from tests.gate.runs import result


def of_sources(**sources: str) -> list[CaseResult]:
    """Results by source: ``a="++-"`` are three cases of one source of which two pass."""
    return [
        result(f"{source}-{number}", "pass" if mark == "+" else "fail", source_key=source)
        for source, marks in sources.items()
        for number, mark in enumerate(marks)
    ]


def test_a_source_with_thirty_cases_counts_as_one():
    """A document that everybody corrected cannot carry a category, nor sink it."""
    (rate,) = category_rates(of_sources(big="+" * 30, a="-", b="-"))
    assert (rate.cases, rate.sources) == (32, 3)
    assert rate.by_case == pytest.approx(30 / 32)
    assert rate.by_source == pytest.approx(1 / 3)
    assert rate.effective < 1.2
    assert rate.largest == pytest.approx(30 / 32)


def test_cases_without_a_source_are_sources_of_their_own():
    """Hand-written cases are not thrown together as if they came from one document."""
    (rate,) = category_rates([result("a"), result("b", "fail")])
    assert (rate.sources, rate.by_source) == (2, 0.5)


def test_trials_of_one_case_are_one_case():
    """Three trials are not three cases; a case that passes in some of them counts in part."""
    trials = [result("a", state, trial=number) for number, state in enumerate(["pass", "pass", "fail"])]
    (rate,) = category_rates([*trials, result("b", "fail")])
    assert (rate.cases, rate.by_case) == (2, pytest.approx(1 / 3))


@pytest.mark.parametrize("state", ["fail", "agent_error", "judge_error", "not_run"])
def test_only_a_pass_passes(state: str):
    """What was not answered, not judged or not run stays in the total and passes nothing."""
    (rate,) = category_rates([result("a"), result("b", state)])
    assert (rate.cases, rate.by_case, rate.by_source) == (2, 0.5, 0.5)


def test_the_weight_of_an_assertion_has_nothing_to_do_with_it():
    """Promptfoo's ``weight`` counts inside one case; that a case has heavy assertions gives it no more say."""
    heavy = (
        Assertion(type="equals", value="yes", transform="output.said", weight=30.0),
        Assertion(type="contains", value="no", transform="output.said"),
    )
    good, bad = case("heavy", assertions=heavy, threshold=0.9), case("plain")
    scored = [score(good, {"said": "yes"}), score(bad, {"said": "no"})]
    assert scored[0].score == pytest.approx(30 / 31)
    (rate,) = category_rates(scored)
    assert (rate.by_case, rate.by_source) == (0.5, 0.5)


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=40))
def test_rates_are_shares_and_agree_where_all_sources_are_alike(drawn: list[tuple[int, bool]]):
    """Rates lie between 0 and 1, the effective number between 1 and the sources; even sources give one rate."""
    results = [
        result(f"c{number}", "pass" if passed else "fail", source_key=f"s{source}")
        for number, (source, passed) in enumerate(drawn)
    ]
    (rate,) = category_rates(results)
    assert 0 <= rate.by_source <= 1 and 0 <= rate.by_case <= 1
    assert 1 <= rate.effective <= rate.sources + 1e-9
    sizes = {sum(source == one for source, _ in drawn) for one in {source for source, _ in drawn}}
    if len(sizes) == 1:
        assert rate.by_source == pytest.approx(rate.by_case)
        assert rate.effective == pytest.approx(rate.sources)
