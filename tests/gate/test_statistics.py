"""The statistics, against SciPy, against counting every way, and against chance itself."""

import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, permutation_test

from naoshi.gate.statistics import (
    PairedSample,
    can_show,
    difference_interval,
    holm,
    mcnemar_p,
    repeats_needed,
    smallest_effect,
    wilson,
    worse_p,
)

DIFFERENCES = st.lists(st.integers(-3, 3), min_size=1, max_size=9)


def sample(*gained: float, size: int = 1, scale: int | None = 1) -> PairedSample:
    """Sources that gained so much, each with *size* cases; what lost had all of it before."""
    before = tuple(size * (1.0 if gain < 0 else 0.0) for gain in gained)
    after = tuple(start + gain for start, gain in zip(before, gained, strict=True))
    return PairedSample(before=before, after=after, sizes=(size,) * len(gained), scale=scale)


@given(worse=st.integers(0, 200), better=st.integers(0, 200))
def test_mcnemar_is_the_exact_binomial_test(worse: int, better: int):
    """Protects the textbook: one-sided, only cases that differ count."""
    gained = [-1] * worse + [1] * better + [0] * 7
    name, p_value = worse_p(sample(*gained))
    expected = binomtest(worse, worse + better, 0.5, alternative="greater").pvalue if worse + better else 1.0
    assert mcnemar_p(worse=worse, better=better) == pytest.approx(expected)
    assert p_value == pytest.approx(expected)
    assert name == ("exact McNemar" if worse + better else "none")


@given(DIFFERENCES)
def test_several_trials_are_tested_by_every_change_of_sign(thirds: list[int]):
    """Protects k trials and sources of several cases: the p-value is what counting every way gives."""
    signs = itertools.product((-1, 1), repeat=len(thirds))
    ways = [sum(sign * abs(third) for sign, third in zip(chosen, thirds, strict=True)) for chosen in signs]
    expected = sum(way <= sum(thirds) for way in ways) / len(ways) if any(thirds) else 1.0
    _, p_value = worse_p(sample(*(third / 3 for third in thirds), scale=3))
    assert p_value == pytest.approx(expected)


@pytest.mark.parametrize("lost", [0.5, 0.51, 0.52])
def test_a_very_large_sum_is_as_good_as_exact(lost: float):
    """Protects suites of a hundred thousand cases: beyond the exact distribution's reach the approximation agrees."""
    cases = 20_100
    worse = round(cases * lost)
    # One case in thirds makes the units unequal, so that the test is no plain McNemar's.
    gained = [-1.0] * worse + [1.0] * (cases - worse) + [1 / 3]
    expected = mcnemar_p(worse=worse, better=cases - worse)
    assert worse_p(sample(*gained, scale=3))[1] == pytest.approx(expected, rel=0.02)


def test_graded_scores_are_tested_by_changes_of_sign_and_by_the_bootstrap():
    """Protects graded scores: never a smaller p-value than SciPy's permutation test, and no chance in it."""
    gained = (-0.2, -0.1, -0.31, 0.05, -0.12, -0.07, -0.4, 0.01)
    name, p_value = worse_p(sample(*gained, scale=None))
    peer = permutation_test((gained,), sum_of, permutation_type="samples", alternative="less", n_resamples=10_000)
    assert name == "paired cluster bootstrap"
    assert p_value >= peer.pvalue - 1e-12
    assert p_value < 0.05
    assert worse_p(sample(*gained, scale=None)) == (name, p_value)
    low, high = difference_interval(sample(*gained, scale=None))
    assert low < sum(gained) / len(gained) < high < 0


def sum_of(values: object, axis: int = -1) -> object:
    return values.sum(axis)  # type: ignore[attr-defined]


@given(passing=st.integers(0, 60), more=st.integers(1, 60))
def test_wilson_is_scipy_s(passing: int, more: int):
    """Protects the bounds of pass rates."""
    low, high = wilson(passing / (passing + more), passing + more)
    peer = binomtest(passing, passing + more).proportion_ci(0.95, method="wilson")
    assert (low, high) == pytest.approx((peer.low, peer.high), abs=1e-9)


def test_wilson_says_nothing_without_observations():
    """Protects empty categories."""
    assert wilson(0.0, 0) == (0.0, 1.0)


