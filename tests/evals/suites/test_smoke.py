"""The smoke suite: coverage within a time, the same each time, and nearly the same after small changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.evals.suites.smoke import choose_smoke, group_of
from naoshi.records import EvalCase, Provenance, Split
from tests.evals.examples import case


def cases_of(*sizes: int) -> list[EvalCase]:
    """Cases of as many categories as there are *sizes*, each with an input of its own."""
    return [
        case(f"{name}-{number}", category=f"category {name}", vars={"say": f"{name} {number}"})
        for name, size in enumerate(sizes)
        for number in range(size)
    ]


def test_every_group_has_a_case_when_the_time_allows_it():
    """Coverage comes first: a category of two is not crowded out by one of a thousand."""
    cases = cases_of(1000, 2, 30)
    choice = choose_smoke(cases, budget=3.1, latencies={item.case_id: 1000.0 for item in cases})
    assert {item.category for item in choice.cases} == {"category 0", "category 1", "category 2"}
    assert (len(choice.cases), choice.left_out) == (3, ())


def test_what_does_not_fit_is_named():
    """A group without a case in the smoke suite is never passed over in silence."""
    cases = cases_of(3, 1)
    slow = {item.case_id: 60_000.0 if item.category == "category 1" else 10.0 for item in cases}
    choice = choose_smoke(cases, budget=1.0, latencies=slow)
    assert choice.left_out == ("category 1",)
    assert "category 1" not in choice.covered


def test_failure_groups_of_one_category_each_get_a_turn():
    """Two fields that fail in one category are two groups."""
    cases = [
        case(f"c{number}", vars={"n": number}, provenance=Provenance(artifact="fields", field=field, corrected="x"))
        for number, field in enumerate(["total"] * 20 + ["date"])
    ]
    choice = choose_smoke(cases, budget=2.1, latencies={item.case_id: 1000.0 for item in cases})
    assert {group_of(item) for item in choice.cases} == {"general / fields.total", "general / fields.date"}


def test_the_holdout_is_never_asked():
    """A quick look must not use up the holdout, whatever time there is."""
    cases = [case("h", split=Split.holdout), case("d", vars={"say": "no"})]
    assert [item.case_id for item in choose_smoke(cases, budget=1e6, latencies={}).cases] == ["d"]


def test_cases_that_share_a_call_cost_it_once():
    """The agent is asked once for equal inputs, so that the second case is free."""
    cases = [case(f"c{number}", category=f"k{number}") for number in range(5)]
    choice = choose_smoke(cases, budget=1.1, latencies={item.case_id: 1000.0 for item in cases})
    assert len(choice.cases) == 5
    assert choice.seconds == pytest.approx(1.024)


def test_a_case_that_was_never_run_is_taken_for_a_usual_one():
    """A fresh case neither counts as free nor as unaffordable."""
    cases = cases_of(10)
    known = {item.case_id: 1000.0 for item in cases[:9]}
    assert len(choose_smoke(cases, budget=10.3, latencies=known).cases) == 10
    assert len(choose_smoke(cases, budget=9.0, latencies=known).cases) == 8


@given(
    sizes=st.lists(st.integers(1, 8), min_size=1, max_size=5),
    times=st.lists(st.floats(0, 5000), min_size=40, max_size=40),
    budget=st.floats(0.01, 20),
    workers=st.integers(1, 4),
)
def test_the_time_is_kept_whatever_the_cases(sizes: list[int], times: list[float], budget: float, workers: int):
    """The choice never takes longer than it may, by the times that were measured, and names every group once."""
    cases = cases_of(*sizes)
    latencies = {item.case_id: time for item, time in zip(cases, times, strict=False)}
    choice = choose_smoke(cases, budget=budget, latencies=latencies, workers=workers)
    assert sum(latencies[item.case_id] for item in choice.cases) <= budget * 1000 * workers + 1e-6
    assert choice.seconds <= budget + 1e-9
    assert sorted([*choice.covered, *choice.left_out]) == sorted({group_of(item) for item in cases})
    assert {group_of(item) for item in choice.cases} == set(choice.covered)


@given(order=st.permutations(range(24)))
def test_the_order_of_the_cases_does_not_choose(order: list[int]):
    """The same cases in another order, or read from other files, are the same smoke suite."""
    cases = cases_of(8, 8, 8)
    latencies = {item.case_id: 400.0 for item in cases}
    shuffled = choose_smoke([cases[place] for place in order], budget=3, latencies=latencies)
    straight = choose_smoke(cases, budget=3, latencies=latencies)
    assert {item.case_id for item in shuffled.cases} == {item.case_id for item in straight.cases}


@given(gone=st.integers(0, 59), jitter=st.lists(st.floats(0.8, 1.0), min_size=60, max_size=60))
def test_small_changes_change_little(gone: int, jitter: list[float]):
    """One case more and times that differ a little exchange at most a case or two, so that runs stay comparable."""
    cases = cases_of(20, 20, 20)
    steady = {item.case_id: 500.0 for item in cases}
    shaken = {item.case_id: 500.0 * factor for item, factor in zip(cases, jitter, strict=True)}
    before = choose_smoke(cases, budget=6, latencies=steady)
    after = choose_smoke(cases[:gone] + cases[gone + 1 :], budget=6, latencies=shaken)
    assert len({item.case_id for item in before.cases} ^ {item.case_id for item in after.cases}) <= 2
