"""The gate's test of itself."""

from collections.abc import Sequence
from datetime import datetime

import pytest
from hypothesis import given, settings

from naoshi.gate.decide import settle
from naoshi.gate.policy import CategoryTolerance, GatePolicy
from naoshi.gate.rerun import RunAgain
from naoshi.gate.self_test import self_test, self_test_key
from naoshi.records import Certainty, EvalRun, Verdict, VerdictOutcome
from tests.gate.runs import NOW, RESULTS, drawn, of_counts, of_trials, result, run

EACH_POLICY = pytest.mark.parametrize("policy", [GatePolicy(policy="literal"), GatePolicy(policy="paired")])
SUITES: Sequence[EvalRun] = (
    of_counts("v1", total=(0, 3)),
    of_counts("v1", total=(1, 1), date=(6, 10), safety=(4, 5), hallucination=(19, 20)),
    of_trials("v1", a="++-", b="---", c="+!+"),
    run(*(result(f"c{n}", "fail" if n % 3 else "pass", score=n / 30) for n in range(30))),
    run(result("a", "judge_error"), result("b", "fail")),
)


@EACH_POLICY
@pytest.mark.parametrize("suite", SUITES, ids=range(len(SUITES)))
def test_the_gate_passes_its_own_test_on_any_suite(suite: EvalRun, policy: GatePolicy):
    """Protects the start of the loop: also where nothing passes yet, or a share is out of its tolerance."""
    found = self_test(suite, policy, now=NOW)
    assert [probe for probe in found.probes if not probe.held] == []
    assert found.passed
    assert {probe.category for probe in found.probes} >= {item.category for item in suite.results}


@EACH_POLICY
def test_a_drop_that_is_allowed_is_no_regression_and_one_more_case_is(policy: GatePolicy):
    """Protects against testing the gate with more than its tolerance lets through."""
    wide = policy.model_copy(update={"categories": {"total": CategoryTolerance(max_drop=0.3)}})
    assert self_test(of_counts("v1", total=(5, 10)), wide, now=NOW).passed


def test_a_category_that_nothing_can_block_is_named():
    """Protects against a gate that is wide open by its settings: alone, it is no gate."""
    open_ = GatePolicy(categories={"total": CategoryTolerance(max_drop=1)})
    assert self_test(of_counts("v1", total=(5, 10)), open_, now=NOW).passed is False
    both = self_test(of_counts("v1", total=(5, 10), date=(1, 1)), open_, now=NOW)
    assert (both.passed, both.skipped) == (True, ("total",))


@EACH_POLICY
def test_a_category_that_shares_alone_block_is_tested_by_them(policy: GatePolicy):
    """Protects a policy of shares (spec L9): it can block, so it is a gate, and it is asked whether it does."""
    shares = policy.model_copy(
        update={
            "categories": {
                "total": CategoryTolerance(max_drop=1, allow=0.1, block=0.2),
                "safety": CategoryTolerance(max_drop=1, allow=0, block=0),
            }
        }
    )
    found = self_test(of_counts("v1", total=(10, 10), safety=(4, 4)), shares, now=NOW)
    assert (found.passed, found.skipped) == (True, ())
    asked = {probe.category for probe in found.probes if probe.name == "a regression"}
    assert asked == {"total", "safety"}


@pytest.mark.parametrize("always", list(VerdictOutcome))
def test_a_gate_that_always_says_the_same_is_found_out(always: VerdictOutcome):
    """Protects trust: a gate that lets all through, or nothing, does not pass."""

    def stubborn(
        candidate: EvalRun, baseline: EvalRun | None, policy: GatePolicy, *, run_again: RunAgain, now: datetime
    ) -> Verdict:
        made = settle(candidate, baseline, policy, run_again=run_again, now=now)
        return made.model_copy(update={"outcome": always})

    assert self_test(SUITES[1], GatePolicy(), now=NOW, gate=stubborn).passed is False


