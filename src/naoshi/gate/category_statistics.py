"""The statistics of every category in a comparison: tests, intervals, and what the suite can vouch for."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from naoshi.gate.finding import CategoryCases
from naoshi.gate.measure import ANSWERS, PASSES, SCORES, Measure, has_graded_scores
from naoshi.gate.pairing import Pair
from naoshi.gate.policy import GatePolicy
from naoshi.gate.statistics import PairedSample, can_show, difference_interval, holm, smallest_effect, wilson, worse_p
from naoshi.gate.trials import CaseTrials, gives_no_answer, passing, unknown
from naoshi.records.verdict import CategoryStatistics, Certainty, MeasureStatistics

# Of the error that averages may make: nearly all of it goes to whether cases pass, the rest to what that does not see.
_SHARES = {PASSES.name: 0.94, SCORES.name: 0.045, ANSWERS.name: 0.015}


@dataclass(frozen=True, kw_only=True)
class _Test:
    category: str
    measure: Measure
    sample: PairedSample
    name: str
    p_value: float
    asked: bool


def statistics_of(categories: Sequence[CategoryCases], policy: GatePolicy) -> Mapping[str, CategoryStatistics]:
    """Return the statistics of each category that has cases.

    The p-values of all categories and measures together are adjusted by Holm's method, so that many categories do not
    make a false alarm more likely. Which tests there are, and what share each has, depends on the suite alone: a test
    of answers or scores that nothing calls for keeps its place, so that a candidate that got worse never leaves less of
    the error for what got worse before.
    """
    tests = [test for cases in categories for test in _tests(cases)]
    family = [test for test in tests if can_show(test.sample, policy.alpha_of_averages)]
    weights = [_SHARES[test.measure.name] for test in family]
    adjusted = dict(zip(map(id, family), holm([test.p_value for test in family], weights), strict=True))
    alpha = policy.alpha_of_averages * _SHARES[PASSES.name] / max(1.0, math.fsum(weights))
    return {
        cases.category: _of_category(
            cases,
            [
                _measured(test, adjusted.get(id(test), 1.0))
                for test in tests
                if test.category == cases.category and test.asked
            ],
            policy=policy,
            smallest=_smallest_effect([test for test in tests if test.category == cases.category], alpha),
        )
        for cases in categories
        if cases.tried or cases.pairs
    }


def _tests(cases: CategoryCases) -> list[_Test]:
    if not cases.pairs:
        return []
    silent = any(side.mean(gives_no_answer) for pair in cases.pairs for side in (pair.before, pair.after))
    made: list[_Test] = []
    for measure, asked in ((PASSES, True), (ANSWERS, silent), (SCORES, has_graded_scores(cases.pairs))):
        sample = measure.sample(cases.pairs)
        name, p_value = worse_p(sample) if asked else ("none", 1.0)
        made.append(
            _Test(category=cases.category, measure=measure, sample=sample, name=name, p_value=p_value, asked=asked)
        )
    return made


def _measured(test: _Test, adjusted_p: float) -> MeasureStatistics:
    low, high = difference_interval(test.sample)
    before, after = test.sample.before_rate, test.sample.after_rate
    return MeasureStatistics(
        measure=test.measure.name,
        test=test.name,
        before=before,
        after=after,
        difference=after - before,
        low=low,
        high=high,
        p_value=test.p_value,
        adjusted_p=adjusted_p,
    )


def _of_category(
    cases: CategoryCases, measures: Sequence[MeasureStatistics], *, policy: GatePolicy, smallest: int | None
) -> CategoryStatistics:
    now = cases.tried or tuple(pair.after for pair in cases.pairs)
    pass_low, pass_high = wilson(passing(now) / len(now), _effective_sources(now))
    return CategoryStatistics(
        sources=len({trials.source for trials in now}),
        trials=min(len(side.results) for side in (*now, *(pair.before for pair in cases.pairs))),
        worse=sum(PASSES.after(pair) < PASSES.before(pair) for pair in cases.pairs),
        better=sum(PASSES.after(pair) > PASSES.before(pair) and not _is_open(pair) for pair in cases.pairs),
        pass_low=pass_low,
        pass_high=pass_high,
        measures=tuple(measures),
        certainty=_certainty(cases, measures, fail_high=1 - pass_low, margin=policy.margin),
        smallest_effect=smallest,
    )


def _certainty(
    cases: CategoryCases, measures: Sequence[MeasureStatistics], *, fail_high: float, margin: float
) -> Certainty | None:
    """Say whether the bounds rule out what must be ruled out.

    That is a loss of more than *margin* against the baseline, and more failures than the category's ``block``. No
    number of cases can rule out every failure, so *margin* stands for a smaller ``block``.
    """
    asked: list[bool] = []
    if measures:
        asked.append(measures[0].low >= -margin)
    if cases.tolerance.block < 1 and cases.tried:
        asked.append(fail_high <= max(cases.tolerance.block, margin))
    if not asked:
        return None
    return Certainty.certified if all(asked) else Certainty.too_few


def _is_open(pair: Pair) -> bool:
    """Return whether a result of the case is unknown, so that it counts as better without being so."""
    return unknown((pair.before, pair.after)) > 0


def _smallest_effect(tests: Sequence[_Test], alpha: float) -> int | None:
    for test in tests:
        if test.measure is PASSES:
            noise = math.fsum(difference**2 for difference in test.sample.differences)
            return smallest_effect(noise=noise, cases=test.sample.cases, alpha=alpha)
    return None


def _effective_sources(cases: Sequence[CaseTrials]) -> float:
    """Return Kish's effective number of sources: that of the sources, where each has as many cases as another."""
    sizes = Counter(trials.source for trials in cases).values()
    return sum(sizes) ** 2 / sum(size * size for size in sizes)
