"""What speaks for an outcome, and what a way of deciding makes of two runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from naoshi.gate.pairing import Pair, Pairing
from naoshi.gate.policy import CategoryTolerance, GatePolicy
from naoshi.gate.reasons import named, reason
from naoshi.gate.trials import CaseTrials, by_case, failing, gives_no_answer, passes, passing
from naoshi.records.eval_run import EvalRun
from naoshi.records.verdict import CategoryStatistics, CategoryVerdict, VerdictOutcome

ROUNDING = 1e-9
"""Rates are ratios of counts; this is far below one case in a million and far above rounding."""

_GRAVITY = (VerdictOutcome.incomparable, VerdictOutcome.regression, VerdictOutcome.inconclusive, VerdictOutcome.pass_)


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that speaks for *outcome*. ``wants`` are cases whose re-run would say more."""

    outcome: VerdictOutcome
    reason: str
    wants: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CategoryCases:
    """One category on both sides.

    ``tried`` are all of the candidate's cases, ``pairs`` those that the baseline has too; ``compared`` says that there
    is a baseline at all.
    """

    category: str
    tried: tuple[CaseTrials, ...]
    pairs: tuple[Pair, ...]
    tolerance: CategoryTolerance
    compared: bool


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """What one way of deciding says: of each category, and of the run as a whole; what it wants re-run; flips by case.

    ``confirmed`` says of cases that stopped passing, or began to, whether re-runs bear it out.
    """

    categories: tuple[CategoryVerdict, ...]
    findings: tuple[Finding, ...]
    rerun: tuple[str, ...] = ()
    confirmed: Mapping[str, bool] = field(default_factory=dict[str, bool])


def cases_by_category(candidate: EvalRun, pairing: Pairing | None, policy: GatePolicy) -> tuple[CategoryCases, ...]:
    """Return every category of *candidate* and of the pairs, by name."""
    tried: dict[str, list[CaseTrials]] = {}
    pairs: dict[str, list[Pair]] = {}
    for trials in by_case(candidate.results).values():
        tried.setdefault(trials.category, []).append(trials)
    for pair in pairing.pairs if pairing else ():
        for category in pair.categories:
            pairs.setdefault(category, []).append(pair)
    return tuple(
        CategoryCases(
            category=name,
            tried=tuple(tried.get(name, ())),
            pairs=tuple(pairs.get(name, ())),
            tolerance=policy.tolerance(name),
            compared=pairing is not None,
        )
        for name in sorted({*tried, *pairs})
    )


def category_verdict(cases: CategoryCases, finding: Finding, statistics: CategoryStatistics | None) -> CategoryVerdict:
    """Return the verdict on one category that *finding* makes."""
    pairs, tried = cases.pairs, cases.tried
    return CategoryVerdict(
        category=cases.category,
        cases=len(pairs) if cases.compared else len(tried),
        baseline_rate=_rate([pair.before for pair in pairs]) if cases.compared else None,
        candidate_rate=_rate([pair.after for pair in pairs] if cases.compared else tried),
        fail_share=failing(tried) / len(tried) if tried else 0.0,
        outcome=finding.outcome,
        reason=finding.reason,
        statistics=statistics,
    )


def worst(outcomes: Iterable[VerdictOutcome]) -> VerdictOutcome:
    """Return the outcome that weighs most; a pass without any."""
    return min(outcomes, key=_GRAVITY.index, default=VerdictOutcome.pass_)


def by_gravity(findings: Iterable[Finding]) -> list[Finding]:
    """Return *findings*, those first that weigh most: what decides is not read after what does not matter any more."""
    return sorted(findings, key=lambda item: _GRAVITY.index(item.outcome))


def of_categories(categories: Iterable[CategoryVerdict]) -> list[Finding]:
    """Return what speaks against the run, category by category."""
    return [
        Finding(outcome=item.outcome, reason=reason("of_category", category=item.category, reason=item.reason))
        for item in categories
        if item.outcome is not VerdictOutcome.pass_
    ]


def of_whole_run(candidate: EvalRun, pairing: Pairing | None, policy: GatePolicy) -> list[Finding]:
    """Return what no single category shows and every policy holds against the run."""
    found: list[Finding] = []
    if candidate.results and all(map(gives_no_answer, candidate.results)):
        told = reason("no_answer_at_all", cases=len({result.case_id for result in candidate.results}))
        found.append(Finding(outcome=VerdictOutcome.regression, reason=told))
    left_out = [trials.case_id for trials in pairing.missing if trials.mean(passes)] if pairing else []
    if policy.require_all and left_out:
        told = reason("left_out", count=len(left_out), named=named(left_out))
        found.append(Finding(outcome=VerdictOutcome.inconclusive, reason=told))
    return found


def _rate(cases: Sequence[CaseTrials]) -> float | None:
    return passing(cases) / len(cases) if cases else None
