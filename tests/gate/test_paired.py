"""The policy `paired`: what got worse blocks, what chance explains does not."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.gate.decide import decide, rerun_wanted, settle
from naoshi.gate.policy import GatePolicy
from naoshi.gate.rerun import Rerun, RunAgain
from naoshi.records import Certainty, EvalRun, ResultState, Verdict, VerdictOutcome
from tests.gate.runs import (
    NOW,
    POLICIES,
    RESULTS,
    drawn,
    of_counts,
    of_trials,
    result,
    run,
    with_states,
    without_chance,
)

PAIRED = GatePolicy(policy="paired")


def first(candidate: EvalRun, baseline: EvalRun | None, policy: GatePolicy = PAIRED) -> Verdict:
    return decide(candidate, baseline, policy, now=NOW)


def final(candidate: EvalRun, baseline: EvalRun | None, again: RunAgain, policy: GatePolicy = PAIRED) -> Verdict:
    return settle(candidate, baseline, policy, run_again=again, now=NOW)


def other(verdict: Verdict, policy: str) -> str:
    return next(item.outcome.value for item in verdict.by_policy if item.policy == policy)


COLLAPSED = of_counts("v2", A=(10, 10), B=(6, 10))
SOUND = of_counts("v1", A=(5, 10), B=(10, 10))


@given(before=RESULTS, after=RESULTS, policy=POLICIES)
def test_an_agent_without_chance_is_judged_as_by_the_letter(
    before: dict[int, tuple[str, str]], after: dict[int, tuple[str, str]], policy: GatePolicy
):
    """Protects the loop: where each flip shows again, `paired` blocks what `literal` blocks, and nothing else."""
    candidate, baseline = drawn("v2", after), drawn("v1", before)
    again = without_chance(candidate, baseline)
    found = final(candidate, baseline, again, policy.model_copy(update={"policy": "paired"}))
    assert found.outcome.value == other(found, "literal")
    assert rerun_wanted(found) == ()


@given(before=RESULTS, after=RESULTS, policy=POLICIES)
def test_without_re_runs_nothing_passes_that_the_letter_blocks(
    before: dict[int, tuple[str, str]], after: dict[int, tuple[str, str]], policy: GatePolicy
):
    """Protects a caller that never runs anything again: a fall that may be chance is inconclusive, not a pass."""
    found = first(drawn("v2", after), drawn("v1", before), policy.model_copy(update={"policy": "paired"}))
    assert found.outcome is not VerdictOutcome.pass_ or other(found, "literal") == "pass"


def test_a_collapse_behind_a_better_average_blocks_and_is_named():
    """Protects L9: inconclusive with its cases named, a regression once re-runs confirm it; A is no part of it."""
    found = first(COLLAPSED, SOUND)
    assert found.outcome is VerdictOutcome.inconclusive
    assert rerun_wanted(found) == ("B-6", "B-7", "B-8", "B-9")
    assert found.reasons[0].startswith("B: 4 of 10 cases flipped")
    settled = final(COLLAPSED, SOUND, without_chance(COLLAPSED, SOUND))
    assert settled.outcome is VerdictOutcome.regression
    assert {item.category: item.outcome.value for item in settled.categories} == {"A": "pass", "B": "regression"}
    assert {flip.case_id for flip in settled.flips if flip.confirmed} == set(rerun_wanted(found))


def test_flips_that_do_not_show_again_do_not_block():
    """Protects against false alarms: fine when run again, and the verdict is a pass that still shows them."""
    settled = final(COLLAPSED, SOUND, with_states(COLLAPSED, SOUND, after="pass", before="pass"))
    assert settled.outcome is VerdictOutcome.pass_
    assert (settled.rounds, other(settled, "literal")) == (1, "regression")
    assert {flip.confirmed for flip in settled.flips if flip.category == "B"} == {False}


def test_a_world_that_changed_is_not_held_against_the_candidate():
    """Protects against a baseline from last week: when the old version fails as well now, nothing is the change's."""
    settled = final(COLLAPSED, SOUND, with_states(COLLAPSED, SOUND, after="fail", before="fail"))
    assert settled.outcome is VerdictOutcome.pass_


def test_one_lost_case_of_many_is_seen():
    """Protects a real drop of a single case, which no average could show."""
    before, after = of_counts("v1", total=(300, 300)), of_counts("v2", total=(299, 300))
    settled = final(after, before, without_chance(after, before))
    assert settled.outcome is VerdictOutcome.regression
    assert settled.rounds == 4


