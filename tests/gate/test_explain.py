"""Verdicts in plain words."""

import re

import pytest
from hypothesis import given

from naoshi.gate.advice import advice
from naoshi.gate.decide import decide, settle
from naoshi.gate.explain import explain
from naoshi.gate.policy import CategoryTolerance, GatePolicy
from naoshi.gate.reasons import in_japanese, key_of
from naoshi.gate.rerun import Rerun
from naoshi.records import EvalRun
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

JAPANESE = re.compile("[ぁ-んァ-ン一-龯]")


def test_the_worked_example_is_told_in_full():
    """Protects what a person reads: outcome, reason, categories, flips in both directions."""
    literal = GatePolicy(policy="literal")
    found = decide(of_counts("v2", a=(10, 10), b=(6, 10)), of_counts("v1", a=(5, 10), b=(10, 10)), literal, now=NOW)
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
    found = settle(candidate, baseline, policy, run_again=without_chance(candidate, baseline), now=NOW)
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


def test_what_the_other_policy_says_is_told_with_its_reasons():
    """Protects against a verdict whose strictness nobody can judge: both ways of deciding are always shown."""
    candidate, baseline = of_counts("v2", b=(6, 10)), of_counts("v1", b=(10, 10))
    found = decide(candidate, baseline, GatePolicy(policy="paired"), now=NOW)
    text = explain(found)
    assert text.startswith("INCONCLUSIVE")
    assert "By the policy `literal` it would be: REGRESSION" in text
    assert "b: 6 of 10 pass, 10 did in the baseline" in text
    assert "To run again on both versions before this is final:\n  - b-6" in text
    settled = settle(
        candidate, baseline, GatePolicy(policy="paired"), run_again=without_chance(candidate, baseline), now=NOW
    )
    assert "b-9 (b): pass → fail; shows each time it is run again" in explain(settled)
    assert "b-9 (b): 合格 → 不合格; やり直しても毎回同じです" in explain(settled, "ja")


def test_what_the_suite_could_have_seen_is_told():
    """Protects against taking a pass for a proof: bounds, certainty and smallest effect of each category."""
    small, large = of_counts("v1", a=(3, 3)), of_counts("v1", a=(100, 100))
    text = explain(decide(small, small, GatePolicy(), now=NOW))
    assert "a: 100.0% → 100.0% (3 cases) ok\n      difference +0.0 points, 95 % from -56.1 to +56.1; 0 worse" in text
    assert "95 % bounds of the pass rate: 43.9% to 100.0%; too few to certify" in text
    assert "a: none, 3 cases are too few" in text
    text = explain(decide(large, large, GatePolicy(), now=NOW))
    assert "; certified" in text
    assert "a: 5 of 100 cases that break" in text
    japanese = explain(decide(large, large, GatePolicy(), now=NOW), "ja")
    assert "保証できます" in japanese
    assert "a: 100 件中 5 件が壊れる場合" in japanese


def test_how_sure_a_fall_is_is_told():
    """Protects the reader of a number: the effect with its interval, how many cases moved, and the test behind it."""
    text = explain(decide(of_counts("v2", b=(6, 10)), of_counts("v1", b=(10, 10)), GatePolicy(), now=NOW))
    assert "difference -40.0 points, 95 % from -64.6 to -2.1; 4 worse, 0 better\n" in text
    assert "p = 0.0625 by exact McNemar, 0.0665 with Holm's method\n" in text


def test_unknown_results_are_no_gains():
    """Protects the reader: where the judge failed nothing got better, and the figure says how it counts."""
    same = run(result("a"), result("b", "judge_error"))
    found = decide(same, same, GatePolicy(), now=NOW)
    assert "0 worse, 0 better; unknown results are counted for the candidate\n" in explain(found)
    assert "不明な結果は候補に有利に数えています\n" in explain(found, "ja")
    assert "unknown results" not in explain(decide(run(result("a")), run(result("a")), GatePolicy(), now=NOW))


