"""The baseline rule, and the best version."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from naoshi.errors import NotFoundError
from naoshi.gate.baseline import baseline_moves, best_version
from naoshi.records import EvalRun
from tests.gate.runs import of_counts, result, run


@pytest.mark.parametrize(
    ("before", "after", "moves"),
    [
        ({"a": (5, 10), "b": (5, 10)}, {"a": (6, 10), "b": (6, 10)}, True),
        ({"a": (5, 10), "b": (5, 10)}, {"a": (9, 10), "b": (5, 10)}, False),
        ({"a": (5, 10), "b": (5, 10)}, {"a": (9, 10), "b": (4, 10)}, False),
        ({"a": (5, 10), "b": (10, 10)}, {"a": (6, 10), "b": (10, 10)}, True),
        ({"a": (10, 10)}, {"a": (10, 10)}, True),
        ({"a": (5, 10)}, {"a": (5, 10)}, False),
        ({"a": (0, 10)}, {"a": (0, 10)}, False),
        ({"a": (5, 10)}, {"b": (10, 10)}, False),
        ({}, {"a": (1, 1)}, False),
        ({"a": (1, 1)}, {}, False),
    ],
)
def test_the_baseline_moves_only_when_every_category_is_beaten(
    before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]], moves: bool
):
    """Protects L11: partial gains leave it; a category already perfect counts as beaten."""
    found, reason = baseline_moves(of_counts("v2", **after), of_counts("v1", **before))
    assert found is moves
    assert reason


def test_new_cases_neither_help_nor_hinder():
    """Protects the comparison on common cases."""
    better = of_counts("v2", a=(6, 10))
    more = run(*better.results, result("new", "fail", "a"), result("n2", "fail", "c"), version="v2")
    assert baseline_moves(more, of_counts("v1", a=(5, 10)))[0] is True


def test_what_is_unknown_or_graded_otherwise_moves_nothing():
    """Protects the baseline against runs that say too little."""
    before = run(result("a", "pass"), result("b", "fail"))
    assert baseline_moves(run(result("a", "not_run"), result("b", "pass"), version="v2"), before)[0] is False
    assert baseline_moves(run(result("b", "pass"), version="v2"), before)[0] is False
    other = run(result("a"), result("b"), version="v2", settings_hash="other")
    assert baseline_moves(other, before)[0] is False
    assert (
        baseline_moves(run(result("a"), result("b"), version="v2"), run(result("a"), result("b", "not_run")))[0] is True
    )


def test_the_first_baseline_needs_answers_and_grades():
    """Protects the start."""
    assert baseline_moves(run(result("a"), result("b", "fail")), None)[0] is True
    assert baseline_moves(run(), None)[0] is False
    assert baseline_moves(run(result("a", "agent_error")), None)[0] is False


def test_the_best_version_is_the_one_with_the_highest_sum_over_common_cases():
    """Protects L22: not the newest, and having run more cases is no merit."""
    good, newer = of_counts("v1", a=(8, 10)), of_counts("v2", a=(7, 10), b=(50, 50))
    assert best_version([good, newer]) == "v1"


def test_ties_go_to_the_newer():
    """Protects L22."""
    runs = [of_counts(version, a=(8, 10)) for version in ("v1", "v2", "v3")]
    assert best_version(runs) == "v3"


def test_the_last_result_of_a_case_counts_and_unknown_ones_do_not():
    """Protects against old runs and against results without a grade."""
    again = run(*(result(f"a-{n}", "fail", "a") for n in range(10)), version="v1", run_id="again")
    assert best_version([of_counts("v1", a=(9, 10)), of_counts("v2", a=(8, 10)), again]) == "v2"
    ungraded = run(*(result(f"a-{n}", "judge_error", "a") for n in range(9)), result("a-9", "fail", "a"), version="v3")
    assert best_version([of_counts("v1", a=(9, 10)), ungraded]) == "v3"


def test_without_runs_there_is_no_best_version():
    """Protects people: one clear error."""
    with pytest.raises(NotFoundError):
        best_version([])


@given(shares=st.lists(st.lists(st.integers(0, 10), min_size=6, max_size=6), min_size=1, max_size=4))
@example(shares=[[0, 0, 0, 7, 10, 10], [0, 0, 3, 7, 7, 10]])
def test_among_runs_of_the_same_cases_the_best_is_the_last_maximum(shares: list[list[int]]):
    """Protects against rounding and order in sums of graded scores."""
    runs = [_graded(f"v{number}", tenths) for number, tenths in enumerate(shares)]
    best = max(range(len(shares)), key=lambda number: (sum(shares[number]), number))
    assert best_version(runs) == f"v{best}"


def _graded(version: str, tenths: list[int]) -> EvalRun:
    scored = (result(f"c{number}", "pass", score=share / 10) for number, share in enumerate(tenths))
    return run(*scored, version=version)
