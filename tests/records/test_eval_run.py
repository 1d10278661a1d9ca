"""What a run says of its cases when each was tried several times."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.records import CaseResult, EvalRun, ResultState
from naoshi.records.eval_run import state_of_trials

NOW = datetime(2026, 3, 8, tzinfo=UTC)
STATES = st.sampled_from(list(ResultState))


def run(**cases: list[ResultState]) -> EvalRun:
    results = tuple(
        CaseResult(case_id=name, content_hash="h", category="c", state=state, trial=trial)
        for name, states in cases.items()
        for trial, state in enumerate(states)
    )
    return EvalRun(run_id="r", suite="s", version="v", started_at=NOW, finished_at=NOW, results=results)


@pytest.mark.parametrize(
    ("trials", "state"),
    [("pass", "pass"), ("pass fail pass", "pass"), ("fail pass", "fail"), ("pass agent_error", "agent_error"),
     ("pass not_run", "not_run"), ("judge_error not_run", "judge_error"), ("fail agent_error pass", "agent_error")],
)  # fmt: skip
def test_a_tie_falls_to_what_says_less_for_the_agent(trials: str, state: str):
    """Protects against a pass by luck: half of the trials are not most of them."""
    assert state_of_trials([ResultState(name) for name in trials.split()]).value == state


@given(cases=st.dictionaries(st.sampled_from("abcd"), st.lists(STATES, min_size=1, max_size=4)))
def test_cases_are_counted_once_and_results_each(cases: dict[str, list[ResultState]]):
    """Protects totals: so many cases as there are, however often each was tried, in one of the five states each."""
    found = run(**cases)
    assert sum(found.case_counts().values()) == len(cases) == len(found.case_states())
    assert sum(found.counts().values()) == len(found.results)
    assert set(found.case_counts()) == set(found.counts()) == set(ResultState)
    if all(len(states) == 1 for states in cases.values()):
        assert found.case_counts() == found.counts()


@given(states=st.lists(STATES, min_size=1, max_size=6), data=st.data())
def test_the_order_of_trials_does_not_matter(states: list[ResultState], data: st.DataObject):
    """Protects against the last trial deciding."""
    assert state_of_trials(states) is state_of_trials(data.draw(st.permutations(states)))
