"""The verdict on a candidate run: pure, by the tolerances of each category, never by one aggregate."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from naoshi.gate.category import judge_category
from naoshi.gate.pairing import Pair, Pairing, is_unknown, pair_runs, passes, repeated
from naoshi.gate.policy import GatePolicy
from naoshi.gate.reasons import reason
from naoshi.records.base import content_id
from naoshi.records.eval_run import (
    CaseResult,
    CategoryVerdict,
    EvalRun,
    Flip,
    ResultState,
    Verdict,
    VerdictOutcome,
)

_NAMED = 5


@dataclass(frozen=True, kw_only=True)
class _Finding:
    outcome: VerdictOutcome
    reason: str


def decide(candidate: EvalRun, baseline: EvalRun | None, policy: GatePolicy, *, now: datetime) -> Verdict:
    """Return the verdict on *candidate*.

    It is ``incomparable`` when the runs were not made alike or share no case; ``regression`` when one is certain,
    whatever is unknown; ``inconclusive`` when something that matters is unknown; ``pass`` otherwise. Without a
    baseline there is nothing to fall below, and the first run passes when every case got a pass or a fail and the
    tolerances on shares hold.
    """
    pairing = pair_runs(candidate, baseline) if baseline else None
    pairs = pairing.pairs if pairing else ()
    categories = _categories(candidate, pairs, baseline, policy)
    findings = [
        *_hindrances(candidate, baseline, pairing),
        *_of_categories(categories),
        *_of_whole_run(candidate, pairing, policy),
    ]
    outcome = _worst(item.outcome for item in findings)
    reasons = [item.reason for item in findings] or [_why_it_passes(candidate, pairs, baseline)]
    return Verdict(
        verdict_id=content_id(
            "verdict",
            candidate.run_id,
            baseline.run_id if baseline else None,
            policy.model_dump(mode="json"),
            outcome.value,
        ),
        outcome=outcome,
        candidate_run_id=candidate.run_id,
        baseline_run_id=baseline.run_id if baseline else None,
        policy=policy.policy,
        reasons=tuple(dict.fromkeys(reasons)),
        categories=categories,
        flips=_flips(pairs),
        decided_at=now,
    )


_GRAVITY = (VerdictOutcome.incomparable, VerdictOutcome.regression, VerdictOutcome.inconclusive, VerdictOutcome.pass_)


def _worst(outcomes: Iterable[VerdictOutcome]) -> VerdictOutcome:
    return min(outcomes, key=_GRAVITY.index, default=VerdictOutcome.pass_)


def _categories(
    candidate: EvalRun, pairs: Sequence[Pair], baseline: EvalRun | None, policy: GatePolicy
) -> tuple[CategoryVerdict, ...]:
    names = {result.category for result in candidate.results} | {name for pair in pairs for name in pair.categories}
    return tuple(
        judge_category(
            name,
            results=[result for result in candidate.results if result.category == name],
            pairs=[pair for pair in pairs if name in pair.categories],
            tolerance=policy.tolerance(name),
            compared=baseline is not None,
        )
        for name in sorted(names)
    )


def _of_categories(categories: Sequence[CategoryVerdict]) -> list[_Finding]:
    return [
        _Finding(outcome=item.outcome, reason=reason("of_category", category=item.category, reason=item.reason))
        for item in categories
        if item.outcome is not VerdictOutcome.pass_
    ]


def _hindrances(candidate: EvalRun, baseline: EvalRun | None, pairing: Pairing | None) -> list[_Finding]:
    """Return what stands in the way of any judgement."""
    found: list[_Finding] = []
    for name, run in (("candidate", candidate), ("baseline", baseline)):
        if run is not None and (twice := repeated(run)):
            found.append(_incomparable(reason("repeated", run=name, named=_named(twice))))
    if not candidate.results:
        found.append(_Finding(outcome=VerdictOutcome.inconclusive, reason=reason("empty")))
    if baseline is None or pairing is None:
        return found
    if candidate.settings_hash != baseline.settings_hash:
        found.append(_incomparable(reason("graded_differently")))
    if candidate.results and not pairing.pairs:
        found.append(_incomparable(reason("nothing_in_common")))
    return found


def _of_whole_run(candidate: EvalRun, pairing: Pairing | None, policy: GatePolicy) -> list[_Finding]:
    """Return what no single category shows."""
    found: list[_Finding] = []
    if candidate.results and all(result.state is ResultState.agent_error for result in candidate.results):
        told = reason("no_answer_at_all", cases=len(candidate.results))
        found.append(_Finding(outcome=VerdictOutcome.regression, reason=told))
    if pairing is None:
        return found
    worse = [pair.after.case_id for pair in pairing.pairs if passes(pair.before) and _certainly_fails(pair.after)]
    if policy.max_worse is not None and len(worse) > policy.max_worse:
        told = reason("too_many_worse", count=len(worse), allowed=policy.max_worse, named=_named(worse))
        found.append(_Finding(outcome=VerdictOutcome.regression, reason=told))
    left_out = [result.case_id for result in pairing.missing if passes(result)]
    if policy.require_all and left_out:
        told = reason("left_out", count=len(left_out), named=_named(left_out))
        found.append(_Finding(outcome=VerdictOutcome.inconclusive, reason=told))
    return found


def _certainly_fails(result: CaseResult) -> bool:
    return not passes(result) and not is_unknown(result)


def _incomparable(told: str) -> _Finding:
    return _Finding(outcome=VerdictOutcome.incomparable, reason=told)


def _why_it_passes(candidate: EvalRun, pairs: Sequence[Pair], baseline: EvalRun | None) -> str:
    passing = sum(passes(result) for result in candidate.results)
    if baseline is None:
        return reason("first_run", passing=passing, cases=len(candidate.results))
    before = sum(passes(pair.before) for pair in pairs)
    after = sum(passes(pair.after) for pair in pairs)
    return reason("passes", cases=len(pairs), before=before, after=after)


def _flips(pairs: Sequence[Pair]) -> tuple[Flip, ...]:
    return tuple(
        Flip(
            case_id=pair.after.case_id,
            category=pair.after.category,
            before=pair.before.state,
            after=pair.after.state,
        )
        for pair in pairs
        if pair.before.state is not pair.after.state
    )


def _named(case_ids: Sequence[str]) -> str:
    more = f" and {len(case_ids) - _NAMED} more" if len(case_ids) > _NAMED else ""
    return ", ".join(case_ids[:_NAMED]) + more