def test_holm_on_a_known_example():
    """Protects the correction for several tests."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_lies_between_no_correction_and_bonferroni(p_values: list[float]):
    """Protects the order and the bounds of adjusted p-values."""
    adjusted = holm(p_values)
    bound = [min(1.0, value * len(p_values)) for value in p_values]
    assert all(made >= raw for raw, made in zip(p_values, adjusted, strict=True))
    assert min(adjusted) == pytest.approx(min(bound))
    assert max(adjusted) <= 1
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    assert [adjusted[place] for place in order] == sorted(adjusted)


@given(suspects=st.integers(1, 2000), alpha=st.floats(0.001, 0.2), rate=st.floats(0, 1))
def test_re_runs_are_enough_whatever_the_agent_s_chance_is(suspects: int, alpha: float, rate: float):
    """Protects against taking a flaky case for a broken one: the chance over all suspects is at most alpha."""
    times = repeats_needed(suspects, alpha)
    assert suspects * (rate * (1 - rate)) ** times <= alpha * (1 + 1e-6)
    assert times == 1 or suspects * 0.25 ** (times - 1) > alpha * (1 - 1e-6)


@pytest.mark.parametrize(("cases", "noisy"), [(50, 0), (50, 22), (200, 60), (20, 4)])
def test_the_smallest_effect_is_what_simulation_finds(cases: int, noisy: int):
    """Protects the printed figure: with so many broken cases the test sees it four times in five, give or take."""
    least = smallest_effect(noise=noisy / 2, cases=cases, alpha=0.05)
    assert least is not None
    chance = random.Random(2)
    seen = 0
    for _ in range(200):
        noise = [chance.choice([-1, 0, 0, 1]) for _ in range(noisy)]
        worse, better = noise.count(-1) + least, noise.count(1)
        seen += mcnemar_p(worse=worse, better=better) <= 0.05
    assert 0.7 <= seen / 200
    assert noisy == 0 or seen / 200 <= 0.97


def test_a_suite_that_is_too_small_says_so():
    """Protects against a figure that promises what no test could give."""
    assert smallest_effect(noise=0, cases=4, alpha=0.05) is None
    assert smallest_effect(noise=0, cases=5, alpha=0.05) == 5
    assert smallest_effect(noise=5, cases=10, alpha=0.05) is None or smallest_effect(noise=5, cases=10, alpha=0.05) > 5


def test_no_difference_is_no_certainty():
    """Protects small suites: where nothing changed, the interval still has a width that shrinks with the cases."""
    widths = [difference_interval(sample(*[0.0] * cases)) for cases in (5, 20, 100)]
    assert all(low < 0 < high for low, high in widths)
    assert widths[0][0] < widths[1][0] < widths[2][0] > -0.05
    assert difference_interval(sample(0.0, size=30)) == (-1.0, 1.0)
    few_sources = difference_interval(sample(*[0.0] * 5, size=20))
    assert few_sources[0] < difference_interval(sample(*[0.0] * 100))[0]


@settings(max_examples=20)
@given(rate=st.floats(0.05, 0.95), fall=st.floats(0, 0.5), cases=st.sampled_from([10, 30]), seed=st.integers(0, 99))
def test_the_interval_holds_the_truth(rate: float, fall: float, cases: int, seed: int):
    """Protects "95 %": over agents with chance it is right at least about so often."""
    chance, held = random.Random(seed), 0
    for _ in range(100):
        before = [chance.random() < rate for _ in range(cases)]
        after = [chance.random() < rate * (1 - fall) for _ in range(cases)]
        made = PairedSample(
            before=tuple(map(float, before)), after=tuple(map(float, after)), sizes=(1,) * cases, scale=1
        )
        low, high = difference_interval(made)
        held += low <= -rate * fall <= high
    assert held >= 87


def test_what_can_never_show_is_no_test():
    """Protects the power of the others: Holm counts only tests that could come out."""
    assert not can_show(sample(-1, -1, -1, -1), 0.05)
    assert can_show(sample(1, 1, 1, 1, 1), 0.05)
    assert math.isclose(worse_p(sample(-1, -1, -1, -1))[1], 1 / 16)


@pytest.mark.parametrize(("before", "after", "p_value"), [(0.9, 0.4, 0.5), (0.4, 0.9, 1.0), (0.4, 0.4, 1.0)])
def test_one_graded_case_is_judged_and_shows_nothing(before: float, after: float, p_value: float):
    """Protects small categories: a single score that moved is no certainty, and no crash."""
    one = PairedSample(before=(before,), after=(after,), sizes=(1,), scale=None)
    assert worse_p(one)[1] == p_value
    low, high = difference_interval(one)
    assert -1 <= low <= after - before <= high <= 1


def test_scores_that_tie_are_counted_as_ties():
    """Protects against a p-value that is too small: thirds add up to nothing, whatever a computer makes of them."""
    assert worse_p(sample(1 / 3, 1 / 3, -1 / 3, -1 / 3, scale=None))[1] >= 11 / 16
