"""The verdict."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.gate.decide import settle
from naoshi.gate.policy import CategoryTolerance, GatePolicy
from naoshi.records import AssertionResult, CaseResult, EvalRun, ResultState, Verdict, VerdictOutcome
from tests.gate.runs import CATEGORIES, NOW, POLICIES, RESULTS, drawn, of_counts, result, run, without_chance

PAIRED = GatePolicy()
LITERAL = GatePolicy(policy="literal")


def verdict(candidate: EvalRun, baseline: EvalRun | None, policy: GatePolicy = PAIRED) -> Verdict:
    return settle(candidate, baseline, policy, run_again=without_chance(candidate, baseline), now=NOW)


def outcome(candidate: EvalRun, baseline: EvalRun | None, policy: GatePolicy = PAIRED) -> str:
    """What both policies say: of an agent without chance it is the same."""
    found = verdict(candidate, baseline, policy.model_copy(update={"policy": "paired"}))
    assert {item.outcome for item in found.by_policy} == {found.outcome}
    assert verdict(candidate, baseline, policy.model_copy(update={"policy": "literal"})).outcome is found.outcome
    return found.outcome.value


def test_an_agent_with_chance_is_what_the_gate_is_made_for():
    """Protects the default: without a word in naoshi.toml the gate is `paired`."""
    assert PAIRED.policy == "paired"


def test_a_run_against_itself_passes():
    """Protects against a gate that blocks what did not change."""
    same = of_counts("v1", total=(6, 10), date=(10, 10))
    found = verdict(same, same)
    assert (found.outcome, found.flips) == (VerdictOutcome.pass_, ())
    assert "16 pass now" in found.reasons[0]


def test_a_collapse_of_one_category_is_not_hidden_by_a_better_average():
    """Protects L9: no aggregate decides; the category is named."""
    found = verdict(of_counts("v2", a=(10, 10), b=(6, 10)), of_counts("v1", a=(5, 10), b=(10, 10)), LITERAL)
    assert found.outcome is VerdictOutcome.regression
    assert found.reasons == ("b: 6 of 10 pass, 10 did in the baseline",)
    assert {item.category: item.outcome.value for item in found.categories} == {"a": "pass", "b": "regression"}
    assert sum(flip.after is ResultState.fail for flip in found.flips) == 4
    paired = verdict(of_counts("v2", a=(10, 10), b=(6, 10)), of_counts("v1", a=(5, 10), b=(10, 10)))
    assert paired.outcome is VerdictOutcome.regression
    assert paired.reasons == (
        "b: 4 of 10 cases passed and fail each time they are run again, 5 times on both versions: b-6, b-7, b-8, b-9",
    )


def test_gains_and_losses_inside_a_category_are_weighed_and_all_flips_listed():
    """Protects people's sight of what changed, also where the verdict is a pass."""
    before = run(result("a", "pass"), result("b", "fail"))
    after = run(result("a", "fail"), result("b", "pass"), version="v2")
    found = verdict(after, before)
    assert found.outcome is VerdictOutcome.pass_
    assert {(flip.case_id, flip.after.value) for flip in found.flips} == {("a", "fail"), ("b", "pass")}
    assert outcome(after, before, GatePolicy(max_worse=0)) == "regression"


@pytest.mark.parametrize(
    ("failing", "expected"), [(0, "pass"), (3, "pass"), (4, "inconclusive"), (8, "inconclusive"), (9, "regression")]
)
def test_the_tolerance_of_hallucination(failing: int, expected: str):
    """Protects L9: up to 3 % is allowed, above 8 % blocks, between them a person looks."""
    same = of_counts("v1", hallucination=(100 - failing, 100))
    assert outcome(same, same) == expected


@pytest.mark.parametrize(("failing", "expected"), [(0, "pass"), (1, "regression")])
def test_safety_blocks_above_zero(failing: int, expected: str):
    """Protects L9, also where the baseline was no better, and on the very first run."""
    same = of_counts("v1", safety=(1000 - failing, 1000))
    assert outcome(same, same) == expected
    assert outcome(same, None) == expected


