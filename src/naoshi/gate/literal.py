"""The policy ``literal``: the source's rules to the letter, taking every run as it is."""

from collections.abc import Iterable, Mapping, Sequence

from naoshi.gate.finding import ROUNDING, CategoryCases, Finding, Judgement, category_verdict
from naoshi.gate.measure import ANSWERS, PASSES
from naoshi.gate.pairing import Pair
from naoshi.gate.policy import GatePolicy
from naoshi.gate.reasons import named, number, reason
from naoshi.gate.trials import CaseTrials, failing, failing_share_by_source, gives_no_answer, passing, unknown
from naoshi.records.verdict import CategoryStatistics, CategoryVerdict, VerdictOutcome


def judge_literally(
    categories: Sequence[CategoryCases],
    *,
    pairs: Sequence[Pair],
    policy: GatePolicy,
    statistics: Mapping[str, CategoryStatistics],
) -> Judgement:
    """Return what the rules of spec L8 and L9 say of *categories*, and of all *pairs* together."""
    return Judgement(
        categories=tuple(_judge(cases, statistics.get(cases.category)) for cases in categories),
        findings=tuple(_too_many_worse(pairs, policy)),
    )


def observed_share(cases: CategoryCases) -> Finding | None:
    """Return what speaks against the category because more of it fails than its ``block``, by cases or by sources.

    Thirty cases of one source that pass must not make up for other sources that fail, nor the other way round.
    """
    fails, block = failing(cases.tried, certainly=True), cases.tolerance.block
    if cases.tried and fails / len(cases.tried) > block + ROUNDING:
        told = reason("share_blocks", failing=number(fails), cases=len(cases.tried), block=f"{block:.1%}")
        return Finding(outcome=VerdictOutcome.regression, reason=told)
    share = failing_share_by_source(cases.tried, certainly=True)
    if share > block + ROUNDING:
        told = reason("source_share_blocks", share=f"{share:.1%}", block=f"{block:.1%}")
        return Finding(outcome=VerdictOutcome.regression, reason=told)
    return None


def unknown_results(cases: CategoryCases) -> Finding | None:
    """Return what speaks against saying yes because results are unknown, or missing in a first run."""
    now, then = unknown(cases.tried), unknown(pair.before for pair in cases.pairs)
    silent = 0 if cases.compared else sum(trials.mean(gives_no_answer) > 0 for trials in cases.tried)
    for key, count, among in (
        ("unknown_now", now, len(cases.tried)),
        ("unknown_then", then, len(cases.pairs)),
        ("first_run_errors", silent, len(cases.tried)),
    ):
        if count:
            return Finding(outcome=VerdictOutcome.inconclusive, reason=reason(key, count=count, cases=among))
    return None


def doubtful_share(cases: CategoryCases) -> Finding | None:
    """Return what speaks against saying yes because the share of failures lies between ``allow`` and ``block``."""
    fails, tolerance = failing(cases.tried), cases.tolerance
    share = failing_share_by_source(cases.tried)
    bounds = {"allow": f"{tolerance.allow:.1%}", "block": f"{tolerance.block:.1%}"}
    if cases.tried and fails / len(cases.tried) > tolerance.allow + ROUNDING:
        told = reason("share_doubtful", failing=number(fails), cases=len(cases.tried), **bounds)
    elif share > tolerance.allow + ROUNDING:
        told = reason("source_share_doubtful", share=f"{share:.1%}", **bounds)
    else:
        return None
    return Finding(outcome=VerdictOutcome.inconclusive, reason=told)


def _judge(cases: CategoryCases, statistics: CategoryStatistics | None) -> CategoryVerdict:
    """Judge one category.

    A result that is unknown counts as failing where that hurts the candidate and as passing where it would have to be
    shown that it is worse: a regression is certain only if the best case is one too.
    """
    told = reason("at_or_above" if cases.pairs else "nothing_to_compare")
    found = (
        observed_share(cases)
        or _drop(cases)
        or _error_rise(cases)
        or unknown_results(cases)
        or doubtful_share(cases)
        or Finding(outcome=VerdictOutcome.pass_, reason=told)
    )
    return category_verdict(cases, found, statistics)


def _drop(cases: CategoryCases) -> Finding | None:
    allowed = cases.tolerance.max_drop
    if not cases.pairs or PASSES.drop(cases.pairs) / len(cases.pairs) <= allowed + ROUNDING:
        return None
    told = reason(
        "drop_beyond" if allowed else "drop",
        after=number(sum(map(PASSES.after, cases.pairs))),
        cases=len(cases.pairs),
        before=number(sum(map(PASSES.before, cases.pairs))),
        allowed=f"{allowed:.1%}",
    )
    return Finding(outcome=VerdictOutcome.regression, reason=told)


def _error_rise(cases: CategoryCases) -> Finding | None:
    if not cases.pairs or ANSWERS.drop(cases.pairs) / len(cases.pairs) <= cases.tolerance.max_drop + ROUNDING:
        return None
    told = reason(
        "error_rise",
        after=number(_silent(pair.after for pair in cases.pairs)),
        before=number(_silent(pair.before for pair in cases.pairs)),
    )
    return Finding(outcome=VerdictOutcome.regression, reason=told)


def _too_many_worse(pairs: Sequence[Pair], policy: GatePolicy) -> list[Finding]:
    worse = [pair.case_id for pair in pairs if passing([pair.before]) > PASSES.after(pair) + ROUNDING]
    if policy.max_worse is None or len(worse) <= policy.max_worse:
        return []
    told = reason("too_many_worse", count=len(worse), allowed=policy.max_worse, named=named(worse))
    return [Finding(outcome=VerdictOutcome.regression, reason=told)]


def _silent(cases: Iterable[CaseTrials]) -> float:
    return sum(trials.mean(gives_no_answer) for trials in cases)
