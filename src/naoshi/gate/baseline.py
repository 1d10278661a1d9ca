"""Which run becomes the baseline, and which version is the best."""

import math
from collections.abc import Sequence

from naoshi.errors import NotFoundError
from naoshi.gate.finding import ROUNDING
from naoshi.gate.measure import PASSES
from naoshi.gate.pairing import Pair, pair_runs
from naoshi.gate.reasons import number
from naoshi.gate.trials import by_case, gives_no_answer, is_unknown, passes, passing
from naoshi.records.eval_run import CaseResult, EvalRun, ResultState


def baseline_moves(candidate: EvalRun, baseline: EvalRun | None) -> tuple[bool, str]:
    """Return whether *candidate* takes the baseline's place, and why (spec L11).

    It must beat it in every category over the cases that both ran; a category in which every case passes in both
    counts as beaten. A partial gain leaves the baseline where it is.
    """
    if baseline is None:
        return _first_baseline(candidate)
    if candidate.settings_hash != baseline.settings_hash:
        return False, "the two runs were not graded alike"
    pairing = pair_runs(candidate, baseline)
    if not pairing.pairs:
        return False, "the two runs have no case in common"
    left_out = [trials for trials in pairing.missing if trials.mean(passes)]
    if left_out:
        return False, f"{len(left_out)} cases that the baseline passed were not run as they were"
    behind = [
        reason
        for category in sorted({name for pair in pairing.pairs for name in pair.categories})
        if (reason := _not_beaten(category, [pair for pair in pairing.pairs if category in pair.categories]))
    ]
    if behind:
        return False, "not better in every category: " + "; ".join(behind)
    return True, f"better in every category over {len(pairing.pairs)} cases"


def best_version(runs: Sequence[EvalRun]) -> str:
    """Return the version with the best cumulative score (spec L22); *runs* stand oldest first.

    Scores are summed over the cases that both ran, so that having run more cases is no merit. Versions meet one by
    one, oldest first: the newer takes the place when its sum is at least as high. Where a version has several runs,
    the last result of a case counts (the mean of its trials); its age is that of its first run.

    Raises:
        NotFoundError: there are no runs.
    """
    if not runs:
        raise NotFoundError("no version has been run yet", hint="run `naoshi evals run` first")
    scores: dict[str, dict[tuple[str, str, str], float]] = {}
    for run in runs:
        kept = scores.setdefault(run.version, {})
        known = (result for result in run.results if not is_unknown(result) and result.content_hash)
        for (case_id, asked), trials in by_case(known).items():
            kept[(run.settings_hash, case_id, asked)] = trials.mean(_score)
    order = list(scores)
    best = order[0]
    for version in order[1:]:
        common = scores[best].keys() & scores[version].keys()
        now, then = (math.fsum(scores[name][key] for key in common) for name in (version, best))
        # Tenths are no binary fractions: sums that tie on paper differ in their last digit.
        if now >= then - ROUNDING:
            best = version
    return best


def _first_baseline(candidate: EvalRun) -> tuple[bool, str]:
    if not candidate.results:
        return False, "the run has no results"
    cases = by_case(candidate.results).values()
    unanswered = sum(any(is_unknown(one) or gives_no_answer(one) for one in trials.results) for trials in cases)
    if unanswered:
        return False, f"{unanswered} of {len(cases)} cases have no answer or no grade"
    return True, f"first baseline, over {len(cases)} cases"


def _not_beaten(category: str, pairs: Sequence[Pair]) -> str | None:
    before = math.fsum(pair.before.mean(PASSES.of_candidate) for pair in pairs)
    after = passing(pair.after for pair in pairs)
    if after > before + ROUNDING or min(before, after) > len(pairs) - ROUNDING:
        return None
    return f"{category} {number(before)} → {number(after)} of {len(pairs)}"


def _score(result: CaseResult) -> float:
    if result.score is not None and result.state in (ResultState.pass_, ResultState.fail):
        return result.score
    return float(passes(result))
