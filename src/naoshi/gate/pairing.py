"""Puts the results of two runs side by side: the same case, asking the same, in both."""

from collections.abc import Sequence
from dataclasses import dataclass

from naoshi.gate.trials import CaseKey, CaseTrials, by_case
from naoshi.records.eval_run import EvalRun


@dataclass(frozen=True, kw_only=True)
class Pair:
    """One case in both runs, with all its trials."""

    before: CaseTrials
    after: CaseTrials

    @property
    def key(self) -> CaseKey:
        """What makes it the same case in both."""
        return self.after.key

    @property
    def case_id(self) -> str:
        """The case's identifier."""
        return self.after.case_id

    @property
    def categories(self) -> frozenset[str]:
        """The categories that it counts in: moving a case to another one hides nothing."""
        return frozenset({self.before.category, self.after.category})


@dataclass(frozen=True, kw_only=True)
class Pairing:
    """Two runs side by side.

    ``missing`` are the baseline's cases without a partner, ``fresh`` the candidate's; a case that was edited since
    is in both, as its two versions do not compare.
    """

    pairs: tuple[Pair, ...]
    missing: tuple[CaseTrials, ...]
    fresh: tuple[CaseTrials, ...]


def pair_runs(candidate: EvalRun, baseline: EvalRun) -> Pairing:
    """Return the cases of both runs, paired by case id and content hash; one without a hash pairs with nothing."""
    before, after = by_case(baseline.results), by_case(candidate.results)
    common = [key for key in after if key in before and key[1]]
    paired = set(common)
    return Pairing(
        pairs=tuple(Pair(before=before[key], after=after[key]) for key in common),
        missing=tuple(trials for key, trials in before.items() if key not in paired),
        fresh=tuple(trials for key, trials in after.items() if key not in paired),
    )


def repeated(run: EvalRun) -> Sequence[str]:
    """Return the identifiers that have two results for one trial in *run*, or trials that ask different things."""
    seen: set[tuple[str, int]] = set()
    asked: dict[str, str] = {}
    twice: dict[str, None] = {}
    for result in run.results:
        trial = (result.case_id, result.trial)
        if trial in seen or asked.setdefault(result.case_id, result.content_hash) != result.content_hash:
            twice[result.case_id] = None
        seen.add(trial)
    return list(twice)
