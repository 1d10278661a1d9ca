"""Flips are counted between identical runs and nowhere else."""

from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.evals.suites.health import CaseHealth, Repeats, flipped_on, histories, is_flaky
from naoshi.records import EvalRun
from tests.gate.runs import NOW, result, run

KEY = ("a", "hash of a")


def runs_of(states: str, **more: object) -> list[EvalRun]:
    """One run for each mark: ``+`` pass, ``-`` fail, ``!`` no answer, ``?`` no grade."""
    names = {"+": "pass", "-": "fail", "!": "agent_error", "?": "judge_error"}
    fields: dict[str, object] = {"commit": "c1", **more}
    return [
        run(result("a", names[mark])).model_copy(update={**fields, "started_at": NOW + timedelta(hours=number)})
        for number, mark in enumerate(states)
    ]


def health(*runs: EvalRun) -> CaseHealth:
    return histories(sorted(runs, key=lambda one: one.started_at)).get(KEY, CaseHealth())


def test_flips_age_and_the_last_failure_are_told():
    """What people need to judge a case: how old it is, when it last failed, and how often it flips."""
    seen = health(*runs_of("+-++"))
    assert (seen.results, seen.repeats, seen.flips, seen.flip_share) == (4, 3, 2, pytest.approx(2 / 3))
    assert seen.last_failed == NOW + timedelta(hours=1)
    assert seen.age(NOW + timedelta(days=3)) == timedelta(days=3)
    assert seen.last_state == "pass"


@pytest.mark.parametrize(
    "change",
    [{"commit": "c2"}, {"settings_hash": "another judge"}, {"suite": "smoke"}, {"version": "v2"}],
    ids=lambda change: next(iter(change)),
)
def test_runs_that_differ_in_anything_pinned_are_no_repeats(change: dict[str, object]):
    """A change of the agent, the grading or the suite may change a result: that is no flip."""
    seen = health(*runs_of("+"), *runs_of("-", **change))
    assert (seen.results, seen.repeats, seen.flips) == (2, 0, 0)


def test_a_case_that_was_edited_begins_a_new_history():
    """What another wording did says nothing of this one."""
    edited = run(result("a", "fail", content_hash="other")).model_copy(update={"commit": "c1"})
    seen = histories([*runs_of("+"), edited])
    assert seen[KEY].repeats == 0
    assert seen[("a", "other")].results == 1


def test_what_was_not_judged_is_no_flip():
    """A judge that fails between two passes does not make the agent's case flaky; it is seen all the same."""
    seen = health(*runs_of("+?+"))
    assert (seen.results, seen.repeats, seen.flips) == (3, 1, 0)


def test_trials_of_one_run_repeat_it():
    """Several trials in one run are as identical as runs can be."""
    trials = [result("a", state, trial=number) for number, state in enumerate(["pass", "fail", "pass"])]
    assert health(run(*trials)).flips == 2


@pytest.mark.parametrize(
    ("repeats", "flips", "flaky"),
    [(3, 3, False), (4, 1, False), (4, 2, True), (20, 2, False), (19, 2, True), (4, 0, False)],
)
def test_when_a_case_is_flaky(repeats: int, flips: int, flaky: bool):
    """Enough repeats, more than the share, and there and back: one flip is a change and no habit."""
    assert is_flaky(Repeats(version="v1", repeats=repeats, flips=flips), share=0.1, least=4) is flaky


def test_flips_are_known_by_version():
    """A case that was steady on one version and restless on another is told apart."""
    seen = health(*runs_of("+++"), *runs_of("+-+", version="v2", commit="c2"))
    assert flipped_on(seen, {"v2"}) and flipped_on(seen, {"v1", "v2"})
    assert not flipped_on(seen, {"v1"}) and not flipped_on(seen, ())


@given(st.text("+-", min_size=1, max_size=30))
def test_flips_are_the_changes_in_a_row(states: str):
    """By definition, whatever the row."""
    seen = health(*runs_of(states))
    assert seen.repeats == len(states) - 1
    assert seen.flips == sum(one != other for one, other in pairwise(states))
