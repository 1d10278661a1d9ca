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


@pytest.mark.parametrize(
    "wrong",
    [
        {"default": {"allow": 0.5, "block": 0.1}},
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