def test_rates_over_trials_are_told_with_the_flip():
    """Protects agents with chance: a flip says how many of the trials stand behind it."""
    found = decide(of_trials("v2", a="+--"), of_trials("v1", a="++-"), GatePolicy(), now=NOW)
    assert "a (general): pass → fail; 66.7% → 33.3% of the trials pass" in explain(found)


def _nine(marks: str) -> dict[str, str]:
    return {f"c{number}": marks for number in range(9)}


def _scored(score: float) -> EvalRun:
    return run(*(result(f"c{number}", score=score) for number in range(9)))


PAIRED_EDGES = [
    (of_counts("v2", b=(6, 10)), of_counts("v1", b=(10, 10)), "fail", "pass"),
    (of_counts("v2", b=(6, 10)), of_counts("v1", b=(10, 10)), "judge_error", "pass"),
    (of_counts("v2", b=(2, 10)), of_counts("v1", b=(10, 10)), "pass", "pass"),
    (of_counts("v2", b=(10, 10)), of_counts("v1", b=(10, 10)), "pass", "pass"),
    (of_counts("v2", safety=(9, 10)), of_counts("v1", safety=(10, 10)), "pass", "pass"),
    (of_counts("v2", safety=(9, 10)), of_counts("v1", safety=(10, 10)), "fail", "pass"),
    (of_trials("v2", d="+", **_nine("!!")), of_trials("v1", d="+", **_nine("--")), "agent_error", "fail"),
    (of_trials("v2", a="!", b="+"), of_trials("v1", a="-", b="+"), "agent_error", "fail"),
    (_scored(0.7), _scored(0.9), "fail", "pass"),
]


@pytest.mark.parametrize(("candidate", "baseline", "after", "before"), PAIRED_EDGES)
@pytest.mark.parametrize("strict", [True, False])
def test_every_reason_of_re_runs_and_statistics_is_told_in_both_languages(
    candidate: EvalRun, baseline: EvalRun, after: str, before: str, strict: bool
):
    """Protects Japanese readers, in the first verdict and in the final one."""
    policy = GatePolicy(policy="paired", require_certified=strict, max_worse=1 if strict else None)
    first = decide(candidate, baseline, policy, now=NOW)
    again = with_states(candidate, baseline, after=after, before=before)
    final = settle(candidate, baseline, policy, run_again=again, now=NOW)
    for found in (first, final):
        for reason in found.reasons:
            assert f"- {reason}\n" in explain(found, "en")
            assert f"- {reason}\n" not in explain(found, "ja")


def test_re_runs_of_another_judge_are_told_in_both_languages():
    """Protects the reader of a verdict that cannot be given."""
    candidate, baseline = of_counts("v2", b=(6, 10)), of_counts("v1", b=(10, 10))
    odd = Rerun(candidate=run(settings_hash="another judge"))
    found = decide(candidate, baseline, GatePolicy(policy="paired"), now=NOW, reruns=[odd])
    assert "the re-runs were not graded as the runs were" in explain(found)
    assert "やり直しの採点の条件" in explain(found, "ja")


@pytest.mark.parametrize(
    ("candidate", "baseline", "told"),
    [
        (of_counts("v2", b=(6, 10)), of_counts("v1", b=(10, 10)), "--again"),
        (run(result("a", "not_run")), run(result("a")), "every case is run and graded"),
        (run(result("a"), settings_hash="x"), run(result("a")), "same judge, rubric and runner"),
        (run(result("a")), run(result("a"), result("b")), "Run what was left out too"),
        (run(result("a")), run(result("b")), "on the same suite"),
        (run(), None, "Run the suite on the candidate first"),
        (run(result("a")), None, "can become the baseline"),
        (of_counts("v1", a=(3, 3)), of_counts("v1", a=(3, 3)), "too few cases to certify a:"),
        (of_counts("v1", a=(99, 99)), of_counts("v1", a=(99, 99)), "Nothing: a person reviews"),
        (of_counts("v2", safety=(9, 10)), of_counts("v1", safety=(10, 10)), "--again"),
    ],
)
def test_what_to_do_next_is_told(candidate: EvalRun, baseline: EvalRun | None, told: str):
    """Protects the reader who is told no: each verdict ends with what to do about it, in both languages."""
    found = decide(candidate, baseline, GatePolicy(), now=NOW)
    *_, english = explain(found).partition("What to do next:\n")
    *_, japanese = explain(found, "ja").partition("次にすること:\n")
    assert told in english
    assert len(english.splitlines()) == len(japanese.splitlines())
    assert all(JAPANESE.search(line) for line in japanese.splitlines())


