"""Re-runs of flipped cases, on both versions, and what they say of each flip."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from naoshi.gate.measure import Measure
from naoshi.gate.trials import CaseKey, case_key
from naoshi.records.eval_run import CaseResult, EvalRun


@dataclass(frozen=True, kw_only=True)
class Rerun:
    """One more run of some cases, on the candidate and on the version that it is held against, if there is one.

    Both are run afresh at the same time: what changed in the world since, and not in the agent, shows in both.
    """

    candidate: EvalRun
    baseline: EvalRun | None = None


class RunAgain(Protocol):
    """What runs cases once more on both versions."""

    def __call__(self, case_ids: Sequence[str], /) -> Rerun:
        """Run the cases called *case_ids*, and no others, once on each version."""
        ...


class FlipState(StrEnum):
    """What the re-runs made of one flip: it shows each time, or once it did not, or too little is known."""

    confirmed = "confirmed"
    contradicted = "contradicted"
    open = "open"


class RerunResults:
    """The results of all rounds of re-runs, by case."""

    def __init__(self, *, reruns: Sequence[Rerun]) -> None:
        self.rounds = len(reruns)
        self._after = _by_key(result for rerun in reruns for result in rerun.candidate.results)
        self._before = _by_key(
            result for rerun in reruns if rerun.baseline is not None for result in rerun.baseline.results
        )

    def before(self, key: CaseKey, measure: Measure) -> list[float]:
        """Return what the older version's re-runs measured of a case; unknown results say nothing."""
        return [measure.of_baseline(result) for result in self._before.get(key, ()) if measure.known(result)]

    def after(self, key: CaseKey, measure: Measure) -> list[float]:
        """Return what the candidate's re-runs measured of a case; unknown results say nothing."""
        return [measure.of_candidate(result) for result in self._after.get(key, ()) if measure.known(result)]

    def flip_state(self, key: CaseKey, measure: Measure, *, times: int, fell: bool) -> FlipState:
        """Return what became of a flip that has to show *times* on each version; *fell* says in which direction."""
        good, bad = self.before(key, measure), self.after(key, measure)
        if not fell:
            good, bad = bad, good
        if min(good, default=1.0) < 1.0 or max(bad, default=0.0) > 0.0:
            return FlipState.contradicted
        return FlipState.confirmed if min(len(good), len(bad)) >= times else FlipState.open

    def gain(self, keys: Iterable[CaseKey], measure: Measure) -> float | None:
        """Return what the cases gained in the re-runs together, in cases; None when none was re-run on both."""
        gained = [
            sum(after) / len(after) - sum(before) / len(before)
            for key in keys
            if (before := self.before(key, measure)) and (after := self.after(key, measure))
        ]
        return sum(gained) if gained else None


def _by_key(results: Iterable[CaseResult]) -> dict[CaseKey, list[CaseResult]]:
    found: dict[CaseKey, list[CaseResult]] = {}
    for result in results:
        found.setdefault(case_key(result), []).append(result)
    return found
