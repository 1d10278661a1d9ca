"""The statistics of the gate: tests and intervals on paired results, all pure and without chance.

SciPy is loaded by the functions that need it, at their first use, as commands that judge nothing must not wait for it.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from statistics import NormalDist
from typing import Any

CONFIDENCE = 0.95
"""The confidence of every interval, two-sided."""
_SEED = 20260308
_RESAMPLES = 4999
_MOST_DRAWS = 20_000_000
_MOST_EXACT = 20_000
# Scores are counted in millionths: sums of whole numbers tie where they must, which sums of fractions do not.
_MILLION = 1_000_000


@dataclass(frozen=True, kw_only=True)
class PairedSample:
    """One measure of the same cases before and after, summed by source trace, as cases of one source move together.

    ``before`` and ``after`` are the sums of the cases' means (0 to ``sizes``, the numbers of cases). ``scale`` makes
    whole numbers of those sums (the number of trials), None where values are graded.
    """

    before: tuple[float, ...]
    after: tuple[float, ...]
    sizes: tuple[int, ...]
    scale: int | None

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return sum(self.sizes)

    @property
    def differences(self) -> list[float]:
        """What each source gained, in cases, zeros included."""
        gained = (after - before for before, after in zip(self.before, self.after, strict=True))
        return [0.0 if abs(gain) < 1e-9 else gain for gain in gained]

    @property
    def before_rate(self) -> float:
        """The mean before, 0–1."""
        return math.fsum(self.before) / self.cases

    @property
    def after_rate(self) -> float:
        """The mean after, 0–1."""
        return math.fsum(self.after) / self.cases


def can_show(sample: PairedSample, alpha: float) -> bool:
    """Return whether any differences of so many sources could show a fall at *alpha*.

    A test that never can is no part of the family that Holm's correction is over (Tarone, 1990). Only the number of
    sources decides, never what was found: otherwise a loss in one category could bring its test into the family, and
    so hide the loss of another.
    """
    return bool(0.5 ** len(sample.sizes) <= alpha)


def worse_p(sample: PairedSample) -> tuple[str, float]:
    """Return the name of the test and the one-sided p-value of "the mean fell", by source trace.

    With one trial for each case and one case for each source it is McNemar's exact test; with several it is the exact
    distribution of the same sum under every change of sign, of which McNemar's test is the simplest case. For graded
    values the sum's distribution under changes of sign and the bootstrap of the mean must both say so: the larger
    p-value is given.
    """
    differences = [difference for difference in sample.differences if difference]
    if not differences:
        return "none", 1.0
    if sample.scale is None:
        if len(sample.differences) == 1:
            return "exact sign flips", 0.5 if differences[0] < 0 else 1.0
        return "paired cluster bootstrap", max(_sign_flips(sample.differences), _bootstrap(sample)[2])
    whole = [round(difference * sample.scale) for difference in differences]
    unit = math.gcd(*whole)
    whole = [difference // unit for difference in whole]
    if all(abs(difference) == 1 for difference in whole):
        return "exact McNemar", mcnemar_p(worse=whole.count(-1), better=whole.count(1))
    return "exact sign flips", _exact_p(whole)


def mcnemar_p(*, worse: int, better: int) -> float:
    """Return McNemar's exact one-sided p-value of *worse* against *better* discordant pairs (McNemar, 1947)."""
    if not worse + better:
        return 1.0
    made: Any = _scipy_stats().binomtest(worse, worse + better, 0.5, alternative="greater")
    return float(made.pvalue)


def difference_interval(sample: PairedSample) -> tuple[float, float]:
    """Return the interval of the difference of means (after less before), as rates.

    Graded values: a bootstrap over sources. Yes or no: Agresti's and Min's interval for paired rates (2005), which
    adds half a pair to each of the four cells, by source, with Student's t where sources hold several cases; never
    narrower than Wilson's bound for as many sources none of which changed. One source says nothing of others.
    """
    sources = len(sample.sizes)
    if sample.scale is None and len({round(value, 9) for value in _mean_differences(sample)}) > 1:
        low, high, _ = _bootstrap(sample)
        return low, high
    if sources == 1 and sample.cases > 1:
        return -1.0, 1.0
    size = sample.cases / sources
    gained = math.fsum(sample.differences)
    squares = math.fsum(difference * difference for difference in sample.differences) + size * size
    spread = math.sqrt(max(0.0, squares - gained * gained / (sources + 2)))
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    middle = gained / (sample.cases + 2 * size)
    half = max(_quantile(sample, z) * spread / (sample.cases + 2 * size), z * z / (_effective(sample) + z * z))
    return max(-1.0, middle - half), min(1.0, middle + half)


