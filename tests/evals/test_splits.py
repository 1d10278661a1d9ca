"""Splits by source."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from naoshi.evals.settings import SplitWeights
from naoshi.evals.splits import assign_split
from naoshi.records import Split

WEIGHTS = st.tuples(*[st.integers(0, 10)] * 3).filter(any)


@settings(max_examples=30)
@given(shares=WEIGHTS, salt=st.text())
def test_the_shares_come_out_as_weighed(shares: tuple[int, int, int], salt: str):
    """Protects the sizes of the splits: each comes within five hundredths of its weight over many sources."""
    weights = SplitWeights(diagnose=shares[0], validate=shares[1], holdout=shares[2])
    found = [assign_split(f"source {number}", weights, salt) for number in range(1500)]
    for split, share in zip(Split, shares, strict=True):
        assert found.count(split) / 1500 == pytest.approx(share / sum(shares), abs=0.06)
        assert share > 0 or found.count(split) == 0


@given(key=st.text(), salt=st.text())
def test_a_source_is_in_one_split_whatever_else_there_is(key: str, salt: str):
    """Protects against leaks: cases of one source never stand on two sides."""
    weights = SplitWeights()
    assert assign_split(key, weights, salt) is assign_split(key, weights, salt)


def test_another_salt_draws_other_splits():
    """Protects the salt's purpose."""
    drawn = {salt: [assign_split(str(number), SplitWeights(), salt) for number in range(50)] for salt in "ab"}
    assert drawn["a"] != drawn["b"]


@pytest.mark.parametrize("wrong", [{"diagnose": -1}, {"diagnose": float("nan")}, {"diagnose": float("inf")},
                                   {"diagnose": 0, "validate": 0, "holdout": 0}, {"hold_out": 1}])  # fmt: skip
def test_weights_that_mean_nothing_are_refused(wrong: dict[str, float]):
    """Protects against a split that nothing or everything falls into by mistake."""
    with pytest.raises(ValidationError):
        SplitWeights.model_validate(wrong)
