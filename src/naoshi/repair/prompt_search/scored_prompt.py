"""Wordings and what they scored, case by case, and which of them is the best. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from pydantic import JsonValue

from naoshi.records import CaseResult, EvalRun, ResultState

_UNKNOWN = (ResultState.judge_error, ResultState.not_run)
_JUST_BELOW = 0.999


@dataclass(frozen=True, kw_only=True)
class ScoredPrompt:
    """One wording. ``scores`` (0 to 1) are of the cases of the validate split that it answered and that were graded."""

    text: str
    scores: Mapping[str, float]


def case_scores(run: EvalRun) -> dict[str, float | None]:
    """Return the score of each case of *run*: 1 where it passed, else less; the mean of its trials.

    An empty output scores 0 whatever its checks say, and so does an error of the agent. None where nobody knows: it
    was not run, or the judge failed.
    """
    trials: dict[str, list[float | None]] = {}
    for result in run.results:
        trials.setdefault(result.case_id, []).append(_score(result))
    means: dict[str, float | None] = {}
    for case_id, scores in trials.items():
        known = [score for score in scores if score is not None]
        means[case_id] = fmean(known) if known else None
    return means


def gain(candidate: ScoredPrompt, base: ScoredPrompt) -> float:
    """Return how much more *candidate* scored than *base*, summed over the cases that both answered (spec L22)."""
    common = candidate.scores.keys() & base.scores.keys()
    return sum(candidate.scores[name] - base.scores[name] for name in sorted(common))


def best_prompt(base: ScoredPrompt, candidates: Sequence[ScoredPrompt]) -> ScoredPrompt | None:
    """Return the candidate that gains most on *base*, the newer one where two gain the same; None if none gains."""
    gaining = [(round(gain(item, base), 9), place) for place, item in enumerate(candidates)]
    most, place = max(gaining, default=(0.0, -1))
    return candidates[place] if most > 0 else None


def _score(result: CaseResult) -> float | None:
    if result.state in _UNKNOWN:
        return None
    if result.state is ResultState.agent_error or is_empty(result.output):
        return 0.0
    if result.state is ResultState.pass_:
        return 1.0
    return min(_JUST_BELOW, max(0.0, result.score or 0.0))


def is_empty(output: JsonValue) -> bool:
    """Return whether *output* holds nothing: no value, blank text, or only such inside."""
    if isinstance(output, str):
        return not output.strip()
    if isinstance(output, list):
        return all(is_empty(item) for item in output)
    if isinstance(output, dict):
        return all(is_empty(item) for item in output.values())
    return output is None