def wilson(rate: float, count: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return Wilson's score interval (1927) of *rate* (0–1) among *count* observations; (0, 1) without any."""
    if count <= 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    shrunk = 1 + z * z / count
    middle = (rate + z * z / (2 * count)) / shrunk
    half = z * math.sqrt(max(0.0, rate * (1 - rate) / count + z * z / (4 * count * count))) / shrunk
    return (0.0 if rate <= 0 else max(0.0, middle - half)), (1.0 if rate >= 1 else min(1.0, middle + half))


def holm(p_values: Sequence[float], weights: Sequence[float] = ()) -> list[float]:
    """Return *p_values* adjusted for being several, by Holm's step-down method (1979), in their order.

    With *weights* (above 0, one for each; alike without) a test gets its share of the error that is allowed. A smaller
    p-value never makes another adjusted one larger.
    """
    shares = list(weights) or [1.0] * len(p_values)
    adjusted, highest, left = [0.0] * len(p_values), 0.0, math.fsum(shares)
    for place in sorted(range(len(p_values)), key=lambda place: p_values[place] / shares[place]):
        highest = max(highest, min(1.0, max(left, shares[place]) / shares[place] * p_values[place]))
        adjusted[place] = highest
        left -= shares[place]
    return adjusted


def repeats_needed(suspects: int, alpha: float) -> int:
    """Return how often *suspects* flipped cases are re-run, so that none of them is taken for worse by mere chance.

    A case that passes with probability p, before and after alike, passes r times on the old version and fails r times
    on the new one with probability p^r (1 − p)^r, at most 4^−r. With r from ``suspects · 4^−r ≤ alpha``, the chance of
    even one false confirmation is at most *alpha*, whatever the p of each case are. An agent without chance confirms
    each true flip.
    """
    return max(1, math.ceil(math.log(max(1, suspects) / alpha, 4) - 1e-9))


def smallest_effect(*, noise: float, cases: int, alpha: float, power: float = 0.8) -> int | None:
    """Return how many of *cases* must break, from always passing to never, for averages to show it with *power*.

    *noise* is the sum of the squared differences by source, in cases²: as many cases are taken to fall or rise by
    chance, beside those that break, and McNemar's exact test to judge them all. None: not even all of them.
    """
    flickering = math.ceil(noise - 1e-9)
    least = math.ceil(math.log2(1 / alpha) - 1e-9)
    # What the normal approximation asks for, less a little: the search begins there and not at nothing.
    z = NormalDist().inv_cdf(1 - alpha)
    start = max(least, int(z * math.sqrt(flickering)) - 3)
    return next(
        (broken for broken in range(start, cases + 1) if _power(broken, flickering, alpha=alpha) >= power), None
    )


def _power(broken: int, flickering: int, *, alpha: float) -> float:
    """Return how likely McNemar's test is to show *broken* cases among *flickering* ones that go either way."""
    if not flickering:
        return float(0.5**broken <= alpha)
    binom: Any = _scipy_stats().binom
    needed = int(binom.isf(alpha, broken + flickering, 0.5)) + 1
    return float(binom.sf(needed - broken - 1, flickering, 0.5))


def _exact_p(differences: Sequence[int]) -> float:
    """Return P(sum ≤ the one found) when each difference has either sign with probability one half."""
    import numpy as np  # late: see the module's docstring

    lost = -sum(difference for difference in differences if difference < 0)
    total = sum(map(abs, differences))
    if total > _MOST_EXACT:
        spread = math.sqrt(sum(difference * difference for difference in differences))
        return NormalDist().cdf((sum(differences) + 1) / spread)
    ways = np.ones(1)
    for size, times in sorted(Counter(map(abs, differences)).items()):
        one = np.zeros(size * times + 1)
        one[::size] = _scipy_stats().binom.pmf(np.arange(times + 1), times, 0.5)
        ways = np.convolve(ways, one)
    return min(1.0, float(ways[lost:].sum()))


def _sign_flips(differences: Sequence[float]) -> float:
    import numpy as np  # late: see the module's docstring

    found: Any = _scipy_stats().permutation_test(
        (_in_millionths(differences),),
        np.sum,
        permutation_type="samples",
        alternative="less",
        vectorized=True,
        n_resamples=_resamples(differences),
        batch=max(1, _MOST_DRAWS // (len(differences) * 10)),
        rng=np.random.default_rng(_SEED),
    )
    return float(found.pvalue)


def _bootstrap(sample: PairedSample) -> tuple[float, float, float]:
    """Return the percentile interval of the mean difference, and the share of resamples in which it did not fall."""
    import numpy as np  # late: see the module's docstring

    gained, sizes = _in_millionths(sample.differences), np.asarray(sample.sizes, dtype=float)
    made: Any = _scipy_stats().bootstrap(
        (gained, sizes),
        _mean_gain,
        paired=True,
        vectorized=True,
        method="percentile",
        confidence_level=CONFIDENCE,
        n_resamples=_resamples(sample.sizes),
        batch=max(1, _MOST_DRAWS // (len(gained) * 10)),
        rng=np.random.default_rng(_SEED),
    )
    interval, means = made.confidence_interval, made.bootstrap_distribution
    not_fallen = float(((means >= 0).sum() + 1) / (len(means) + 1))
    return float(interval.low) / _MILLION, float(interval.high) / _MILLION, not_fallen


def _resamples(sources: Sequence[float]) -> int:
    return max(999, min(_RESAMPLES, _MOST_DRAWS // len(sources)))


def _in_millionths(values: Sequence[float]) -> Any:
    import numpy as np  # late: see the module's docstring

    return np.rint(np.asarray(values) * _MILLION)


def _scipy_stats() -> Any:
    return import_module("scipy.stats")


def _mean_gain(gained: Any, sizes: Any, axis: int) -> Any:
    return gained.sum(axis) / sizes.sum(axis)


def _mean_differences(sample: PairedSample) -> list[float]:
    return [gain / size for gain, size in zip(sample.differences, sample.sizes, strict=True)]


def _quantile(sample: PairedSample, z: float) -> float:
    if sample.cases == len(sample.sizes):
        return z
    special: Any = import_module("scipy.special")  # late: see the module's docstring
    return float(special.stdtrit(len(sample.sizes) - 1, (1 + CONFIDENCE) / 2))


def _effective(sample: PairedSample) -> float:
    """Return Kish's effective number of sources: that of the sources, where each has as many cases as another."""
    return sample.cases**2 / sum(size**2 for size in sample.sizes)
