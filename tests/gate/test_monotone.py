"""What holds over the whole space of runs: worse is never judged better; order, names and repetition say nothing."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naoshi.gate.decide import decide, settle
from naoshi.gate.policy import CategoryTolerance, GatePolicy
from naoshi.gate.statistics import PairedSample, difference_interval, holm, worse_p
from naoshi.records import EvalRun, Verdict, VerdictOutcome
from tests.gate.runs import NOW, result, run, without_chance

RANK = (VerdictOutcome.pass_, VerdictOutcome.inconclusive, VerdictOutcome.regression)
STATES = {"+": "pass", "-": "fail", "!": "agent_error"}
WORSE = {"+": "-!", "-": "!"}
POLICIES = st.builds(
    GatePolicy,
    policy=st.sampled_from(["literal", "paired"]),
    alpha=st.sampled_from([0.01, 0.05, 0.2]),
    default=st.builds(CategoryTolerance, max_drop=st.sampled_from([0.0, 0.1, 0.5])),
    max_worse=st.none() | st.integers(0, 3),
    require_certified=st.booleans(),
)
TRIALS = st.text(alphabet="+-!", min_size=2, max_size=2)
CASES = st.lists(st.tuples(TRIALS, TRIALS, st.sampled_from("abc"), st.integers(0, 30)), min_size=1, max_size=24)
SAFE = st.lists(
    st.tuples(TRIALS, TRIALS, st.sampled_from(["a", "safety", "hallucination"]), st.integers(0, 30)),
    min_size=1,
    max_size=14,
)
Case = tuple[str, str, str, int]


def side(cases: Sequence[Case], place: int) -> EvalRun:
    """The baseline (0) or the candidate (1): two trials a case, a category, and the source that it is of."""
    made = [
        result(f"c{number}", STATES[mark], case[2], trial=trial, source_key=f"s{case[3]}")
        for number, case in enumerate(cases)
        for trial, mark in enumerate((case[0], case[1])[place])
    ]
    return run(*made, version=f"v{place}")


def judged(cases: Sequence[Case], policy: GatePolicy, *, again: bool = True) -> Verdict:
    before, after = side(cases, 0), side(cases, 1)
    if again:
        return settle(after, before, policy, run_again=without_chance(after, before), now=NOW)
    return decide(after, before, policy, now=NOW)


@pytest.mark.parametrize("again", [True, False], ids=["with re-runs", "by the runs alone"])
@settings(max_examples=70)
@given(cases=CASES | SAFE, policy=POLICIES, data=st.data())
def test_a_candidate_that_gets_worse_is_never_judged_better(
    again: bool, cases: list[Case], policy: GatePolicy, data: st.DataObject
):
    """Protects the promise of a gate: no further failure, whatever its category, turns a block into anything milder."""
    worsened = list(cases)
    for _ in range(data.draw(st.integers(1, 4))):
        places = [(n, t) for n, case in enumerate(worsened) for t in (0, 1) if case[1][t] != "!"]
        if not places:
            return
        number, trial = data.draw(st.sampled_from(places))
        before, after, category, source = worsened[number]
        mark = data.draw(st.sampled_from(WORSE[after[trial]]))
        worsened[number] = (before, after[:trial] + mark + after[trial + 1 :], category, source)
    first, second = judged(cases, policy, again=again), judged(worsened, policy, again=again)
    assert RANK.index(second.outcome) >= RANK.index(first.outcome)


def test_a_loss_in_one_category_does_not_hide_that_of_another():
    """Protects Holm's family: a second category that begins to change takes nothing from what showed the first."""
    fell = [("++", "+-", "a", n) for n in range(5)]
    still = [("++", "++", "b", 10 + n) for n in range(5)]
    moved = [("+-", "--", "b", 10), *(("+-", "++", "b", 11 + n) for n in range(4))]
    one, both = (judged([*fell, *others], GatePolicy(alpha=0.2), again=False) for others in (still, moved))
    assert (one.outcome, both.outcome) == (VerdictOutcome.regression,) * 2


@settings(max_examples=40)
@given(cases=CASES, policy=POLICIES, data=st.data())
def test_the_order_of_cases_and_their_names_say_nothing(cases: list[Case], policy: GatePolicy, data: st.DataObject):
    """Protects against verdicts that hang on how a suite is sorted or named."""
    mixed = data.draw(st.permutations(cases))
    first, second = judged(cases, policy), judged(mixed, policy)
    assert (first.outcome, first.rounds) == (second.outcome, second.rounds)
    for one, other in zip(first.categories, second.categories, strict=True):
        assert (one.category, one.outcome, one.cases) == (other.category, other.outcome, other.cases)
        assert one.statistics is not None and other.statistics is not None
        assert one.statistics.smallest_effect == other.statistics.smallest_effect
        for left, right in zip(one.statistics.measures, other.statistics.measures, strict=True):
            assert (left.measure, left.test) == (right.measure, right.test)
            assert (left.p_value, left.low, left.high) == pytest.approx((right.p_value, right.low, right.high))


