"""The gate tests itself on a suite: a known regression must block, and a run held against itself must pass."""

import math
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from naoshi.gate.decide import settle
from naoshi.gate.policy import CategoryTolerance, Gate, GatePolicy
from naoshi.gate.rerun import Rerun
from naoshi.gate.trials import is_unknown
from naoshi.records.base import Record
from naoshi.records.eval_run import CaseResult, EvalRun, ResultState, Verdict, VerdictOutcome

# What a gate can see does not hang on more; a suite of a hundred thousand cases is tested in seconds.
_MOST_CASES = 200
_REFUSALS = (VerdictOutcome.regression, VerdictOutcome.inconclusive, VerdictOutcome.incomparable)
_Ask = Callable[[EvalRun, EvalRun, GatePolicy], Verdict]


class GateProbe(Record):
    """One question to the gate whose answer is known: what was asked, what may come out, and what did."""

    name: str
    category: str | None = None
    expected: tuple[VerdictOutcome, ...]
    found: VerdictOutcome
    held: bool
    reasons: tuple[str, ...] = ()


class GateSelfTest(Record):
    """Whether the gate can be trusted on one suite under one policy.

    ``skipped`` names categories whose tolerance is so wide that nothing can block them.
    """

    run_id: str
    policy: str
    passed: bool
    probes: tuple[GateProbe, ...]
    skipped: tuple[str, ...] = ()


def self_test(run: EvalRun, policy: GatePolicy, *, now: datetime, gate: Gate = settle) -> GateSelfTest:
    """Return whether *gate*, under *policy*, tells what is worse from what is not on the cases of *run*.

    The regressions are made from a run in which every case of the suite passes: the fewest failures that a category's
    ``max_drop`` does not allow, in each category alone, and in the smallest one while all others get better; of a large
    category 200 cases are taken. Re-runs are answered as an agent without chance would. Tolerances on shares are about
    a version, not about the gate: they are left out when the run is held against itself, and so are its results that
    are unknown.
    """

    def ask(candidate: EvalRun, baseline: EvalRun, policy: GatePolicy) -> Verdict:
        return _settled(candidate, baseline, policy, now=now, gate=gate)

    categories = sorted({result.category for result in run.results})
    blocking = [name for name in categories if policy.tolerance(name).max_drop < 1]
    good = _changed(_excerpt(run), _passing)
    probes = [
        _replay(run, policy, ask),
        *(_one_regression(_only(good, name), name, policy, ask) for name in blocking),
        *_hidden_collapse(good, blocking, policy, ask),
        *_broken_runs(good, policy, ask),
    ]
    return GateSelfTest(
        run_id=run.run_id,
        policy=policy.policy,
        passed=bool(blocking) and all(probe.held for probe in probes),
        probes=tuple(probes),
        skipped=tuple(name for name in categories if name not in blocking),
    )


def _replay(run: EvalRun, policy: GatePolicy, ask: _Ask) -> GateProbe:
    known = run.model_copy(update={"results": tuple(item for item in run.results if not is_unknown(item))})
    wide = {
        name: CategoryTolerance(allow=1, block=1, max_drop=policy.tolerance(name).max_drop)
        for name in {result.category for result in run.results}
    }
    lenient = policy.model_copy(update={"categories": wide, "require_certified": False})
    verdict = ask(known, known, lenient)
    return _probe("a run against itself", verdict, expected=(VerdictOutcome.pass_,))


def _one_regression(good: EvalRun, category: str, policy: GatePolicy, ask: _Ask) -> GateProbe:
    verdict = ask(_broken(good, _fewest(good, category, policy)), good, policy)
    return _probe("a regression", verdict, expected=(VerdictOutcome.regression,), category=category)


def _hidden_collapse(good: EvalRun, blocking: Sequence[str], policy: GatePolicy, ask: _Ask) -> list[GateProbe]:
    """Break the smallest category while every case of the others begins to pass."""
    sizes = {name: len(_cases(good, name)) for name in {result.category for result in good.results}}
    if not blocking or len(sizes) < 2:
        return []
    category = min(blocking, key=lambda name: (sizes[name], name))
    others = {result.case_id for result in good.results if result.category != category}
    candidate = _broken(good, _fewest(good, category, policy))
    verdict = ask(candidate, _broken(good, others), policy)
    name = "a regression behind a better average"
    return [_probe(name, verdict, expected=(VerdictOutcome.regression,), category=category)]


