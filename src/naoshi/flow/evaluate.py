"""Running cases on one state of the agent."""

from collections.abc import Sequence
from pathlib import Path

from naoshi.evals.evaluation import Evaluation
from naoshi.evals.runner import Runner, told_progress
from naoshi.evals.settings import AgentSettings
from naoshi.flow.holdout import enter_holdout_query
from naoshi.flow.loop import Loop
from naoshi.gate.trials import join_trials
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
    agent: AgentSettings | None = None,
    data_root: Path | None = None,
) -> EvalRun:
    """Run *cases* on the agent whose files are in *folder*, those of *commit*.

    With *partial_folder* results are kept there as they come, and the whole run in the store at the end; without it the
    run is kept nowhere. *agent* is how the agent is started and *data_root* where its documents lie, where that is not
    as the settings say.

    The suite of a cycle is run as often as ``trials`` under ``[evals]`` says, in one run. Where cases of the holdout
    are among them, the ledger says so first, and *why*; *once* names the step that asks.

    Raises:
        HoldoutBudgetError: the holdout was asked often enough; nothing was run.
        JudgeKinError: the judge of rubrics may be of the agent's own family; nothing was run, nor counted.
        ConfigError: no agent is configured.
        MissingProgramError: the agent's program, or that of the runner, is not on this machine.
    """
    evaluation = Evaluation(
        cases=cases,
        agent=agent or loop.settings.agent,
        evals=loop.settings.evals,
        judge=loop.settings.judge,
        repository=loop.git.folder,
        folder=folder,
        data_root=data_root or loop.data_root,
        version=version,
        suite=suite,
        runner=runner,
        clock=loop.clock,
    )
    # What is refused has seen nothing, and may not cost the holdout anything.
    evaluation.require_runnable()
    enter_holdout_query(
        loop, cases, commit=commit or version, why=why or f"{suite} on {version}", once=once, counted=suite != RERUN
    )
    trials = loop.settings.evals.trials if suite == ALL_SPLITS else 1
    runs: list[EvalRun] = []
    for trial in range(trials):
        name = f"{version}, trial {trial + 1} of {trials}" if trials > 1 else version
        run = evaluation.run(
            on_result=told_progress(loop.progress, name, len(cases)),
            partial_folder=partial_folder and _trial_folder(partial_folder, trial),
        )
        runs.append(run)
    joined = join_trials(runs).model_copy(update={"commit": commit})
    if partial_folder is not None:
        loop.store.runs.put(joined)
        for trial, run in enumerate(runs):
            (_trial_folder(partial_folder, trial) / f"{run.run_id}.jsonl").unlink(missing_ok=True)
    return joined


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
    return evaluate_folder(
        loop,
        folder,
        version=version,
        cases=cases,
        suite=suite,
        runner=runner,
        partial_folder=loop.state / "runs",
        commit=Git(folder=folder).commit_of("HEAD"),
        why=why,
        once=once,
    )


def _trial_folder(partial_folder: Path, trial: int) -> Path:
    """Return where the partial results of a trial are kept: trials are runs of the same, and must not be mixed up."""
    return partial_folder / f"trial-{trial}" if trial else partial_folder