def test_gains_that_hold_are_weighed_against_losses_that_are_confirmed():
    """Protects L8, the rate of a category: as many gained as lost is no fall; a gain must show again to count."""
    before, after = of_trials("v1", a="+", b="-"), of_trials("v2", a="-", b="+")
    assert final(after, before, without_chance(after, before)).outcome is VerdictOutcome.pass_
    before, after = of_trials("v1", a="+", b="+", c="+", d="-"), of_trials("v2", a="-", b="-", c="-", d="+")

    def again(gained: str) -> RunAgain:
        states = {"a": "fail", "b": "pass", "c": "pass", "d": gained}

        def run_again(case_ids: Sequence[str], /) -> Rerun:
            made = without_chance(after, before)(case_ids)
            results = tuple(result(case_id, states[case_id]) for case_id in case_ids)
            return Rerun(candidate=made.candidate.model_copy(update={"results": results}), baseline=made.baseline)

        return run_again

    assert final(after, before, again("pass")).outcome is VerdictOutcome.pass_
    lost = final(after, before, again("fail"))
    assert lost.outcome is VerdictOutcome.regression
    assert {flip.case_id: flip.confirmed for flip in lost.flips} == {"a": True, "b": False, "c": False, "d": False}


def test_a_fall_beyond_chance_blocks_and_is_asked_about_once():
    """Protects noisy agents: averages over trials block without any single case being certain."""
    before = of_trials("v1", **{f"c{n}": "+++" if n % 2 else "++-" for n in range(12)})
    after = of_trials("v2", **{f"c{n}": "+--" if n % 2 else "--+" for n in range(12)})
    found = first(after, before)
    assert found.outcome is VerdictOutcome.regression
    assert "beyond chance (p = 0.0003)" in found.reasons[0]
    assert len(rerun_wanted(found)) == 12
    assert final(after, before, with_states(after, before, after="fail", before="pass")).rounds == 1
    doubtful = final(after, before, with_states(after, before, after="pass", before="pass"))
    assert doubtful.outcome is VerdictOutcome.inconclusive
    assert "did not show when they were run again" in doubtful.reasons[0]


def test_trials_that_differ_by_chance_pass_without_any_re_run():
    """Protects noisy agents: a lower rate over some trials is no fall."""
    before = of_trials("v1", a="++-", b="+++", c="-+-")
    after = of_trials("v2", a="+-+", b="++-", c="--+")
    found = first(after, before)
    assert (found.outcome, rerun_wanted(found)) == (VerdictOutcome.pass_, ())
    assert other(found, "literal") == "regression"


def test_cases_of_one_source_are_one_observation():
    """Protects against cases minted from one trace by the dozen: together they count as the one thing that they are."""
    one = [result(f"c{n}", "pass", trial=t, source_key="trace-1") for n in range(8) for t in range(2)]
    broken = [item.model_copy(update={"state": ResultState.fail if item.trial else ResultState.pass_}) for item in one]
    found = first(run(*broken, version="v2"), run(*one))
    assert found.outcome is VerdictOutcome.pass_
    statistics = found.categories[0].statistics
    assert statistics is not None
    assert (statistics.sources, statistics.trials, statistics.worse) == (1, 2, 8)
    apart = [run(*(item.model_copy(update={"source_key": ""}) for item in side)) for side in (broken, one)]
    assert first(*apart).outcome is VerdictOutcome.regression


def test_a_mean_score_that_falls_beyond_the_margin_blocks():
    """Protects graded scores that sink while every case still passes; a fall within the margin does not matter."""
    before = run(*(result(f"c{n}", "pass", score=0.95) for n in range(12)))
    sunk = run(*(result(f"c{n}", "pass", score=0.75 + n / 100) for n in range(12)), version="v2")
    lower = run(*(result(f"c{n}", "pass", score=0.92) for n in range(12)), version="v2")
    assert final(sunk, before, without_chance(sunk, before)).outcome is VerdictOutcome.regression
    assert "mean score" in first(sunk, before).reasons[0]
    assert first(lower, before).outcome is VerdictOutcome.pass_


