"""The version in force on all cases: what a change will be held against."""

from naoshi.flow.answers import require_some_answer
from naoshi.flow.case_review import review_cases
from naoshi.flow.evaluate import ALL_SPLITS, evaluate_commit
from naoshi.flow.loop import Loop
from naoshi.flow.quarantine import quarantine_flaky
from naoshi.flow.steps.ending import ended
from naoshi.flow.suites import judged_cases
from naoshi.flow.versions import main_branch, present_version
from naoshi.records import Baseline, Cycle, CycleState, EvalRun, ResultState, content_id


def run_present(loop: Loop, *, once: str = "") -> EvalRun:
    """Run all cases on the version in force, and keep the run; the first one ever is the first baseline.

    Cases that flip between identical runs of it lose their say in the gate, by an entry in the ledger. *once* names the
    step of a cycle that asks, as `naoshi.flow.holdout` has it.

    Raises:
        HoldoutBudgetError: the holdout was asked often enough.
        AgentError: the agent, which answered in the runs that people corrected, answers nothing at all now.
    """
    version = present_version(loop)
    commit = loop.git.commit_of(f"refs/heads/{main_branch(loop)}")
    cases = judged_cases(loop)
    run = evaluate_commit(
        loop,
        commit,
        version=version.name,
        cases=cases,
        suite=ALL_SPLITS,
        why=f"the version in force, {version.name}",
        once=once,
    )
    require_some_answer(loop, run, cases)
    if not loop.store.baselines.count():
        baseline = Baseline(
            baseline_id=content_id("baseline", run.run_id, version.name),
            run_id=run.run_id,
            version=version.name,
            set_at=loop.clock(),
            reason="the first run",
        )
        loop.store.baselines.add(baseline)
    quarantine_flaky(loop)
    return run


def run_step(loop: Loop, cycle: Cycle) -> Cycle:
    """Run the version in force; without any case there is nothing to mend yet."""
    if not cycle.cases:
        reason = "there is no case yet: triage corrections first"
        return ended(loop, cycle, CycleState.nothing_to_do, reason)
    run = run_present(loop, once=f"{cycle.cycle_id}:run")
    counts = run.case_counts()
    loop.report(f"{cycle.base_version}: {counts[ResultState.pass_]} of {sum(counts.values())} cases pass")
    _, unanswered = review_cases(loop)
    if unanswered:
        loop.report(f"{len(unanswered)} flaky cases wait for a person: naoshi cases review")
    return cycle.model_copy(update={"stage": "diagnose", "before_run_id": run.run_id})
