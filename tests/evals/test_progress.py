"""What a person at a terminal sees while cases run."""

from hypothesis import given
from hypothesis import strategies as st

from naoshi.evals.runner import told_progress
from naoshi.records import ResultState
from tests.evals.test_partial_results import result


def lines_of(states: list[ResultState], total: int) -> list[str]:
    told: list[str] = []
    progress = told_progress(told.append, "evals/validate.yaml", total)
    for number, state in enumerate(states):
        progress(result(f"c{number}", state))
    return told


@given(st.lists(st.sampled_from(list(ResultState)), min_size=1, max_size=50))
def test_the_last_line_counts_every_state_and_the_bar_is_full(states: list[ResultState]):
    """Protects the glance at a run: no state is left out or merged, and the end looks like the end."""
    last = lines_of(states, len(states))[-1]
    assert last.startswith("█" * 10 + f" {len(states)}/{len(states)} cases: ")
    for state in ResultState:
        assert f"{states.count(state)} {state.value}" in last
    assert len(last.partition(" (evals")[0]) <= 90


def test_a_line_comes_at_once_and_then_ten_times_a_second_at_most():
    """Protects fast runs: a thousand results in a moment are two lines, and the bar is never more than the truth."""
    told = lines_of([ResultState.pass_] * 1000, 1001)
    assert told[0].startswith("░" * 10 + " 1/1001")
    assert len(told) <= 20


def test_nothing_to_run_and_more_than_was_said_are_no_errors():
    """Protects the run from its own decoration."""
    assert lines_of([ResultState.fail] * 3, 2)[-1].startswith("█" * 10)
    assert lines_of([ResultState.fail], 0)[0].startswith("█" * 10)
