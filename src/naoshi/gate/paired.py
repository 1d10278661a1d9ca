"""The policy ``paired``: what got worse blocks, what chance explains does not.

Two ways lead to a regression. A **confirmed flip**: a case that passed and fails, and does so each time that both
versions are run on it again; re-runs are as many as make a false confirmation unlikely (`repeats_needed`). An agent
without chance is judged by these alone, exactly as by the rules of ``literal``. And a **fall beyond chance**: the
paired test over all cases of a category, adjusted for the number of tests, unless the re-run does not show it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from naoshi.gate.finding import ROUNDING, CategoryCases, Finding, Judgement, category_verdict
from naoshi.gate.literal import doubtful_share, observed_share, unknown_results
from naoshi.gate.measure import ANSWERS, PASSES, SCORES, Measure
from naoshi.gate.pairing import Pair
from naoshi.gate.policy import GatePolicy
from naoshi.gate.reasons import chance, named, reason
from naoshi.gate.rerun import FlipState, RerunResults
from naoshi.gate.statistics import repeats_needed
from naoshi.gate.trials import CaseTrials, certainly_fails
from naoshi.records.verdict import (
    CategoryStatistics,
    CategoryVerdict,
    Certainty,
    MeasureStatistics,
    VerdictOutcome,
)

_MEASURES = {measure.name: measure for measure in (PASSES, ANSWERS, SCORES)}
_UNSAFE_RERUNS = 3
_SPARE_ROUNDS = 4


@dataclass(frozen=True, kw_only=True)
class PairedJudge:
    """Judges by ``paired``. ``times`` is how often a flip has to show; it depends on the runs, never on re-runs."""

    policy: GatePolicy
    reruns: RerunResults
    times: int

    @classmethod
    def of(
        cls, categories: Sequence[CategoryCases], *, pairs: Sequence[Pair], policy: GatePolicy, reruns: RerunResults
    ) -> "PairedJudge":
        """Return the judge of *categories* and of all *pairs* together."""
        suspects = {
            (pair.key, measure.name)
            for cases in categories
            for measure in (PASSES, ANSWERS)
            if _dropped(cases, measure)
            for pair in cases.pairs
            if measure.fell(pair)
        }
        suspects |= {(pair.key, PASSES.name) for pair in _beyond_max_worse(pairs, policy)}
        return cls(policy=policy, reruns=reruns, times=repeats_needed(len(suspects), policy.alpha_of_reruns))

    def judge(
        self,
        categories: Sequence[CategoryCases],
        *,
        pairs: Sequence[Pair],
        statistics: Mapping[str, CategoryStatistics],
    ) -> Judgement:
        """Return the judgement, and which cases to run again where that would make it firmer."""
        verdicts: list[CategoryVerdict] = []
        found: list[Finding] = []
        for cases in categories:
            against = self._against(cases, statistics.get(cases.category))
            found += against
            verdicts.append(category_verdict(cases, _first(against, cases), statistics.get(cases.category)))
        whole = self._too_many_worse(pairs)
        found += whole
        return Judgement(
            categories=tuple(verdicts),
            findings=tuple(whole),
            rerun=_wanted(found),
            confirmed=dict(self._borne_out(pairs)),
        )

    def _against(self, cases: CategoryCases, statistics: CategoryStatistics | None) -> list[Finding]:
        """Return all that speaks against one category."""
        share = observed_share(cases) if cases.tolerance.block else self._unsafe(cases)
        found = [
            share,
            *(self._confirmed_drop(cases, measure) for measure in (PASSES, ANSWERS)),
            *(self._average(cases, item) for item in (statistics.measures if statistics else ())),
            unknown_results(cases),
            doubtful_share(cases) if cases.tolerance.block else None,
            self._uncertified(cases, statistics),
        ]
        return [item for item in found if item is not None]

    def _confirmed_drop(self, cases: CategoryCases, measure: Measure) -> Finding | None:
        """Hold the flips that re-runs confirm against those in the other direction that they do not contradict."""
        if not _dropped(cases, measure):
            return None
        fell = self._by_state(filter(measure.fell, cases.pairs), measure, fell=True)
        rose = self._by_state(filter(measure.rose, cases.pairs), measure, fell=False)
        sure, open_ = fell[FlipState.confirmed], fell[FlipState.open]
        gained = len(rose[FlipState.confirmed]) + len(rose[FlipState.open])
        allowed = cases.tolerance.max_drop * len(cases.pairs) + ROUNDING
        if len(sure) - gained > allowed:
            key = "confirmed_drop" if measure is PASSES else "confirmed_silence"
            ids = [pair.case_id for pair in sure]
            told = reason(key, count=len(ids), cases=len(cases.pairs), times=self.times, named=named(ids))
            return Finding(outcome=VerdictOutcome.regression, reason=told)
        if len(sure) + len(open_) <= allowed:
            return None
        if open_:
            return self._wait(open_, among=len(cases.pairs))
        still = len(sure) - len(rose[FlipState.confirmed]) > allowed
        return self._wait(rose[FlipState.open], among=len(cases.pairs)) if still else None

    def _by_state(self, pairs: Iterable[Pair], measure: Measure, *, fell: bool) -> dict[FlipState, list[Pair]]:
        found: dict[FlipState, list[Pair]] = {state: [] for state in FlipState}
        for pair in pairs:
            found[self.reruns.flip_state(pair.key, measure, times=self.times, fell=fell)].append(pair)
        return found

    def _average(self, cases: CategoryCases, item: MeasureStatistics) -> Finding | None:
        """Take a fall beyond chance for a regression until a re-run of the cases that changed does not show it."""
        allowed = cases.tolerance.max_drop
        if item.measure == SCORES.name:
            allowed = max(allowed, self.policy.margin)
        if item.adjusted_p > self.policy.alpha_of_averages or -item.difference <= allowed + ROUNDING:
            return None
        measure = _MEASURES[item.measure]
        changed = [pair for pair in cases.pairs if measure.before(pair) != measure.after(pair)]
        gain = self.reruns.gain((pair.key for pair in changed), measure)
        rates = {"before": f"{item.before:.1%}", "after": f"{item.after:.1%}", "cases": len(cases.pairs)}
        if gain is not None and gain >= 0:
            return Finding(outcome=VerdictOutcome.inconclusive, reason=reason("not_reproduced", **rates))
        wants = tuple(pair.case_id for pair in changed) if gain is None and not self._given_up else ()
        told = reason(f"{item.measure}_fell", p=chance(item.adjusted_p), **rates)
        return Finding(outcome=VerdictOutcome.regression, reason=told, wants=wants)

    def _unsafe(self, cases: CategoryCases) -> Finding | None:
        """Judge a category in which nothing may fail: a failure that shows twice blocks, one that does not is open."""
        failed = [trials for trials in cases.tried if any(map(certainly_fails, trials.results))]
        if not failed:
            return None
        again = [trials for trials in failed if self._fails_again(trials)]
        if again:
            ids = [trials.case_id for trials in again]
            told = reason("unsafe_again", count=len(ids), cases=len(cases.tried), named=named(ids))
            return Finding(outcome=VerdictOutcome.regression, reason=told)
        wants = [
            trials.case_id for trials in failed if len(self.reruns.after(trials.key, PASSES)) < _UNSAFE_RERUNS
        ]  # fmt: skip
        wants = [] if self._given_up else wants
        told = reason(
            "unsafe_so_far" if wants else "unsafe_once",
            count=len(failed),
            cases=len(cases.tried),
            times=_UNSAFE_RERUNS,
            named=named([trials.case_id for trials in failed]),
        )
        return Finding(outcome=VerdictOutcome.inconclusive, reason=told, wants=tuple(wants))

    def _fails_again(self, trials: CaseTrials) -> bool:
        in_run = sum(map(certainly_fails, trials.results))
        return in_run > 1 or min(self.reruns.after(trials.key, PASSES), default=1.0) < 1.0

    def _uncertified(self, cases: CategoryCases, statistics: CategoryStatistics | None) -> Finding | None:
        if not self.policy.require_certified or statistics is None or statistics.certainty is not Certainty.too_few:
            return None
        count = len(cases.pairs) if cases.compared else len(cases.tried)
        return Finding(outcome=VerdictOutcome.inconclusive, reason=reason("too_few", cases=count))

    def _too_many_worse(self, pairs: Sequence[Pair]) -> list[Finding]:
        suspects = _beyond_max_worse(pairs, self.policy)
        most = self.policy.max_worse
        if not suspects or most is None:
            return []
        states = self._by_state(suspects, PASSES, fell=True)
        sure, open_ = states[FlipState.confirmed], states[FlipState.open]
        if len(sure) > most:
            told = reason("too_many_worse", count=len(sure), allowed=most, named=named([p.case_id for p in sure]))
            return [Finding(outcome=VerdictOutcome.regression, reason=told)]
        return [self._wait(open_, among=len(pairs))] if len(sure) + len(open_) > most else []

    def _wait(self, pairs: Sequence[Pair], *, among: int) -> Finding:
        ids = [pair.case_id for pair in pairs]
        key = "rerun_says_nothing" if self._given_up else "waits_for_rerun"
        told = reason(key, count=len(ids), cases=among, rounds=self.reruns.rounds, named=named(ids))
        wants = () if self._given_up else tuple(ids)
        return Finding(outcome=VerdictOutcome.inconclusive, reason=told, wants=wants)

    @property
    def _given_up(self) -> bool:
        # Worse flips first, better ones after them, and a few more for re-runs that come to nothing.
        return self.reruns.rounds >= 2 * max(self.times, _UNSAFE_RERUNS) + _SPARE_ROUNDS

    def _borne_out(self, pairs: Iterable[Pair]) -> Iterable[tuple[str, bool]]:
        for pair in pairs:
            fell = PASSES.fell(pair)
            if fell or PASSES.rose(pair):
                state = self.reruns.flip_state(pair.key, PASSES, times=self.times, fell=fell)
                if state is not FlipState.open:
                    yield pair.case_id, state is FlipState.confirmed


def _first(against: Sequence[Finding], cases: CategoryCases) -> Finding:
    told = reason("not_worse" if cases.pairs else "nothing_to_compare")
    regressions = (item for item in against if item.outcome is VerdictOutcome.regression)
    return next(regressions, None) or next(iter(against), Finding(outcome=VerdictOutcome.pass_, reason=told))


def _wanted(found: Sequence[Finding]) -> tuple[str, ...]:
    """Return the cases whose re-run would say more: none once a regression stands that needs no more."""
    if any(item.outcome is VerdictOutcome.regression and not item.wants for item in found):
        return ()
    return tuple(dict.fromkeys(case_id for item in found for case_id in item.wants))


def _dropped(cases: CategoryCases, measure: Measure) -> bool:
    lost = measure.drop(cases.pairs)
    return lost > cases.tolerance.max_drop * len(cases.pairs) + ROUNDING


def _beyond_max_worse(pairs: Sequence[Pair], policy: GatePolicy) -> list[Pair]:
    """Return the cases that stopped passing, where they are more than ``max_worse``."""
    worse = [pair for pair in pairs if PASSES.fell(pair)]
    return worse if policy.max_worse is not None and len(worse) > policy.max_worse else []
