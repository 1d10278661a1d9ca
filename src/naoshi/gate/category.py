"""What one category says: its share of failures against its tolerance, and its pass rate against the baseline's."""

from collections.abc import Sequence

from naoshi.gate.pairing import Pair, count, is_unknown, passes
from naoshi.gate.policy import CategoryTolerance
from naoshi.gate.reasons import reason
from naoshi.records.eval_run import CaseResult, CategoryVerdict, ResultState, VerdictOutcome

# Rates are ratios of counts; this is far below one case in a million and far above rounding.
_ROUNDING = 1e-9


def judge_category(
    category: str,
    *,
    results: Sequence[CaseResult],
    pairs: Sequence[Pair],
    tolerance: CategoryTolerance,
    compared: bool,
) -> CategoryVerdict:
    """Return the verdict of one category.

    ``results`` are all of the candidate's, ``pairs`` those that the baseline has too; ``compared`` says that there
    is a baseline at all. A result that is unknown counts as failing where that hurts the candidate and as passing
    where it would have to be shown that it is worse: a regression is certain only if the best case is one too.
    """
    outcome, told = VerdictOutcome.pass_, reason("at_or_above" if pairs else "nothing_to_compare")
    for found in (
        _certain_share(results, tolerance),
        _certain_drop(pairs, tolerance),
        _error_rise(pairs, tolerance),
        _unknown(results, pairs),
        _first_run_errors(results, compared),
        _doubtful_share(results, tolerance),
    ):
        if found is not None:
            outcome, told = found
            break
    failing = sum(not passes(result) for result in results)
    return CategoryVerdict(
        category=category,
        cases=len(pairs) if compared else len(results),
        baseline_rate=_rate([pair.before for pair in pairs]) if compared else None,
        candidate_rate=_rate([pair.after for pair in pairs]) if compared else _rate(results),
        fail_share=failing / len(results) if results else 0.0,
        outcome=outcome,
        reason=told,
    )


_Found = tuple[VerdictOutcome, str] | None


def _certain_share(results: Sequence[CaseResult], tolerance: CategoryTolerance) -> _Found:
    failing = sum(not passes(result) and not is_unknown(result) for result in results)
    if results and failing / len(results) > tolerance.block + _ROUNDING:
        told = reason("share_blocks", failing=failing, cases=len(results), block=f"{tolerance.block:.1%}")
        return VerdictOutcome.regression, told
    return None


def _certain_drop(pairs: Sequence[Pair], tolerance: CategoryTolerance) -> _Found:
    before = sum(passes(pair.before) for pair in pairs)
    at_best = sum(passes(pair.after) or is_unknown(pair.after) for pair in pairs)
    if pairs and (before - at_best) / len(pairs) > tolerance.max_drop + _ROUNDING:
        key = "drop_beyond" if tolerance.max_drop else "drop"
        allowed = f"{tolerance.max_drop:.1%}"
        told = reason(key, after=at_best, cases=len(pairs), before=before, allowed=allowed)
        return VerdictOutcome.regression, told
    return None


def _error_rise(pairs: Sequence[Pair], tolerance: CategoryTolerance) -> _Found:
    before = count((pair.before for pair in pairs), ResultState.agent_error)
    after = count((pair.after for pair in pairs), ResultState.agent_error)
    if pairs and (after - before) / len(pairs) > tolerance.max_drop + _ROUNDING:
        return VerdictOutcome.regression, reason("error_rise", after=after, before=before)
    return None


def _unknown(results: Sequence[CaseResult], pairs: Sequence[Pair]) -> _Found:
    now = sum(is_unknown(result) for result in results)
    then = sum(is_unknown(pair.before) for pair in pairs)
    if now:
        return VerdictOutcome.inconclusive, reason("unknown_now", count=now, cases=len(results))
    if then:
        return VerdictOutcome.inconclusive, reason("unknown_then", count=then, cases=len(pairs))
    return None


def _first_run_errors(results: Sequence[CaseResult], compared: bool) -> _Found:
    errors = 0 if compared else count(results, ResultState.agent_error)
    if errors:
        return VerdictOutcome.inconclusive, reason("first_run_errors", count=errors, cases=len(results))
    return None


def _doubtful_share(results: Sequence[CaseResult], tolerance: CategoryTolerance) -> _Found:
    failing = sum(not passes(result) for result in results)
    if results and failing / len(results) > tolerance.allow + _ROUNDING:
        allow, block = f"{tolerance.allow:.1%}", f"{tolerance.block:.1%}"
        told = reason("share_doubtful", failing=failing, cases=len(results), allow=allow, block=block)
        return VerdictOutcome.inconclusive, told
    return None


def _rate(results: Sequence[CaseResult]) -> float | None:
    return sum(passes(result) for result in results) / len(results) if results else None