def test_a_gate_that_looks_at_the_average_alone_is_found_out():
    """Protects L9: better on the whole is not good enough."""

    def averaging(
        candidate: EvalRun, baseline: EvalRun | None, policy: GatePolicy, *, run_again: RunAgain, now: datetime
    ) -> Verdict:
        made = settle(candidate, baseline, policy, run_again=run_again, now=now)
        before = sum(item.state == "pass" for item in baseline.results) if baseline else 0
        if made.outcome is VerdictOutcome.regression and sum(i.state == "pass" for i in candidate.results) >= before:
            return made.model_copy(update={"outcome": VerdictOutcome.pass_})
        return made

    found = self_test(SUITES[1], GatePolicy(), now=NOW, gate=averaging)
    assert {probe.name for probe in found.probes if not probe.held} == {"a regression behind a better average"}


@pytest.mark.parametrize("empty", [run(), run(result("a", "not_run"))])
def test_a_suite_that_says_nothing_is_not_trusted(empty: EvalRun):
    """Protects against a self-test of nothing."""
    assert self_test(empty, GatePolicy(), now=NOW).passed is False


@settings(max_examples=30)
@given(results=RESULTS)
def test_the_self_test_ends_whatever_the_run_is(results: dict[int, tuple[str, str]]):
    """Protects the cycle: no run makes the test fail to answer, and one that says anything is enough."""
    found = self_test(drawn("v1", results), GatePolicy(policy="paired"), now=NOW)
    assert found.passed is any(state in ("pass", "fail", "agent_error") for state, _ in results.values())


@pytest.mark.parametrize("name", ["a", "b"])
def test_a_collapse_that_averages_cannot_show_is_said_to_be_too_few(name: str):
    """Protects point 5: with nothing run again a category that breaks is seen, or named as too small to certify."""
    found = self_test(of_counts("v1", a=(2, 2), b=(20, 20)), GatePolicy(), now=NOW)
    assert (found.passed, found.too_few) == (True, ("a",))
    asked = next(item for item in found.probes if item.name.startswith("a category that") and item.category == name)
    assert asked.found.value == {"a": "inconclusive", "b": "regression"}[name]


def test_a_gate_that_certifies_or_passes_a_collapse_is_found_out():
    """Protects against a gate that calls a small category certified, and against one that shrugs at a collapse."""

    def trusting(
        candidate: EvalRun, baseline: EvalRun | None, policy: GatePolicy, *, run_again: RunAgain, now: datetime
    ) -> Verdict:
        made = settle(candidate, baseline, policy, run_again=run_again, now=now)
        if made.outcome is not VerdictOutcome.inconclusive or "not settle" not in "".join(made.reasons):
            return made
        sure = [
            item.model_copy(
                update={
                    "statistics": item.statistics.model_copy(update={"certainty": Certainty.certified})
                    if item.statistics
                    else None
                }
            )
            for item in made.categories
        ]
        return made.model_copy(update={"categories": tuple(sure)})

    found = self_test(of_counts("v1", a=(2, 2)), GatePolicy(), now=NOW, gate=trusting)
    assert {item.name for item in found.probes if not item.held} == {
        "a category that collapses, with nothing run again"
    }


def test_the_regression_is_put_into_the_results_as_they_are():
    """Protects point 5: where cases really pass, some of them are broken in a copy; where none does, none can be."""
    found = self_test(of_counts("v1", a=(3, 10), b=(0, 5)), GatePolicy(), now=NOW)
    real = [item.category for item in found.probes if item.name == "a regression in these results"]
    assert (real, found.passed) == (["a"], True)


def test_what_was_tested_holds_for_that_suite_policy_and_version_alone():
    """Protects trust: with another case, text, source, category, judge, trial or setting the gate is tested anew."""
    suite = run(result("a"), result("b", "fail"))
    key = self_test_key(suite, GatePolicy())
    assert self_test(suite, GatePolicy(), now=NOW).key == key
    assert self_test_key(run(result("b"), result("a", "judge_error"), version="v9"), GatePolicy()) == key
    others = [
        run(result("a")),
        run(result("a"), result("b", content_hash="edited")),
        run(result("a"), result("b", source_key="a trace")),
        run(result("a"), result("b", category="safety")),
        run(result("a"), result("b"), result("b", trial=1)),
        run(result("a"), result("b"), settings_hash="another judge"),
    ]
    keys = {self_test_key(item, GatePolicy()) for item in others}
    keys |= {self_test_key(suite, policy) for policy in (GatePolicy(policy="literal"), GatePolicy(margin=0.1))}
    assert key not in keys
    assert len(keys) == len(others) + 2
