"""The verdict on a candidate run: pure, by category, never by one aggregate, and by each policy side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from naoshi.gate.category_statistics import statistics_of
from naoshi.gate.finding import (
    CategoryCases,
    Finding,
    Judgement,
    by_gravity,
    cases_by_category,
    of_categories,
    of_whole_run,
    worst,
)
from naoshi.gate.literal import judge_literally
from naoshi.gate.paired import PairedJudge
from naoshi.gate.pairing import Pair, Pairing, pair_runs, repeated
from naoshi.gate.policy import GatePolicy
from naoshi.gate.reasons import named, number, reason
from naoshi.gate.rerun import Rerun, RerunResults, RunAgain
from naoshi.gate.trials import by_case, passing
from naoshi.records.base import content_id
from naoshi.records.eval_run import EvalRun
from naoshi.records.verdict import (
    CategoryStatistics,
    Flip,
    PolicyVerdict,
    Verdict,
    VerdictOutcome,
)


def decide(
    candidate: EvalRun,
    baseline: EvalRun | None,
    policy: GatePolicy,
    *,
    now: datetime,
    reruns: Sequence[Rerun] = (),
) -> Verdict:
    """Return the verdict on *candidate*.

    It is ``incomparable`` when the runs were not made alike or share no case; ``regression`` when something is worse;
    ``inconclusive`` when something that matters is unknown; ``pass`` otherwise. Without a baseline there is nothing to
    fall below, and the first run passes when every case got a pass or a fail and the tolerances on shares hold.

    *reruns* are the rounds in which `rerun_wanted` was run again, oldest first; `settle` does all of it.
    """
    return _Comparison.of(candidate, baseline, policy).verdict(reruns, now=now)


def rerun_wanted(verdict: Verdict) -> tuple[str, ...]:
    """Return the cases to run once more, on the candidate and on what it is held against, before *verdict* is final.

    Give both runs to `decide` as one more `Rerun`, and ask again, until nothing is wanted.
    """
    return verdict.rerun


def settle(
    candidate: EvalRun, baseline: EvalRun | None, policy: GatePolicy, *, run_again: RunAgain, now: datetime
) -> Verdict:
    """Return the final verdict on *candidate*, after as many rounds of re-runs as it takes; *run_again* makes them."""
    comparison, reruns = _Comparison.of(candidate, baseline, policy), list[Rerun]()
    verdict = comparison.verdict(reruns, now=now)
    while wanted := rerun_wanted(verdict):
        reruns.append(run_again(wanted))
        verdict = comparison.verdict(reruns, now=now)
    return verdict


@dataclass(frozen=True, kw_only=True)
class _Comparison:
    """All that is known of two runs before any re-run."""

    candidate: EvalRun
    baseline: EvalRun | None
    policy: GatePolicy
    pairing: Pairing | None
    categories: tuple[CategoryCases, ...]
    statistics: Mapping[str, CategoryStatistics]

    @classmethod
    def of(cls, candidate: EvalRun, baseline: EvalRun | None, policy: GatePolicy) -> "_Comparison":
        pairing = pair_runs(candidate, baseline) if baseline else None
        categories = cases_by_category(candidate, pairing, policy)
        return cls(
            candidate=candidate,
            baseline=baseline,
            policy=policy,
            pairing=pairing,
            categories=categories,
            statistics=statistics_of(categories, policy),
        )

    def verdict(self, reruns: Sequence[Rerun], *, now: datetime) -> Verdict:
        candidate, baseline, policy = self.candidate, self.baseline, self.policy
        shared = [
            *_hindrances(candidate, baseline, self.pairing, reruns),
            *of_whole_run(candidate, self.pairing, policy),
        ]
        judgements = self._judgements(reruns)
        by_policy = tuple(
            _policy_verdict(name, judgement, shared, candidate, self.pairing) for name, judgement in judgements.items()
        )
        chosen, judgement = next(item for item in by_policy if item.policy == policy.policy), judgements[policy.policy]
        final = any(item.outcome in (VerdictOutcome.incomparable, VerdictOutcome.regression) for item in shared)
        return Verdict(
            verdict_id=_verdict_id(candidate, baseline, policy, reruns, chosen.outcome),
            outcome=chosen.outcome,
            candidate_run_id=candidate.run_id,
            baseline_run_id=baseline.run_id if baseline else None,
            policy=policy.policy,
            reasons=chosen.reasons,
            categories=judgement.categories,
            flips=_flips(self._pairs, judgements["paired"].confirmed),
            decided_at=now,
            by_policy=by_policy,
            rerun=() if final else judgement.rerun,
            rounds=len(reruns),
        )

    @property
    def _pairs(self) -> Sequence[Pair]:
        return self.pairing.pairs if self.pairing else ()

    def _judgements(self, reruns: Sequence[Rerun]) -> Mapping[str, Judgement]:
        pairs, policy, statistics = self._pairs, self.policy, self.statistics
        judge = PairedJudge.of(self.categories, pairs=pairs, policy=policy, reruns=RerunResults(reruns=reruns))
        return {
            "paired": judge.judge(self.categories, pairs=pairs, statistics=statistics),
            "literal": judge_literally(self.categories, pairs=pairs, policy=policy, statistics=statistics),
        }


def _policy_verdict(
    name: str, judgement: Judgement, shared: Sequence[Finding], candidate: EvalRun, pairing: Pairing | None
) -> PolicyVerdict:
    hindrances = [item for item in shared if item.outcome is VerdictOutcome.incomparable]
    others = [item for item in shared if item.outcome is not VerdictOutcome.incomparable]
    findings = by_gravity([*hindrances, *of_categories(judgement.categories), *others, *judgement.findings])
    reasons = [item.reason for item in findings] or [_why_it_passes(name, candidate, pairing)]
    outcome = worst(item.outcome for item in findings)
    return PolicyVerdict(policy=name, outcome=outcome, reasons=tuple(dict.fromkeys(reasons)))


def _hindrances(
    candidate: EvalRun, baseline: EvalRun | None, pairing: Pairing | None, reruns: Sequence[Rerun]
) -> list[Finding]:
    """Return what stands in the way of any judgement."""
    found: list[Finding] = []
    for name, run in (("candidate", candidate), ("baseline", baseline)):
        if run is not None and (twice := repeated(run)):
            found.append(_incomparable(reason("repeated", run=name, named=named(twice))))
    if not candidate.results:
        found.append(Finding(outcome=VerdictOutcome.inconclusive, reason=reason("empty")))
    again = [run for rerun in reruns for run in (rerun.candidate, rerun.baseline) if run is not None]
    if any(run.settings_hash != candidate.settings_hash for run in again):
        found.append(_incomparable(reason("rerun_graded_differently")))
    if baseline is None or pairing is None:
        return found
    if candidate.settings_hash != baseline.settings_hash:
        found.append(_incomparable(reason("graded_differently")))
    if candidate.results and not pairing.pairs:
        found.append(_incomparable(reason("nothing_in_common")))
    return found


def _incomparable(told: str) -> Finding:
    return Finding(outcome=VerdictOutcome.incomparable, reason=told)


def _why_it_passes(policy: str, candidate: EvalRun, pairing: Pairing | None) -> str:
    if pairing is None:
        tried = by_case(candidate.results).values()
        return reason("first_run", passing=number(passing(tried)), cases=len(tried))
    before = passing(pair.before for pair in pairing.pairs)
    after = passing(pair.after for pair in pairing.pairs)
    key = "paired_passes" if policy == "paired" else "passes"
    return reason(key, cases=len(pairing.pairs), before=number(before), after=number(after))


def _flips(pairs: Sequence[Pair], confirmed: Mapping[str, bool]) -> tuple[Flip, ...]:
    return tuple(
        Flip(
            case_id=pair.case_id,
            category=pair.after.category,
            before=pair.before.state,
            after=pair.after.state,
            before_rate=passing([pair.before]),
            after_rate=passing([pair.after]),
            confirmed=confirmed.get(pair.case_id),
        )
        for pair in pairs
        if pair.before.state is not pair.after.state
    )


def _verdict_id(
    candidate: EvalRun,
    baseline: EvalRun | None,
    policy: GatePolicy,
    reruns: Sequence[Rerun],
    outcome: VerdictOutcome,
) -> str:
    again = [[rerun.candidate.run_id, rerun.baseline.run_id if rerun.baseline else None] for rerun in reruns]
    return content_id(
        "verdict",
        candidate.run_id,
        baseline.run_id if baseline else None,
        policy.model_dump(mode="json"),
        again,
        outcome.value,
    )