def test_a_drop_within_the_tolerance_passes_and_beyond_it_blocks():
    """Protects the configured tolerance of a category, at its very edge."""
    policy = GatePolicy(categories={"total": CategoryTolerance(max_drop=0.1)})
    assert outcome(of_counts("v2", total=(8, 10)), of_counts("v1", total=(9, 10)), policy) == "pass"
    assert outcome(of_counts("v2", total=(7, 10)), of_counts("v1", total=(9, 10)), policy) == "regression"


@pytest.mark.parametrize("state", ["not_run", "judge_error"])
def test_what_is_unknown_makes_a_pass_inconclusive_and_hides_no_regression(state: str):
    """Protects both ways: nothing unknown passes, and a certain regression blocks all the same."""
    before = of_counts("v1", a=(2, 2))
    assert outcome(run(result("a-0", "pass", "a"), result("a-1", state, "a"), version="v2"), before) == "inconclusive"
    assert outcome(run(result("a-0", "fail", "a"), result("a-1", state, "a"), version="v2"), before) == "regression"
    assert outcome(before, run(result("a-0", "pass", "a"), result("a-1", state, "a"))) == "inconclusive"


def test_an_agent_error_is_not_a_pass():
    """Protects against agents that crash: it counts as failing, and more crashes than before block too."""
    assert outcome(run(result("a", "agent_error")), run(result("a", "pass"))) == "regression"
    before = run(result("a", "fail"), result("b", "pass"))
    assert outcome(run(result("a", "agent_error"), result("b", "pass"), version="v2"), before) == "regression"


@pytest.mark.parametrize("baseline", [None, run(result("a", "agent_error")), run(result("a", "fail"))])
def test_an_agent_that_answers_nothing_never_passes(baseline: EvalRun | None):
    """Protects against a crashed agent that is no worse than a baseline without passes."""
    assert outcome(run(result("a", "agent_error"), version="v2"), baseline) != "pass"


@pytest.mark.parametrize("baseline", [None, run(), run(result("a"))])
def test_an_empty_run_never_passes(baseline: EvalRun | None):
    """Protects L10's last sentence."""
    assert outcome(run(version="v2"), baseline) in ("inconclusive", "incomparable")


def test_runs_that_cannot_be_compared_are_told_apart_from_failures():
    """Protects the fourth outcome: other settings, nothing in common, edited cases, an empty baseline."""
    one = run(result("a"))
    assert outcome(run(result("a"), settings_hash="other judge"), one) == "incomparable"
    assert outcome(run(result("b")), one) == "incomparable"
    assert outcome(run(result("a", content_hash="edited")), one) == "incomparable"
    assert outcome(one, run()) == "incomparable"
    assert outcome(run(result("a", content_hash="")), run(result("a", content_hash=""))) == "incomparable"
    assert outcome(run(result("a"), result("a", "fail")), one) == "incomparable"


def test_a_case_that_passed_must_not_be_left_out():
    """Protects against a candidate that is better because less was asked of it."""
    before = run(result("a"), result("b"), result("c", "fail"))
    assert outcome(run(result("a"), result("b"), version="v2"), before) == "pass"
    found = verdict(run(result("a"), result("c", "fail"), version="v2"), before)
    assert (found.outcome, "b" in found.reasons[0]) == (VerdictOutcome.inconclusive, True)
    assert outcome(run(result("a"), version="v2"), before, GatePolicy(require_all=False)) == "pass"


def test_a_case_moved_to_another_category_hides_nothing():
    """Protects against a safety case that is called something else since it fails."""
    before = run(result("a", "pass", "safety"), result("b", "pass", "tone"))
    after = run(result("a", "fail", "tone"), result("b", "pass", "tone"), version="v2")
    found = verdict(after, before)
    assert {item.category: item.outcome.value for item in found.categories}["safety"] == "regression"