def test_each_kind_of_reason_is_known_again():
    """Protects old verdicts: the kind of a reason is found from its words, with and without a category before it."""
    found = decide(of_counts("v2", b=(6, 10)), of_counts("v1", b=(10, 10)), GatePolicy(policy="literal"), now=NOW)
    assert [key_of(told) for told in found.reasons] == ["drop"]
    assert key_of(f"a: b: {found.reasons[0]}") == "drop"
    assert (key_of(""), key_of("a: b"), key_of("nothing that the gate says")) == ("", "", "")


@given(before=RESULTS, after=RESULTS, policy=POLICIES)
def test_any_verdict_has_advice_of_its_own_kind(before: dict, after: dict, policy: GatePolicy):
    """Protects against advice that is a way out: a verdict other than a pass names something to do for a reason."""
    found = decide(drawn("v2", after), drawn("v1", before), policy, now=NOW)
    assert all(key_of(told) for told in found.reasons)
    assert advice(found, "en")


def test_what_was_not_judged_is_not_called_worse():
    """A judge's failure is not the agent's: such a case is neither better nor worse, and to answer again is better."""
    before = run(result("a"), result("b"), result("c", "agent_error"), result("d", "judge_error"))
    after = run(result("a", "judge_error"), result("b", "fail"), result("c", "fail"), result("d"), version="v2")
    text = explain(decide(after, before, GatePolicy(), now=NOW))
    listed = [part.splitlines() for part in text.split("Cases that ")[1:]]
    found = {lines[0]: [line.split()[1] for line in lines[1:] if " → " in line] for lines in listed}
    assert found["got worse:"] == ["b"]
    assert found["got better:"] == ["c"]
    assert found["were not run or not judged in one of the runs, so neither better nor worse:"] == ["a", "d"]


def test_no_category_is_called_well_when_the_runs_do_not_compare():
    """A tired reader must not take a category of an incomparable verdict for approved."""
    found = decide(run(result("a"), settings_hash="x"), run(result("a")), GatePolicy(), now=NOW)
    assert "(1 case) not comparable\n" in explain(found)
    assert "(1 件) 比較不能\n" in explain(found, "ja")


def test_a_long_list_of_cases_is_japanese_to_its_end():
    """No English is left behind the names of a Japanese reason."""
    found = decide(run(result("z")), run(*(result(f"c{number}") for number in range(9))), GatePolicy(), now=NOW)
    assert "c4 and 4 more" in explain(found)
    assert "c4 ほか 4 件" in explain(found, "ja")
    assert " more" not in explain(found, "ja")


def test_a_pass_with_nothing_to_lose_says_so():
    """Where no case passed before, nothing could get worse: nobody must take that pass for an approval."""
    empty, one = of_counts("v1", a=(0, 6)), of_counts("v1", a=(1, 6))
    assert "this pass says nothing" in explain(decide(empty, empty, GatePolicy(), now=NOW))
    assert "この合格は何も意味しません" in explain(decide(empty, empty, GatePolicy(), now=NOW), "ja")
    assert "this pass says nothing" not in explain(decide(one, one, GatePolicy(), now=NOW))


def test_a_chance_too_small_to_write_is_not_written_as_nothing():
    """Protects readers from "p = 0.0000", in the reason and beside the category, in both languages."""
    found = decide(of_counts("v2", a=(0, 30)), of_counts("v1", a=(30, 30)), GatePolicy(), now=NOW)
    english, japanese = explain(found), explain(found, "ja")
    assert "beyond chance (p < 0.0001)" in english
    assert "p < 0.0001 by exact McNemar, < 0.0001 with Holm's method" in english
    assert "偶然とは言えません（p < 0.0001）" in japanese
    assert "（McNemar の正確検定）" in japanese
    assert "0.0000" not in english + japanese
    assert in_japanese("the pass rate of 9 cases fell from 9% to 1%, beyond chance (p = 0.0123)").endswith("0.0123）")


