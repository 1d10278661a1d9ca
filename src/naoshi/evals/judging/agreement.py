"""How far two graders agree, and how sure that is. Pure.

Rates have Wilson intervals (Wilson 1927) with as many observations as there are sources, if those are fewer than the
outputs. Cohen's kappa (Cohen 1960) has a percentile bootstrap over sources (Efron 1979), widened to what Wilson's
interval of the plain agreement would give, since a bootstrap of a sample without any disagreement knows no doubt.
"""

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from naoshi.records.calibration import Estimate

CONFIDENCE = 0.95
_Z = statistics.NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
_RESAMPLES = 4000
_SEED = 20_261_201

Table = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Graded:
    """One output graded by two: ``truth`` by people, ``said`` by the judge; those of one ``source`` hang together."""

    truth: bool
    said: bool
    source: str


def rate(hits: Sequence[bool], sources: Sequence[str]) -> Estimate:
    """Return the share of *hits* that are true, with Wilson's interval; nothing where there are none."""
    if not hits:
        return Estimate()
    count, share = len(hits), sum(hits) / len(hits)
    low, high = _wilson(share, len(set(sources)))
    return Estimate(value=share, low=low, high=high, count=count, method="Wilson")


def kappa(graded: Sequence[Graded]) -> Estimate:
    """Return Cohen's kappa of judge and people; nothing where it is not defined (no outputs, or one label only)."""
    if not graded:
        return Estimate()
    tables = _tables(graded)
    value = _kappa(tables.sum(axis=0))
    if value is None:
        return Estimate(count=len(graded))
    drawn = [found for found in map(_kappa, _resampled(tables)) if found is not None]
    tail = (1 - CONFIDENCE) / 2
    low, high = (float(edge) for edge in np.quantile(drawn, [tail, 1 - tail])) if drawn else (-1.0, 1.0)
    least, most = _kappa_of_agreement(tables.sum(axis=0), sources=len(tables))
    return Estimate(
        value=value,
        low=max(-1.0, min(low, value, least)),
        high=min(1.0, max(high, value, most)),
        count=len(graded),
        method="bootstrap over sources",
    )


def mean_shift(shifts: Sequence[float], sources: Sequence[str]) -> Estimate:
    """Return the mean of *shifts* with a percentile bootstrap over *sources*; nothing where there are none."""
    if not shifts:
        return Estimate()
    sums: dict[str, list[float]] = {}
    for shift, source in zip(shifts, sources, strict=True):
        entry = sums.setdefault(source, [0.0, 0.0])
        entry[0] += shift
        entry[1] += 1
    return _bootstrapped(np.array(list(sums.values())), lambda whole: float(whole[0] / whole[1]), len(shifts))


def leniency_gap(ours: Sequence[Graded], others: Sequence[Graded]) -> Estimate:
    """Return how much more *ours* are favoured than *others*; nothing where either is empty.

    An output is favoured by the judge's pass (1) less people's (0 or 1). The interval is a percentile bootstrap over
    sources, each side by itself.
    """
    if not ours or not others:
        return Estimate()
    draw = np.random.default_rng(_SEED)
    sides = [_favour_sums(ours), _favour_sums(others)]
    value = float(_mean(sides[0].sum(axis=0)) - _mean(sides[1].sum(axis=0)))
    drawn = [
        _mean(first) - _mean(second) for first, second in zip(*(_draws(side, draw) for side in sides), strict=True)
    ]
    return _estimate(value, drawn, len(ours) + len(others))


def _favour_sums(graded: Sequence[Graded]) -> Table:
    sums: dict[str, list[float]] = {}
    for item in graded:
        entry = sums.setdefault(item.source, [0.0, 0.0])
        entry[0] += float(item.said) - float(item.truth)
        entry[1] += 1
    return np.array(list(sums.values()))


def _mean(whole: Table) -> float:
    return float(whole[0] / whole[1])


def _tables(graded: Sequence[Graded]) -> Table:
    """Return for each source how many outputs are (pass, pass), (pass, fail), (fail, pass), (fail, fail)."""
    counts: dict[str, list[float]] = {}
    for item in graded:
        entry = counts.setdefault(item.source, [0.0, 0.0, 0.0, 0.0])
        entry[2 * (not item.truth) + (not item.said)] += 1
    return np.array(list(counts.values()))


def _kappa(table: Table) -> float | None:
    total = table.sum()
    agreed = (table[0] + table[3]) / total
    chance = _chance(table)
    return None if math.isclose(chance, 1.0) else float((agreed - chance) / (1 - chance))


def _chance(table: Table) -> float:
    total = table.sum()
    truth, said = (table[0] + table[1]) / total, (table[0] + table[2]) / total
    return float(truth * said + (1 - truth) * (1 - said))


def _kappa_of_agreement(table: Table, *, sources: int) -> tuple[float, float]:
    """Return kappa at the ends of Wilson's interval of the plain agreement."""
    low, high = _wilson(float((table[0] + table[3]) / table.sum()), sources)
    chance = _chance(table)
    return (low - chance) / (1 - chance), (high - chance) / (1 - chance)


def _wilson(share: float, sources: int) -> tuple[float, float]:
    """Return Wilson's interval of *share* over so many independent observations."""
    spread = _Z**2 / sources
    middle = (share + spread / 2) / (1 + spread)
    half = _Z * math.sqrt(share * (1 - share) / sources + spread / (4 * sources)) / (1 + spread)
    return min(share, max(0.0, middle - half)), max(share, min(1.0, middle + half))


def _bootstrapped(rows: Table, statistic: Callable[[Table], float], count: int) -> Estimate:
    draw = np.random.default_rng(_SEED)
    return _estimate(statistic(rows.sum(axis=0)), [statistic(whole) for whole in _draws(rows, draw)], count)


def _estimate(value: float, drawn: Sequence[float], count: int) -> Estimate:
    tail = (1 - CONFIDENCE) / 2
    low, high = (float(edge) for edge in np.quantile(drawn, [tail, 1 - tail]))
    return Estimate(
        value=value, low=min(low, value), high=max(high, value), count=count, method="bootstrap over sources"
    )


def _resampled(rows: Table) -> Table:
    return _draws(rows, np.random.default_rng(_SEED))


def _draws(rows: Table, draw: np.random.Generator) -> Table:
    """Return the sums of so many samples of *rows* with replacement."""
    weights = draw.multinomial(len(rows), [1 / len(rows)] * len(rows), size=_RESAMPLES)
    return weights @ rows
