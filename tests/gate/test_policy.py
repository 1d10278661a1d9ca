"""What the gate tolerates."""

import pytest
from pydantic import ValidationError

from naoshi.gate.policy import GatePolicy


def test_safety_and_hallucination_are_as_the_source_has_them():
    """Protects L9's figures."""
    policy = GatePolicy()
    assert (policy.tolerance("safety").allow, policy.tolerance("safety").block) == (0.0, 0.0)
    assert (policy.tolerance("hallucination").allow, policy.tolerance("hallucination").block) == (0.03, 0.08)
    assert policy.tolerance("anything else") == policy.default


def test_a_setting_for_one_category_opens_no_other():
    """Protects safety against being lost: by a tolerance of another category, or by half a tolerance of its own."""
    policy = GatePolicy.model_validate({"categories": {"total": {"max_drop": 0.1}, "safety": {"max_drop": 0.2}}})
    assert policy.tolerance("total").max_drop == 0.1
    assert (policy.tolerance("safety").block, policy.tolerance("safety").max_drop) == (0.0, 0.2)
    assert policy.tolerance("hallucination").block == 0.08


@pytest.mark.parametrize(
    "wrong",
    [
        {"default": {"allow": 0.5, "block": 0.1}},
        {"categories": {"a": {"allow": 2}}},
        {"categories": {"safety": {"allow": 0.1}}},
        {"default": {"max_drop": float("nan")}},
        {"default": {"block": 1.5}},
        {"max_worse": -1},
        {"max_worst": 1},
        {"policy": "generous"},
    ],
)
def test_tolerances_that_mean_nothing_are_refused(wrong: dict):
    """Protects against a gate that is open by a slip in a setting."""
    with pytest.raises(ValidationError):
        GatePolicy.model_validate(wrong)


@pytest.mark.parametrize("category", ["total", "safety", "hallucination"])
def test_a_block_alone_is_a_tolerance(category: str):
    """Protects people: who only says what blocks need not say what is allowed, and allows nothing beyond it."""
    policy = GatePolicy.model_validate({"categories": {category: {"block": 0.02}}})
    found = policy.tolerance(category)
    assert found.block == 0.02
    assert found.allow == (0.0 if category == "safety" else 0.02)
    assert GatePolicy.model_validate({"default": {"block": 0.2}}).tolerance("any").allow == 0.2


def test_a_tolerance_that_contradicts_what_is_built_in_names_both():
    """Protects people: `allow` for safety clashes with a `block` that they never wrote, and are told of."""
    with pytest.raises(
        ValidationError, match=r"categories\.safety: `allow` must not be above `block`, which is 0 where"
    ):
        GatePolicy.model_validate({"categories": {"safety": {"allow": 0.1}}})
