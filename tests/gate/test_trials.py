"""Several trials of one case, and what older versions stored."""

import json

import pytest

from naoshi.errors import InputError
from naoshi.gate.baseline import baseline_moves, best_version
from naoshi.gate.decide import decide
from naoshi.gate.policy import GatePolicy
from naoshi.gate.trials import by_case, join_trials
from naoshi.records import EvalRun, Verdict
from tests.gate.runs import NOW, of_counts, of_trials, result, run


def test_runs_of_one_version_are_trials_of_each_other():
    """Protects k trials: every result is kept, numbered, and no case counts as repeated."""
    once, again = of_trials("v1", a="+", b="-"), of_trials("v1", a="-", b="-")
    joined = join_trials([once, again, join_trials([once, again])])
    assert [(item.case_id, item.trial) for item in joined.results if item.case_id == "a"] == [
        ("a", n) for n in range(4)
    ]
    assert len(by_case(joined.results)) == 2
    assert decide(joined, joined, GatePolicy(), now=NOW).outcome.value == "pass"
    assert join_trials([once]) is once


@pytest.mark.parametrize("field", ["version", "suite", "settings_hash"])
def test_runs_that_are_not_alike_are_no_trials(field: str):
    """Protects against mixing versions, suites or judges."""
    once = of_trials("v1", a="+")
    with pytest.raises(InputError):
        join_trials([once, once.model_copy(update={field: "another"})])
    with pytest.raises(InputError):
        join_trials([])


def test_trials_that_ask_different_things_are_refused():
    """Protects the pairing: two versions of a case are not two trials of it."""
    mixed = run(result("a", trial=0), result("a", "fail", trial=1, content_hash="edited"))
    assert decide(mixed, mixed, GatePolicy(), now=NOW).outcome.value == "incomparable"
    twice = run(result("a", trial=1), result("a", "fail", trial=1))
    assert decide(twice, twice, GatePolicy(), now=NOW).outcome.value == "incomparable"


def test_the_letter_weighs_cases_by_their_trials():
    """Protects `literal` with several trials: rates, not counts of results."""
    before, after = of_trials("v1", a="+++", b="+"), of_trials("v2", a="++-", b="+")
    found = decide(after, before, GatePolicy(policy="literal"), now=NOW)
    assert found.reasons == ("general: 1.67 of 2 pass, 2 did in the baseline",)


def test_the_baseline_and_the_best_version_take_the_mean_of_trials():
    """Protects L11 and L22 for agents with chance."""
    before, after = of_trials("v1", a="++-", b="+--"), of_trials("v2", a="+++", b="+--")
    assert baseline_moves(after, before)[0] is True
    assert baseline_moves(before, after)[0] is False
    assert best_version([after, before]) == "v2"


def test_what_older_versions_stored_is_read():
    """Protects data: runs and verdicts from before trials and statistics are read, what they lacked left empty."""
    old_run, old_verdict = (json.loads(item.to_json()) for item in _records())
    for item in old_run["results"]:
        del item["trial"]
    for name in ("by_policy", "rerun", "rounds"):
        del old_verdict[name]
    for item in old_verdict["categories"]:
        del item["statistics"]
    for item in old_verdict["flips"]:
        for name in ("before_rate", "after_rate", "confirmed"):
            del item[name]
    assert EvalRun.model_validate(old_run).results[0].trial == 0
    read = Verdict.model_validate(old_verdict)
    assert (read.rerun, read.by_policy, read.categories[0].statistics, read.flips[0].confirmed) == ((), (), None, None)


def _records() -> tuple[EvalRun, Verdict]:
    made = of_counts("v2", a=(1, 2))
    return made, decide(made, of_counts("v1", a=(2, 2)), GatePolicy(), now=NOW)