@pytest.mark.parametrize("again", ["fail", "agent_error"])
def test_a_safety_failure_that_shows_again_blocks_whatever_the_averages_say(again: str):
    """Protects L9: one in a thousand, with everything else better, and also where the baseline was no better."""
    before = of_counts("v1", safety=(1000, 1000), other=(5, 50))
    after = of_counts("v2", safety=(999, 1000), other=(50, 50))
    found = final(after, before, with_states(after, before, after=again, before="pass"))
    assert found.outcome is VerdictOutcome.regression
    assert "fail, and again when repeated, where none may: safety-999" in found.reasons[0]
    assert final(after, after, without_chance(after, after)).outcome is VerdictOutcome.regression
    assert final(after, None, without_chance(after, None)).outcome is VerdictOutcome.regression


def test_a_safety_failure_that_shows_once_never_passes():
    """Protects against an agent that is unsafe now and then: a person looks; two trials that fail need no re-run."""
    before, after = of_counts("v1", safety=(20, 20)), of_counts("v2", safety=(19, 20))
    found = final(after, before, with_states(after, before, after="pass", before="pass"))
    assert (found.outcome, found.rounds) == (VerdictOutcome.inconclusive, 3)
    assert "a person has to look" in found.reasons[0]
    twice = of_trials("v2", "safety", a="+--", b="+++")
    assert first(twice, of_trials("v1", "safety", a="+++", b="+++")).outcome is VerdictOutcome.regression


def test_the_tolerance_on_shares_holds_on_the_observed_rate():
    """Protects L9: 8 % is 8 % of the trials that were run, and needs no re-run."""
    marks = {f"c{n}": "+++" for n in range(50)}
    nine = of_trials("v2", "hallucination", **{**marks, **{f"c{n}": "+--" for n in range(7)}})
    eight = of_trials("v2", "hallucination", **{**marks, **{f"c{n}": "+--" for n in range(6)}})
    assert first(nine, nine).outcome is VerdictOutcome.regression
    assert first(eight, eight).outcome is VerdictOutcome.inconclusive


def test_an_agent_that_falls_silent_blocks_when_it_does_so_again():
    """Protects against crashes on cases that failed before anyway."""
    before = of_trials("v1", a="-", b="+")
    after = of_trials("v2", a="!", b="+")
    assert first(after, before).outcome is VerdictOutcome.inconclusive
    settled = final(after, before, without_chance(after, before))
    assert settled.outcome is VerdictOutcome.regression
    assert "had an answer and get none each time" in settled.reasons[0]
    assert final(after, before, with_states(after, before, after="fail", before="fail")).outcome is VerdictOutcome.pass_


@pytest.mark.parametrize("state", ["judge_error", "not_run"])
def test_re_runs_that_say_nothing_end_and_do_not_pass(state: str):
    """Protects against waiting for ever, and against taking silence for consent."""
    settled = final(COLLAPSED, SOUND, with_states(COLLAPSED, SOUND, after=state, before=state))
    assert settled.outcome is VerdictOutcome.inconclusive
    assert rerun_wanted(settled) == ()
    assert "rounds of re-runs did not settle them" in settled.reasons[0]


def test_re_runs_that_were_left_out_or_graded_otherwise_do_not_pass():
    """Protects against re-runs of nothing, and of another judge."""
    nothing = Rerun(candidate=run(version="v2"), baseline=run())
    assert final(COLLAPSED, SOUND, lambda case_ids: nothing).outcome is VerdictOutcome.inconclusive
    others = Rerun(candidate=run(version="v2", settings_hash="another judge"), baseline=run())
    found = final(COLLAPSED, SOUND, lambda case_ids: others)
    assert (found.outcome, rerun_wanted(found)) == (VerdictOutcome.incomparable, ())


def test_re_runs_of_another_case_confirm_nothing():
    """Protects the pairing: a re-run of an edited case says nothing of the one that flipped."""

    def edited(case_ids: Sequence[str], /) -> Rerun:
        made = without_chance(COLLAPSED, SOUND)(case_ids)
        other = [item.model_copy(update={"content_hash": "edited"}) for item in made.candidate.results]
        return Rerun(candidate=made.candidate.model_copy(update={"results": tuple(other)}), baseline=made.baseline)

    assert final(COLLAPSED, SOUND, edited).outcome is VerdictOutcome.inconclusive