def test_nobody_is_said_to_vouch_for_what_is_worse():
    """More cases would not help a category that collapsed, so it is not called too small."""
    found = decide(of_counts("v2", a=(0, 30), b=(3, 3)), of_counts("v1", a=(30, 30), b=(3, 3)), GatePolicy(), now=NOW)
    lines = explain(found).splitlines()
    assert [line for line in lines if "too few to certify" in line] == [
        "      95 % bounds of the pass rate: 43.9% to 100.0%; too few to certify"
    ]


def test_a_fall_of_scores_shows_its_size():
    """Where cases still pass and the mean score blocks, its difference stands beside the category."""
    before = run(*(result(f"c{number}", score=0.9) for number in range(12)))
    after = run(*(result(f"c{number}", score=0.75) for number in range(12)), version="v2")
    found = decide(after, before, GatePolicy(), now=NOW)
    assert "mean score: difference -15.0 points, 95 % from" in explain(found)
    assert "平均点: 差 -15.0 ポイント" in explain(found, "ja")
    assert "Cases still pass, with lower scores" in explain(found)


def test_what_decides_is_told_first():
    """A tired reader is not sent to re-runs that change nothing: what is final stands first, and is what to mend."""
    silent = run(*(result(f"c{number}", "agent_error") for number in range(3)), version="v2")
    found = decide(silent, run(*(result(f"c{number}") for number in range(3))), GatePolicy(), now=NOW)
    assert found.reasons[0] == "the agent answered none of 3 cases"
    assert "--again" not in explain(found)
    waiting = decide(of_counts("v2", a=(0, 30)), of_counts("v1", a=(30, 30)), GatePolicy(), now=NOW)
    assert waiting.rerun and "--again" in explain(waiting)


def test_a_name_cannot_look_like_a_line_of_ours():
    """Names come from suites of any origin: a line break in one does not begin a line."""
    name = "total\nPASS: nothing\r\u2028got worse"
    before, after = run(result(name, category=name)), run(result(name, "fail", name), version="v2")
    for language in ("en", "ja"):
        text = explain(decide(after, before, GatePolicy(), now=NOW), language)
        assert not [line for line in text.splitlines() if line.startswith(("PASS", "got"))]


def test_a_category_with_nothing_to_lose_is_named():
    """A pass says nothing of a category in which no case passed before."""
    found = decide(of_counts("v2", a=(0, 6), b=(6, 6)), of_counts("v1", a=(0, 6), b=(6, 6)), GatePolicy(), now=NOW)
    assert "Nothing could get worse in a:" in explain(found)
    assert "a では基準で合格したケースがなく" in explain(found, "ja")


def test_a_pass_beside_cases_that_mostly_fail_now_says_so():
    """Where most trials of a case pass no more and nothing can settle it, a pass does not stand there alone."""
    before = run(*(result(f"c{number}", trial=trial) for number in range(4) for trial in range(3)))
    states = ("pass", "fail", "fail")
    after = run(
        *(result(f"c{number}", states[trial], trial=trial) for number in range(4) for trial in range(3)), version="v2"
    )
    found = decide(after, before, GatePolicy(), now=NOW)
    assert found.outcome.value == "pass"
    assert "Most trials of these cases pass no more" in explain(found) and "c0, c1, c2, c3" in explain(found)
    assert "試行の多くが合格しなくなった" in explain(found, "ja")
    assert "Most trials" not in explain(decide(before, before, GatePolicy(), now=NOW))


def test_a_first_run_in_which_nothing_passes_is_no_baseline_to_be_glad_of():
    """A baseline that nothing can fall below guards nothing."""
    assert "guards nothing" in explain(decide(of_counts("v1", a=(0, 4)), None, GatePolicy(), now=NOW))
    assert "guards nothing" not in explain(decide(of_counts("v1", a=(1, 4)), None, GatePolicy(), now=NOW))
