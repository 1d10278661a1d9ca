"""What is measured of a case, before and after: whether it passes, whether it was answered, and its score."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from naoshi.gate.pairing import Pair
from naoshi.gate.statistics import PairedSample
from naoshi.gate.trials import gives_no_answer, is_sound, is_unknown, passes
from naoshi.records.eval_run import CaseResult, ResultState

_GRADED = frozenset({ResultState.pass_, ResultState.fail})
_LARGEST_SCALE = 1000


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A number from 0 (bad) to 1 (good) for each result.

    An unknown result of the candidate counts as good and one of the baseline as bad, so that what is worse is worse
    for certain. ``known`` says whether a result says anything.
    """

    name: str
    of_baseline: Callable[[CaseResult], float]
    of_candidate: Callable[[CaseResult], float]
    known: Callable[[CaseResult], bool]

    def before(self, pair: Pair) -> float:
        """Return the baseline's mean of one case, 0–1."""
        return pair.before.mean(self.of_baseline)

    def after(self, pair: Pair) -> float:
        """Return the candidate's mean of one case, 0–1."""
        return pair.after.mean(self.of_candidate)

    def fell(self, pair: Pair) -> bool:
        """Return whether the case is wholly good in the baseline and wholly bad in the candidate."""
        return self.before(pair) >= 1 and self.after(pair) <= 0

    def rose(self, pair: Pair) -> bool:
        """Return whether the case is wholly bad in the baseline and wholly good in the candidate."""
        return self.before(pair) <= 0 and self.after(pair) >= 1

    def drop(self, pairs: Iterable[Pair]) -> float:
        """Return how much the cases lost together, in cases; below 0 when they gained."""
        return math.fsum(self.before(pair) - self.after(pair) for pair in pairs)

    def sample(self, pairs: Sequence[Pair]) -> PairedSample:
        """Return the cases summed by source trace; there must be at least one."""
        sums: dict[tuple[str, str], list[float]] = {}
        trials = {len(side.results) for pair in pairs for side in (pair.before, pair.after)}
        for pair in pairs:
            summed = sums.setdefault(pair.after.source, [0.0, 0.0, 0.0])
            for place, value in enumerate((self.before(pair), self.after(pair), 1.0)):
                summed[place] += value
        scale = math.lcm(*trials)
        return PairedSample(
            before=tuple(summed[0] for summed in sums.values()),
            after=tuple(summed[1] for summed in sums.values()),
            sizes=tuple(round(summed[2]) for summed in sums.values()),
            scale=None if self is SCORES or scale > _LARGEST_SCALE else scale,
        )


def has_graded_scores(pairs: Iterable[Pair]) -> bool:
    """Return whether any score of *pairs* lies between 0 and 1, so that scores say more than passing does."""
    return any(
        result.score is not None and 0 < result.score < 1 and is_sound(result)
        for pair in pairs
        for side in (pair.before, pair.after)
        for result in side.results
    )


def _score(result: CaseResult) -> float:
    if result.score is not None and result.state in _GRADED:
        return result.score
    return float(passes(result))


PASSES = Measure(
    name="passes",
    of_baseline=lambda result: float(passes(result)),
    of_candidate=lambda result: float(passes(result) or is_unknown(result)),
    known=lambda result: not is_unknown(result),
)
"""Whether a case passes."""

ANSWERS = Measure(
    name="answers",
    of_baseline=lambda result: float(not gives_no_answer(result) and result.state is not ResultState.not_run),
    of_candidate=lambda result: float(not gives_no_answer(result)),
    known=lambda result: result.state is not ResultState.not_run,
)
"""Whether the agent gave an answer."""

SCORES = Measure(
    name="scores",
    of_baseline=lambda result: 0.0 if is_unknown(result) else _score(result),
    of_candidate=lambda result: 1.0 if is_unknown(result) else _score(result),
    known=lambda result: not is_unknown(result),
)
"""The score of a case; one without an answer has 0."""
