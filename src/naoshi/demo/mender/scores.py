"""Learning the scores of cues: a sparse conditional logit over each document's candidates.

The chance of a candidate is proportional to exp(sum of the scores of its features). Scores maximise the
chance of the candidates with the right value, less a price on the sum of their distances from what was given
(L1, Tibshirani 1996), so that a cue without enough support gets no score at all. The steps are AdaGrad's with
the proximal operator of that price (Duchi, Hazan and Singer 2011, section 5.1).
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

_RATE: Final = 0.5
_STEPS: Final = 80
_SMALLEST: Final = 0.05
_FLOOR: Final = 1e-12


@dataclass(frozen=True, kw_only=True)
class ScoringExample:
    """A document as one choice: the features of each candidate, which candidates are right, its weight."""

    document: str
    features: tuple[tuple[str, ...], ...]
    right: tuple[bool, ...]
    weight: float = 1.0


@dataclass(frozen=True, kw_only=True)
class LearnedScore:
    """The score of a feature, and in how many documents it told right from wrong candidates."""

    score: float
    support: int


def learn_scores(
    examples: Sequence[ScoringExample],
    *,
    price: float,
    least_support: int = 2,
    prior: Mapping[str, float] | None = None,
) -> dict[str, LearnedScore]:
    """Return scores for the features that tell right candidates from wrong ones, sorted by feature.

    Only features that do so in at least *least_support* documents are considered. *prior* holds scores that
    are taken as given unless the examples say otherwise. Scores are rounded to two decimals; those smaller
    than 0.05 are left out.
    """
    examples = [example for example in examples if any(example.right) and not all(example.right)]
    support = _support(examples)
    names = sorted(name for name, count in support.items() if count >= least_support)
    if not names:
        return {}
    problem = _Problem(examples, names)
    given = np.array([(prior or {}).get(name, 0.0) for name in names])
    scores = problem.solve(given, price)
    return {
        name: LearnedScore(score=round(float(score), 2), support=support[name])
        for name, score in zip(names, scores, strict=True)
        if abs(score) >= _SMALLEST
    }


def _support(examples: Iterable[ScoringExample]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for example in examples:
        everywhere = set(example.features[0]).intersection(*example.features[1:])
        counts.update({name for features in example.features for name in features} - everywhere)
    return counts


class _Problem:
    """The examples as flat arrays: one entry for each feature of each candidate, in order."""

    def __init__(self, examples: Sequence[ScoringExample], names: Sequence[str]) -> None:
        place = {name: number for number, name in enumerate(names)}
        entries: list[int] = []
        owners: list[int] = []
        groups: list[int] = []
        right: list[bool] = []
        for group, example in enumerate(examples):
            for features, is_right in zip(example.features, example.right, strict=True):
                known = [place[name] for name in features if name in place]
                entries += known
                owners += [len(groups)] * len(known)
                groups.append(group)
                right.append(is_right)
        self._entries = np.array(entries, dtype=np.intp)
        self._owners = np.array(owners, dtype=np.intp)
        self._groups = np.array(groups, dtype=np.intp)
        self._right = np.array(right, dtype=bool)
        self._weights = np.array([example.weight for example in examples])[self._groups]
        self._size = len(names)
        self._firsts = np.flatnonzero(np.diff(self._groups, prepend=-1))

    def solve(self, prior: NDArray[np.float64], price: float) -> NDArray[np.float64]:
        squares = np.full(self._size, 1e-6)
        scores = prior
        for _ in range(_STEPS):
            slope = self._slope(scores)
            squares += slope * slope
            step = _RATE / np.sqrt(squares)
            change = scores - step * slope - prior
            scores = prior + np.sign(change) * np.maximum(0.0, np.abs(change) - step * price)
        return scores

    def _slope(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        sums = np.bincount(self._owners, weights=scores[self._entries], minlength=len(self._groups))
        heights = np.exp(sums - np.maximum.reduceat(sums, self._firsts)[self._groups])
        among_all = heights / np.add.reduceat(heights, self._firsts)[self._groups]
        kept = np.where(self._right, heights, 0.0)
        among_right = kept / np.maximum(_FLOOR, np.add.reduceat(kept, self._firsts)[self._groups])
        pull = (among_all - among_right) * self._weights
        slope = np.bincount(self._entries, weights=pull[self._owners], minlength=self._size)
        return slope.astype(np.float64)
