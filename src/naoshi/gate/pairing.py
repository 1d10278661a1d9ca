"""Puts the results of two runs side by side: the same case, asking the same, in both."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from naoshi.records.eval_run import CaseResult, EvalRun, ResultState

_UNKNOWN = frozenset({ResultState.judge_error, ResultState.not_run})


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One case in both runs."""

    before: CaseResult
    after: CaseResult

    @property
    def categories(self) -> frozenset[str]:
        """The categories that it counts in: moving a case to another one hides nothing."""
        return frozenset({self.before.category, self.after.category})


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """Two runs side by side.

    ``missing`` are the baseline's results without a partner, ``fresh`` the candidate's; a case that was edited since
    is in both, as its two versions do not compare.
    """

    pairs: tuple[Pair, ...]
    missing: tuple[CaseResult, ...]
    fresh: tuple[CaseResult, ...]


def pair_runs(candidate: EvalRun, baseline: EvalRun) -> Pairing:
    """Return the results of both runs, paired by case id and content hash."""
    before = {_key(result): result for result in baseline.results if result.content_hash}
    after = {_key(result): result for result in candidate.results if result.content_hash}
    return Pairing(
        pairs=tuple(Pair(before=before[key], after=result) for key, result in after.items() if key in before),
        missing=tuple(result for result in baseline.results if _key(result) not in after),
        fresh=tuple(result for result in candidate.results if _key(result) not in before),
    )


def passes(result: CaseResult) -> bool:
    """Return whether *result* passes beyond doubt: its state says so and its scores are scores."""
    return result.state is ResultState.pass_ and is_sound(result)


def is_unknown(result: CaseResult) -> bool:
    """Return whether *result* says nothing of the agent: not run, not judged, or with a score that is none."""
    return result.state in _UNKNOWN or not is_sound(result)


def is_sound(result: CaseResult) -> bool:
    """Return whether every score of *result* is a number from 0 to 1."""
    scores = [result.score, *(item.score for item in result.assertions)]
    return all(score is None or (math.isfinite(score) and 0 <= score <= 1) for score in scores)


def count(results: Iterable[CaseResult], state: ResultState) -> int:
    """Return how many of *results* are in *state*."""
    return sum(result.state is state for result in results)


def repeated(run: EvalRun) -> Sequence[str]:
    """Return the identifiers that stand more than once in *run*."""
    seen: set[str] = set()
    twice: dict[str, None] = {}
    for result in run.results:
        if result.case_id in seen:
            twice[result.case_id] = None
        seen.add(result.case_id)
    return list(twice)


def _key(result: CaseResult) -> tuple[str, str]:
    return result.case_id, result.content_hash
