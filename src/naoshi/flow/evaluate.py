"""Running cases on one state of the agent."""

from collections.abc import Sequence
from pathlib import Path

from naoshi.evals.runner import Runner, evaluate_cases, told_progress
from naoshi.flow.holdout import enter_holdout_query
from naoshi.flow.loop import Loop
from naoshi.records import EvalCase, EvalRun
from naoshi.system.git import Git

ALL_SPLITS = "all"
"""The name of the suite that a cycle judges by: the cases of all suites."""

RERUN = "rerun"
"""The name of the suite of a re-run, which settles a verdict."""


def evaluate_folder(
    loop: Loop,
    folder: Path,
    *,
    version: str,
    cases: Sequence[EvalCase],
    suite: str,
    runner: Runner = Runner.native,
    partial_folder: Path | None = None,
    commit: str = "",
    why: str = "",
    once: str = "",
) -> EvalRun:
    """Run *cases* on the agent whose files are in *folder*, those of *commit*; the run is not kept in the store.

    Where cases of the holdout are among them, the ledger says so first, and *why*; *once* names the step that asks.

    Raises:
        HoldoutBudgetError: the holdout was asked often enough; nothing was run.
        JudgeKinError: the judge of rubrics may be of the agent's own family.
        ConfigError: no agent is configured.
        MissingProgramError: the agent's program, or that of the runner, is not on this machine.
    """
    enter_holdout_query(
        loop, cases, commit=commit or version, why=why or f"{suite} on {version}", once=once, counted=suite != RERUN
    )
    run = evaluate_cases(
        cases,
        agent=loop.settings.agent,
        evals=loop.settings.evals,
        judge=loop.settings.judge,
        repository=loop.git.folder,
        folder=folder,
        data_root=loop.data_root,
        version=version,
        suite=suite,
        runner=runner,
        clock=loop.clock,
        on_result=told_progress(loop.progress, version, len(cases)),
        partial_folder=partial_folder,
    )
    return run.model_copy(update={"commit": commit})


def evaluate_commit(
    loop: Loop,
    commit: str,
    *,
    version: str,
    cases: Sequence[EvalCase],
    suite: str,
    runner: Runner = Runner.native,
    why: str = "",
    once: str = "",
) -> EvalRun:
    """Run *cases* on a fresh checkout of *commit*, and keep the run in the store.

    Raises:
        HoldoutBudgetError: cases of the holdout are among them, and it was asked often enough.
    """
    with loop.git.worktree(commit, loop.worktrees / f"run-{commit[:12]}") as checkout:
        return evaluate_checkout(
            loop, checkout.folder, version=version, cases=cases, suite=suite, runner=runner, why=why, once=once
        )


def evaluate_checkout(
    loop: Loop,
    folder: Path,
    *,
    version: str,
    cases: Sequence[EvalCase],
    suite: str,
    runner: Runner = Runner.native,
    why: str = "",
    once: str = "",
) -> EvalRun:
    """Run *cases* on the checkout *folder*, whose commit is in its name, and keep the run in the store.

    Results are kept as they come, so that a run that was killed goes on where it was.

    Raises:
        HoldoutBudgetError: cases of the holdout are among them, and it was asked often enough.
    """
    partial = loop.state / "runs"
    run = evaluate_folder(
        loop,
        folder,
        version=version,
        cases=cases,
        suite=suite,
        runner=runner,
        partial_folder=partial,
        commit=Git(folder=folder).commit_of("HEAD"),
        why=why,
        once=once,
    )
    loop.store.runs.put(run)
    (partial / f"{run.run_id}.jsonl").unlink(missing_ok=True)
    return run