def _broken_runs(good: EvalRun, policy: GatePolicy, ask: _Ask) -> Iterable[GateProbe]:
    """Give the gate candidates that say nothing, or too much, none of which may pass."""
    silent = _changed(good, lambda result: _in_state(result, ResultState.agent_error, None))
    unrun = _changed(good, lambda result: _in_state(result, ResultState.not_run, None))
    unjudged = _changed(good, lambda result: _in_state(result, ResultState.judge_error, None))
    odd = _changed(good, lambda result: _in_state(result, ResultState.pass_, math.nan))
    others = good.model_copy(update={"settings_hash": f"not {good.settings_hash}"})
    for name, candidate, expected in (
        ("an agent that answers nothing", silent, (VerdictOutcome.regression,)),
        ("cases that were not run", unrun, _REFUSALS),
        ("a judge that failed", unjudged, _REFUSALS),
        ("scores that are no numbers", odd, _REFUSALS),
        ("a run without results", good.model_copy(update={"results": ()}), _REFUSALS),
        ("a run that was graded differently", others, (VerdictOutcome.incomparable,)),
    ):
        yield _probe(name, ask(candidate, good, policy), expected=expected)


def _settled(candidate: EvalRun, baseline: EvalRun, policy: GatePolicy, *, now: datetime, gate: Gate) -> Verdict:
    def run_again(case_ids: Sequence[str]) -> Rerun:
        wanted = frozenset(case_ids)
        return Rerun(candidate=_of_cases(candidate, wanted), baseline=_of_cases(baseline, wanted))

    return gate(candidate, baseline, policy, run_again=run_again, now=now)


def _probe(
    name: str, verdict: Verdict, *, expected: tuple[VerdictOutcome, ...], category: str | None = None
) -> GateProbe:
    """Compare *verdict* with what is known; where a *category* was broken, it must be named."""
    named = {item.category for item in verdict.categories if item.outcome is VerdictOutcome.regression}
    return GateProbe(
        name=name,
        category=category,
        expected=expected,
        found=verdict.outcome,
        held=verdict.outcome in expected and (category is None or category in named),
        reasons=verdict.reasons,
    )


def _fewest(good: EvalRun, category: str, policy: GatePolicy) -> set[str]:
    """Return the fewest cases of *category* that may not all fail."""
    cases = _cases(good, category)
    allowed = math.floor(policy.tolerance(category).max_drop * len(cases) + 1e-9)
    return set(cases[: allowed + 1])


def _cases(run: EvalRun, category: str) -> list[str]:
    return list(dict.fromkeys(result.case_id for result in run.results if result.category == category))


def _excerpt(run: EvalRun) -> EvalRun:
    """Return *run* with the first cases of each category."""
    categories = {result.category for result in run.results}
    return _of_cases(run, frozenset(case_id for name in categories for case_id in _cases(run, name)[:_MOST_CASES]))


def _changed(run: EvalRun, change: Callable[[CaseResult], CaseResult]) -> EvalRun:
    return run.model_copy(update={"results": tuple(map(change, run.results))})


def _broken(good: EvalRun, case_ids: set[str]) -> EvalRun:
    return _changed(good, lambda result: _failing(result) if result.case_id in case_ids else result)


def _only(run: EvalRun, category: str) -> EvalRun:
    kept = tuple(result for result in run.results if result.category == category)
    return run.model_copy(update={"results": kept})


def _of_cases(run: EvalRun, case_ids: frozenset[str]) -> EvalRun:
    return run.model_copy(update={"results": tuple(item for item in run.results if item.case_id in case_ids)})


def _passing(result: CaseResult) -> CaseResult:
    return _in_state(result, ResultState.pass_, 1.0)


def _failing(result: CaseResult) -> CaseResult:
    return _in_state(result, ResultState.fail, 0.0)


def _in_state(result: CaseResult, state: ResultState, score: float | None) -> CaseResult:
    return result.model_copy(update={"state": state, "score": score, "assertions": ()})
