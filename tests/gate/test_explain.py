"""Verdicts in plain words."""

import re

import pytest
from hypothesis import given

from naoshi.gate.decide import decide
from naoshi.gate.explain import explain
from naoshi.gate.policy import CategoryTolerance, GatePolicy
from naoshi.records import EvalRun
from tests.gate.runs import NOW, POLICIES, RESULTS, drawn, of_counts, result, run

JAPANESE = re.compile("[ぁ-んァ-ン一-龯]")


def test_the_worked_example_is_told_in_full():
    """Protects what a person reads: outcome, reason, categories, flips in both directions."""
    found = decide(
        of_counts("v2", a=(10, 10), b=(6, 10)), of_counts("v1", a=(5, 10), b=(10, 10)), GatePolicy(), now=NOW
    )
    text = explain(found)
    assert text.startswith("REGRESSION")
    assert "b: 6 of 10 pass, 10 did in the baseline" in text
    assert "a: 50.0% → 100.0% (10 cases) ok" in text
    assert "b-9 (b): pass → fail" in text
    assert "a-9 (a): fail → pass" in text
    japanese = explain(found, "ja")
    assert japanese.startswith("後退")
    assert "b: 10 件中の合格は 6 件（基準では 10 件）です" in japanese


EDGES = [
    (run(), None),
    (run(result("a")), None),
    (run(result("a", "agent_error")), None),
    (run(result("a", "agent_error")), run(result("a", "fail"))),
    (run(result("a", "not_run")), run(result("a"))),
    (run(result("a")), run(result("a", "not_run"))),
    (run(result("a")), run(result("b"))),
    (run(result("a"), result("a")), run(result("a"))),
    (run(result("a"), settings_hash="x"), run(result("a"))),
    (run(result("a")), run(result("a"), result("b"))),
    (of_counts("v1", hallucination=(95, 100)), None),
    (of_counts("v1", hallucination=(5, 100)), None),
    (of_counts("v2", soft=(5, 10)), of_counts("v1", soft=(9, 10))),
]


@pytest.mark.parametrize(("candidate", "baseline"), EDGES)
@pytest.mark.parametrize("max_worse", [None, 0])
def test_every_reason_is_told_in_both_languages(candidate: EvalRun, baseline: EvalRun | None, max_worse: int | None):
    """Protects Japanese readers: no reason stays untranslated."""
    policy = GatePolicy(categories={"soft": CategoryTolerance(max_drop=0.2)}, max_worse=max_worse)
    found = decide(candidate, baseline, policy, now=NOW)
    for reason in found.reasons:
        assert f"- {reason}\n" in explain(found, "en")
        assert f"- {reason}\n" not in explain(found, "ja")
    assert all(JAPANESE.search(line) for line in explain(found, "ja").splitlines() if "→" not in line)


@given(before=RESULTS, after=RESULTS, policy=POLICIES)
def test_any_verdict_can_be_told(before: dict, after: dict, policy: GatePolicy):
    """Protects against a verdict that has no words, and against one without a reason."""
    found = decide(drawn("v2", after), drawn("v1", before), policy, now=NOW)
    assert found.reasons
    for language in ("en", "ja"):
        assert len(explain(found, language).splitlines()) >= 3
