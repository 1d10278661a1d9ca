"""The gate tests itself on a suite: a known regression must block, and a run held against itself must pass."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from naoshi import __version__
from naoshi.gate.decide import settle
from naoshi.gate.policy import CategoryTolerance, Gate, GatePolicy
from naoshi.gate.rerun import Rerun
from naoshi.gate.trials import gives_no_answer, is_unknown, passes
from naoshi.records.base import content_hash, content_id
from naoshi.records.eval_run import CaseResult, EvalRun, ResultState
from naoshi.records.gate_self_test import GateProbe, GateSelfTest
from naoshi.records.verdict import Certainty, Verdict, VerdictOutcome

GATE_VERSION = f"{__version__}/2"
"""The version of the gate. The number after the stroke goes up with each change of how it decides."""

# What a gate can see does not hang on more; a suite of a hundred thousand cases is tested in seconds.
_MOST_CASES = 200
_MOST_COLLAPSING = 40
_REFUSALS = (VerdictOutcome.regression, VerdictOutcome.inconclusive, VerdictOutcome.incomparable)
_Ask = Callable[[EvalRun, EvalRun, GatePolicy], Verdict]


def self_test_key(run: EvalRun, policy: GatePolicy) -> str:
    """Return the hash of all that a self-test holds for: the suite as *run* has it, *policy*, and the gate's version.

    The suite is its cases: what they ask, the category and source that they count in, how often each was tried, and
    how they are graded.
    """
    cases = Counter((item.case_id, item.content_hash, item.category, item.source_key) for item in run.results)
    suite = sorted([*case, tried] for case, tried in cases.items())
    return content_hash([suite, run.settings_hash, policy.model_dump(mode="json"), GATE_VERSION])


def self_test(run: EvalRun, policy: GatePolicy, *, now: datetime, gate: Gate = settle) -> GateSelfTest:
    """Return whether *gate*, under *policy*, tells what is worse from what is not on the cases of *run*.

    The fewest failures that a category's ``max_drop`` or ``block`` does not allow are put into a copy of the results as
    they are, into one in which every case passes, each category alone, and into the smallest category of that one while
    all others get better. Then a whole category breaks and nothing is run again: it has to be seen, or called too few
    to certify. Of a large category 200 cases are taken, 40 for the last question. Re-runs are answered as an agent
    without chance would.

    Tolerances on shares are about a version, not about the gate: they are left out when the run is held against
    itself, and so are its results that are unknown. A run without any answer may not pass, even against itself.
    """

    def ask(candidate: EvalRun, baseline: EvalRun, policy: GatePolicy) -> Verdict:
        return _settled(candidate, baseline, policy, now=now, gate=gate)

    categories = sorted({result.category for result in run.results})
    blocking = [name for name in categories if _most_failing(policy.tolerance(name)) < 1]
    known = run.model_copy(update={"results": tuple(item for item in run.results if not is_unknown(item))})
    good = _changed(_excerpt(run), _passing)
    collapses = [_collapse(_only(good, name), name, policy, now=now, gate=gate) for name in blocking]
    probes = [
        _replay(known, policy, ask),
        *(probe for name in blocking for probe in _regression_in_results(_only(known, name), name, policy, ask)),
        *(_one_regression(_only(good, name), name, policy, ask) for name in blocking),
        *_hidden_collapse(good, blocking, policy, ask),
        *collapses,
        *_broken_runs(good, policy, ask),
    ]
    key = self_test_key(run, policy)
    return GateSelfTest(
        self_test_id=content_id("self_test", key, run.run_id),
        key=key,
        run_id=run.run_id,
        policy=policy.policy,
        passed=bool(blocking) and all(probe.held for probe in probes),
        probes=tuple(probes),
        too_few=tuple(
            probe.category for probe in collapses if probe.category and probe.found is not VerdictOutcome.regression
        ),
        skipped=tuple(name for name in categories if name not in blocking),
        tested_at=now,
    )


def _replay(known: EvalRun, policy: GatePolicy, ask: _Ask) -> GateProbe:
    wide = {
        name: CategoryTolerance(allow=1, block=1, max_drop=policy.tolerance(name).max_drop)
        for name in {result.category for result in known.results}
    }
    lenient = policy.model_copy(update={"categories": wide, "require_certified": False})
    silent = bool(known.results) and all(map(gives_no_answer, known.results))
    expected = VerdictOutcome.regression if silent else VerdictOutcome.pass_
    return _probe("a run against itself", ask(known, known, lenient), expected=(expected,))


def _regression_in_results(
    known: EvalRun, category: str, policy: GatePolicy, ask: _Ask
) -> Iterable[GateProbe]:  # fmt: skip
    """Break cases that really pass, as few as may not break; where fewer pass there is nothing to break."""
    failing = {result.case_id for result in known.results if not passes(result)}
    solid = [name for name in _cases(known, category) if name not in failing]
    others = [name for name in _cases(known, category) if name in failing]
    copy = _of_cases(known, frozenset((*solid, *others)[:_MOST_CASES]))
    least = _allowed(copy, category, policy) + 1
    if len(solid) >= least:
        verdict = ask(_broken(copy, set(solid[:least])), copy, policy)
        yield _probe("a regression in these results", verdict, expected=(VerdictOutcome.regression,), category=category)


def _one_regression(good: EvalRun, category: str, policy: GatePolicy, ask: _Ask) -> GateProbe:
    verdict = ask(_broken(good, _fewest(good, category, policy)), good, policy)
    return _probe("a regression", verdict, expected=(VerdictOutcome.regression,), category=category)


def _collapse(good: EvalRun, category: str, policy: GatePolicy, *, now: datetime, gate: Gate) -> GateProbe:
    """Break all of a category where nothing can be run again, so that averages alone can show it."""

    def run_nothing(case_ids: Sequence[str]) -> Rerun:
        return Rerun(candidate=_of_cases(good, frozenset()), baseline=_of_cases(good, frozenset()))

    good = _of_cases(good, frozenset(_cases(good, category)[:_MOST_COLLAPSING]))
    broken = _broken(good, set(_cases(good, category)))
    verdict = gate(broken, good, policy, run_again=run_nothing, now=now)
    said = [item for item in verdict.categories if item.category == category]
    seen = verdict.outcome is VerdictOutcome.regression and any(
        item.outcome is VerdictOutcome.regression for item in said
    )
    doubted = verdict.outcome is VerdictOutcome.inconclusive and any(
        item.statistics is not None and item.statistics.certainty is Certainty.too_few for item in said
    )
    return GateProbe(
        name="a category that collapses, with nothing run again",
        category=category,
        expected=(VerdictOutcome.regression, VerdictOutcome.inconclusive),
        found=verdict.outcome,
        held=seen or doubted,
        reasons=verdict.reasons,
    )


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
    return set(_cases(good, category)[: _allowed(good, category, policy) + 1])


def _allowed(run: EvalRun, category: str, policy: GatePolicy) -> int:
    """Return how many cases of *category* may break."""
    return math.floor(_most_failing(policy.tolerance(category)) * len(_cases(run, category)) + 1e-9)


def _most_failing(tolerance: CategoryTolerance) -> float:
    """Return the share of a category's cases that may fail where all passed before; 1 where nothing can block it."""
    return min(tolerance.max_drop, tolerance.block)


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
