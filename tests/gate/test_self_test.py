"""The gate's test of itself."""

from collections.abc import Sequence
from datetime import datetime

import pytest
from hypothesis import given

from naoshi.gate.decide import settle
from naoshi.gate.policy import CategoryTolerance, GatePolicy
from naoshi.gate.rerun import RunAgain
from naoshi.gate.self_test import self_test
from naoshi.records import EvalRun, Verdict, VerdictOutcome
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


@given(results=RESULTS)
def test_the_self_test_ends_whatever_the_run_is(results: dict[int, tuple[str, str]]):
    """Protects the cycle: no run makes the test fail to answer, and one that says anything is enough."""
    found = self_test(drawn("v1", results), GatePolicy(policy="paired"), now=NOW)
    assert found.passed is any(state in ("pass", "fail", "agent_error") for state, _ in results.values())