def test_what_is_unknown_counts_for_the_candidate_only_where_it_must_be_shown_to_be_worse():
    """Protects both ways: unknown results never pass, and never make a regression by themselves."""
    before = of_counts("v1", a=(20, 20))
    unjudged = run(*(result(f"a-{n}", "judge_error", "a") for n in range(20)), version="v2")
    assert first(unjudged, before).outcome is VerdictOutcome.inconclusive
    mixed = run(*(result(f"a-{n}", "fail" if n < 8 else "judge_error", "a") for n in range(20)), version="v2")
    assert first(mixed, before).outcome is VerdictOutcome.regression


def test_many_categories_do_not_make_false_alarms_likelier():
    """Protects Holm's correction: what blocks as one category's fall is not enough among ten that moved."""
    fell = {f"c{n}": ("++", "+-") for n in range(5)}
    before = run(*_tried(fell, 0, "a"))
    after = run(*_tried(fell, 1, "a"), version="v2")
    assert first(after, before).outcome is VerdictOutcome.regression
    rose = {f"r{n}": ("+-", "++") for n in range(50)}
    others = [item for n in range(10) for item in _tried(dict([*rose.items()][n * 5 : n * 5 + 5]), 0, f"b{n}")]
    better = [item for n in range(10) for item in _tried(dict([*rose.items()][n * 5 : n * 5 + 5]), 1, f"b{n}")]
    found = first(run(*after.results, *better, version="v2"), run(*before.results, *others))
    assert found.outcome is VerdictOutcome.pass_
    assert found.categories[0].statistics is not None
    assert found.categories[0].statistics.measures[0].adjusted_p == pytest.approx(11 / 32 / 0.94)


def _tried(cases: dict[str, tuple[str, str]], side: int, category: str) -> list:
    return list(of_trials("any", category, **{name: marks[side] for name, marks in cases.items()}).results)


def test_too_few_to_certify_is_said_and_blocks_only_on_request():
    """Protects against reading a pass of ten cases as a promise."""
    few, many = of_counts("v1", a=(10, 10)), of_counts("v1", a=(100, 100))
    for same, certainty, strict in ((few, Certainty.too_few, "inconclusive"), (many, Certainty.certified, "pass")):
        found = first(same, same)
        assert found.outcome is VerdictOutcome.pass_
        assert found.categories[0].statistics is not None
        assert found.categories[0].statistics.certainty is certainty
        asked = first(same, same, GatePolicy(policy="paired", require_certified=True))
        assert asked.outcome.value == strict


def test_a_limit_on_lost_cases_counts_those_that_are_confirmed():
    """Protects `max_worse`: a net gain may be asked to lose nothing at all, and chance loses nothing."""
    before, after = of_trials("v1", a="+", b="-", c="-"), of_trials("v2", a="-", b="+", c="+")
    strict = GatePolicy(policy="paired", max_worse=0)
    assert first(after, before, strict).outcome is VerdictOutcome.inconclusive
    assert final(after, before, without_chance(after, before), strict).outcome is VerdictOutcome.regression
    assert (
        final(after, before, with_states(after, before, after="pass", before="pass"), strict).outcome
        is VerdictOutcome.pass_
    )


def test_the_letter_asks_for_no_re_run():
    """Protects `literal`: it takes runs as they are, and shows what `paired` would say."""
    found = decide(COLLAPSED, SOUND, GatePolicy(policy="literal"), now=NOW)
    assert (found.outcome, rerun_wanted(found)) == (VerdictOutcome.regression, ())
    assert other(found, "paired") == "inconclusive"
    assert found.policy == "literal"


def test_a_flip_says_what_most_trials_say():
    """Protects the list of flips: states by majority, a tie against the agent, rates beside them."""
    before, after = of_trials("v1", a="++-", b="+++"), of_trials("v2", a="+--", b="+++")
    (flip,) = first(after, before).flips
    assert (flip.case_id, flip.before, flip.after) == ("a", ResultState.pass_, ResultState.fail)
    assert (flip.before_rate, flip.after_rate, flip.confirmed) == (pytest.approx(2 / 3), pytest.approx(1 / 3), None)


@given(st.permutations(range(6)))
def test_the_order_of_results_says_nothing(order: list[int]):
    """Protects against verdicts that hang on the order in which cases were run."""
    shuffled = [
        run(*(whole.results[place] for place in order), version=whole.version)
        for whole in (
            of_trials("v2", a="--", b="+-", c="++"),
            of_trials("v1", a="++", b="++", c="+-"),
        )
    ]
    found = first(*shuffled)
    assert found.outcome is VerdictOutcome.inconclusive
    assert rerun_wanted(found) == ("a",)
