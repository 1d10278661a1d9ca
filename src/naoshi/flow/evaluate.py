"""Running cases on one state of the agent."""

from collections.abc import Sequence
from pathlib import Path

from naoshi.evals.runner import Runner, evaluate_cases, told_progress
from naoshi.flow.loop import Loop
from naoshi.records import EvalCase, EvalRun

ALL_SPLITS = "all"
"""The name of the suite that a cycle judges by: the cases of all suites."""


def evaluate_folder(
    loop: Loop,
    folder: Path,
    *,
    version: str,
    cases: Sequence[EvalCase],
    suite: str,
    runner: Runner = Runner.native,
    partial_folder: Path | None = None,
) -> EvalRun:
    """Run *cases* on the agent whose files are in *folder*; the run is not kept in the store.

    Raises:
        ConfigError: no agent is configured.
        MissingProgramError: the agent's program, or that of the runner, is not on this machine.
    """
    return evaluate_cases(
        cases,
        agent=loop.settings.agent,
        evals=loop.settings.evals,
        folder=folder,
        data_root=loop.data_root,
        version=version,
        suite=suite,
        runner=runner,
        clock=loop.clock,
        on_result=told_progress(loop.progress, version, len(cases)),
        partial_folder=partial_folder,
    )


def evaluate_commit(
    loop: Loop,
    commit: str,
    *,
    version: str,
    cases: Sequence[EvalCase],
    suite: str,
    runner: Runner = Runner.native,
) -> EvalRun:
    """Run *cases* on a fresh checkout of *commit*, and keep the run in the store."""
    with loop.git.worktree(commit, loop.worktrees / f"run-{commit[:12]}") as checkout:
        return evaluate_checkout(loop, checkout.folder, version=version, cases=cases, suite=suite, runner=runner)


def evaluate_checkout(
    loop: Loop,
    folder: Path,
    *,
    version: str,
    cases: Sequence[EvalCase],
    suite: str,
    runner: Runner = Runner.native,
) -> EvalRun:
    """Run *cases* on the checkout *folder*, whose commit is in its name, and keep the run in the store.

    Results are kept as they come, so that a run that was killed goes on where it was.
    """
    partial = loop.state / "runs"
    run = evaluate_folder(
        loop, folder, version=version, cases=cases, suite=suite, runner=runner, partial_folder=partial
    )
    loop.store.runs.put(run)
    (partial / f"{run.run_id}.jsonl").unlink(missing_ok=True)
    return run
