"""The lenient rule."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.gate.lenient import LenientRule, lenient_pass


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([0.85, 0.85, 0.85, 0.0], True),
        ([0.85, 0.85, 0.84, 0.0], False),
        ([1.0, 1.0, 0.7, 0.7], True),
        ([0.85], True),
        ([0.84], False),
        ([], False),
        ([math.nan, 1.0, 1.0, 1.0], False),
        ([1.0, 1.0, 1.0, 1.1], False),
        ([1.0, -0.1, 1.0, 1.0], False),
    ],
)
def test_three_quarters_of_graders_or_the_average(scores: list[float], expected: bool):
    """Protects L10: 75 % at 0.85, or an average of 0.85; an empty result never passes."""
    assert lenient_pass(scores) is expected


def test_at_most_three_attempts():
    """Protects L10's limit."""
    assert [lenient_pass([1.0], attempt=number) for number in (0, 1, 2, 3, 4)] == [False, True, True, True, False]
    assert lenient_pass([1.0], attempt=4, rule=LenientRule(attempts=4)) is True


@given(st.lists(st.floats(0, 1), min_size=1, max_size=10), st.data())
def test_a_better_score_never_hurts(scores: list[float], data: st.DataObject):
    """Protects the rule's direction."""
    place = data.draw(st.integers(0, len(scores) - 1))
    better = [*scores]
    better[place] = data.draw(st.floats(scores[place], 1))
    assert lenient_pass(better) or not lenient_pass(scores)