def test_new_cases_are_shown_and_do_not_block():
    """Protects the loop: a case minted today fails today, which is no regression of the candidate."""
    before = run(result("a"))
    found = verdict(run(result("a"), result("b", "fail"), result("c", "fail", "new"), version="v2"), before)
    assert found.outcome is VerdictOutcome.pass_
    assert {item.category: item.fail_share for item in found.categories} == {"general": 0.5, "new": 1.0}


def test_a_first_run_passes_only_when_every_case_got_an_answer_and_a_grade():
    """Protects the first baseline; failures are no regression where there is nothing to fall below."""
    assert outcome(run(result("a"), result("b", "fail")), None) == "pass"
    for state in ("agent_error", "judge_error", "not_run"):
        assert outcome(run(result("a"), result("b", state)), None) == "inconclusive"


def test_the_same_judgement_has_the_same_identifier():
    """Protects steps that are done twice."""
    one, other = of_counts("v1", a=(1, 2)), of_counts("v2", a=(2, 2))
    assert verdict(other, one).verdict_id == verdict(other, one).verdict_id != verdict(one, other).verdict_id


@given(before=RESULTS, after=RESULTS, policy=POLICIES)
def test_worse_in_a_category_beyond_tolerance_never_passes(
    before: dict[int, tuple[str, str]], after: dict[int, tuple[str, str]], policy: GatePolicy
):
    """Protects the release decision over the whole space of runs."""
    after = {number: (state, before.get(number, ("", category))[1]) for number, (state, category) in after.items()}
    if outcome(drawn("v2", after), drawn("v1", before), policy) != "pass":
        return
    common = before.keys() & after.keys()
    for category in {before[number][1] for number in common}:
        inside = [number for number in common if before[number][1] == category]
        drop = sum((before[n][0] == "pass") - (after[n][0] == "pass") for n in inside) / len(inside)
        assert drop <= policy.tolerance(category).max_drop + 1e-9
    assert common
    assert all(state in ("pass", "fail", "agent_error") for state, _ in after.values())
    assert not any(state != "pass" for state, category in after.values() if category == "safety")


@given(before=st.none() | RESULTS, after=RESULTS, policy=POLICIES, category=CATEGORIES,
       added=st.sampled_from(["agent_error", "not_run", "judge_error"]))  # fmt: skip
def test_adding_an_error_never_turns_a_refusal_into_a_pass(
    before: dict[int, tuple[str, str]] | None,
    after: dict[int, tuple[str, str]],
    policy: GatePolicy,
    category: str,
    added: str,
):
    """Protects the denominator: what was not answered or not graded helps nobody."""
    baseline = None if before is None else drawn("v1", before)
    if outcome(drawn("v2", after), baseline, policy) != "pass":
        assert outcome(drawn("v2", {**after, 99: (added, category)}), baseline, policy) != "pass"
        for number, (state, own) in after.items():
            if state in ("pass", "fail"):
                assert outcome(drawn("v2", {**after, number: (added, own)}), baseline, policy) != "pass"


@given(after=RESULTS.filter(bool), policy=POLICIES, data=st.data(),
       value=st.sampled_from([math.nan, math.inf, -0.5, 1.5]))  # fmt: skip
def test_a_score_that_is_none_never_passes(
    after: dict[int, tuple[str, str]], policy: GatePolicy, data: st.DataObject, value: float
):
    """Protects against NaN and scores outside 0 to 1, in the candidate and in the baseline, on any assertion."""
    sound = drawn("v2", after)
    place = data.draw(st.integers(0, len(sound.results) - 1))
    broken_results = [*sound.results]
    broken_results[place] = _broken(sound.results[place], value, data.draw(st.booleans()))
    broken = run(*broken_results, version="v2")
    assert outcome(broken, sound, policy) != "pass"
    assert outcome(broken, None, policy) != "pass"
    assert outcome(sound, broken, policy) != "pass"


def _broken(sound: CaseResult, value: float, in_assertion: bool) -> CaseResult:
    if not in_assertion:
        return sound.model_copy(update={"score": value})
    inner = AssertionResult(type="llm-rubric", state=ResultState.pass_, score=value)
    return sound.model_copy(update={"assertions": (inner,)})
