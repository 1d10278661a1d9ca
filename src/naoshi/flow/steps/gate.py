"""The gate: is the candidate at least as good, in every category, as what is in force and as the baseline?"""

from collections.abc import Sequence

from naoshi.flow.loop import Loop
from naoshi.flow.quarantine import SetAside
from naoshi.flow.required import require
from naoshi.flow.rerun import rerunning
from naoshi.flow.steps.attempt import not_graded, refused_by_gate
from naoshi.flow.trusted_gate import require_trusted
from naoshi.gate.decide import settle
from naoshi.records import Cycle, EvalRun, ResultState, Verdict, VerdictOutcome

_OF_THE_JUDGE = "another change could not be judged either: see to the judge (`naoshi doctor`), then run a cycle again"


def baseline_run(loop: Loop) -> EvalRun | None:
    """Return the run that the baseline stands on, or None before the first."""
    baselines = loop.store.baselines.find()
    return loop.store.runs.get(baselines[-1].run_id) if baselines else None


def judge_run(loop: Loop, candidate: EvalRun, present: EvalRun | None) -> Verdict:
    """Return the verdict on *candidate* and keep it.

    It is held against *present*, the version in force on the same cases, and against the baseline, which may be an
    older version, on the cases that it had. Cases that flipped are run once more before they block. The sterner of
    the two verdicts stands. A gate that has not passed its test of itself on these cases gives none. Cases in
    quarantine have no say; the verdict lists them.

    Raises:
        GateUntrustedError: it did not pass.
    """
    aside = SetAside.of(loop)
    baseline = baseline_run(loop)
    policy = loop.settings.gate
    told = aside.told(candidate, present or baseline)
    candidate = aside.without(candidate)
    baseline, present = (aside.without(run) if run is not None else None for run in (baseline, present))
    held_against = present or baseline
    require_trusted(loop, candidate, held_against)
    with rerunning(loop, candidate, held_against) as run_again:
        verdict = settle(candidate, held_against, policy, run_again=run_again, now=loop.clock())
    if baseline is not None and present is not None and baseline.run_id != present.run_id:
        lenient = policy.model_copy(update={"require_all": False})
        with rerunning(loop, candidate, baseline) as run_again:
            old = settle(candidate, baseline, lenient, run_again=run_again, now=loop.clock())
        open_ = verdict.outcome in (VerdictOutcome.pass_, VerdictOutcome.inconclusive)
        if open_ and old.outcome is VerdictOutcome.regression:
            verdict = old
    verdict = verdict.model_copy(update={"quarantined": told})
    loop.store.verdicts.put(verdict)
    return verdict


def gate_step(loop: Loop, cycle: Cycle) -> Cycle:
    """Judge the certified change; one that does not pass is told to the next attempt by category alone."""
    candidate = require(loop.store.runs, cycle.after_run_id)
    present = loop.store.runs.get(cycle.before_run_id or "")
    verdict = judge_run(loop, candidate, present)
    loop.report(f"gate: {verdict.outcome.value}, {'; '.join(verdict.reasons)}")
    judged = cycle.model_copy(update={"verdict_id": verdict.verdict_id})
    if verdict.outcome is not VerdictOutcome.pass_:
        blocked = [item.category for item in verdict.categories if item.outcome is not VerdictOutcome.pass_]
        told = f"gate: {verdict.outcome.value} in {', '.join(blocked) or 'the whole run'}"
        reasons = (f"gate: {verdict.outcome.value}", *verdict.reasons)
        runs = [run for run in (candidate, present) if run is not None]
        is_open = verdict.outcome is VerdictOutcome.inconclusive and bool(blocked)
        if is_open and _without_grades(runs).issuperset(blocked):
            return not_graded(loop, judged, reasons=(*reasons, _OF_THE_JUDGE))
        return refused_by_gate(loop, judged, told, reasons=reasons)
    return judged.model_copy(update={"stage": "review"})


def _without_grades(runs: Sequence[EvalRun]) -> set[str]:
    """Return the categories in which a judge had to grade and gave no grade that counts."""
    return {
        result.category
        for run in runs
        for result in run.results
        if result.state is ResultState.judge_error
    }  # fmt: skip