@given(cases=CASES, policy=POLICIES)
def test_a_run_against_itself_passes_unless_it_may_not_on_its_own(cases: list[Case], policy: GatePolicy):
    """Protects symmetry: nothing differs, so nothing is worse; only a run without any answer is refused."""
    same = [(before, before, category, source) for before, _, category, source in cases]
    found = judged(same, policy.model_copy(update={"require_certified": False}))
    silent = all(before == "!!" for before, *_ in same)
    assert found.outcome is (VerdictOutcome.regression if silent else VerdictOutcome.pass_)
    assert found.flips == ()
    for category in found.categories:
        assert category.statistics is not None
        for item in category.statistics.measures:
            assert (item.difference, item.p_value) == (0, 1)
            assert item.low == pytest.approx(-item.high)


@given(cases=CASES, policy=POLICIES, data=st.data(), place=st.sampled_from([0, 1]))
def test_two_results_for_one_trial_are_refused(
    cases: list[Case], policy: GatePolicy, data: st.DataObject, place: int
):  # fmt: skip
    """Protects the counts: a result that stands twice makes a run incomparable, in either run, whatever it says."""
    runs = [side(cases, 0), side(cases, 1)]
    twice = data.draw(st.sampled_from(runs[place].results))
    state = data.draw(st.sampled_from(list(STATES.values())))
    double = result(twice.case_id, state, twice.category, trial=twice.trial, source_key=twice.source_key)
    runs[place] = runs[place].model_copy(update={"results": (*runs[place].results, double)})
    found = decide(runs[1], runs[0], policy, now=NOW)
    assert found.outcome is VerdictOutcome.incomparable
    assert {item.outcome for item in found.by_policy} == {VerdictOutcome.incomparable}
    assert twice.case_id in found.reasons[0]
    assert found.rerun == ()


SAMPLES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=16)


def sample(pairs: Sequence[tuple[int, int]], *, scale: int | None) -> PairedSample:
    before, after = (tuple(pair[place] / 3 for pair in pairs) for place in (0, 1))
    return PairedSample(before=before, after=after, sizes=(1,) * len(pairs), scale=scale)


@pytest.mark.parametrize("scale", [3, None], ids=["several trials", "graded"])
@settings(max_examples=40)
@given(pairs=SAMPLES, data=st.data())
def test_a_lower_score_never_makes_a_fall_less_certain(
    scale: int | None, pairs: list[tuple[int, int]], data: st.DataObject
):
    """Protects the tests themselves: the p-value of a fall only goes down when a source loses more."""
    places = [place for place, (_, after) in enumerate(pairs) if after]
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    lower = list(pairs)
    lower[place] = (pairs[place][0], data.draw(st.integers(0, pairs[place][1] - 1)))
    one, other = (worse_p(sample(item, scale=scale))[1] for item in (pairs, lower))
    assert other <= one + 1e-12


@given(pairs=SAMPLES)
def test_the_interval_of_a_rise_is_that_of_the_fall_turned_round(pairs: list[tuple[int, int]]):
    """Protects the effect that is shown: which run is called the baseline changes its sign and nothing else."""
    turned = [(after, before) for before, after in pairs]
    low, high = difference_interval(sample(pairs, scale=3))
    assert difference_interval(sample(turned, scale=3)) == pytest.approx((-high, -low))
    assert low - 1e-12 <= sum(after - before for before, after in pairs) / 3 / len(pairs) <= high + 1e-12


@given(pairs=SAMPLES, times=st.integers(2, 4))
def test_the_same_trials_again_are_no_more_evidence(pairs: list[tuple[int, int]], times: int):
    """Protects against making a fall certain by running a case more often: cases are what is counted."""
    one = worse_p(sample(pairs, scale=3))[1]
    assert worse_p(sample(pairs, scale=3 * times))[1] == pytest.approx(one)


P_VALUES = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from([0.06, 0.14, 0.8])), min_size=1, max_size=8
)  # fmt: skip


@given(tests=P_VALUES, data=st.data())
def test_a_smaller_p_value_never_makes_another_larger(tests: list[tuple[float, float]], data: st.DataObject):
    """Protects against one category's loss being paid for with another's."""
    weights = [weight for _, weight in tests]
    place = data.draw(st.integers(0, len(tests) - 1))
    smaller = data.draw(st.floats(0, tests[place][0]))
    first = holm([p for p, _ in tests], weights)
    second = holm([smaller if n == place else p for n, (p, _) in enumerate(tests)], weights)
    assert all(after <= before + 1e-12 for before, after in zip(first, second, strict=True))
    assert all(p - 1e-12 <= adjusted <= 1 for (p, _), adjusted in zip(tests, first, strict=True))
