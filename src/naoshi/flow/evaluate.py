"""Running cases on one state of the agent."""

import os
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from naoshi.errors import ConfigError
from naoshi.evals.run import run_cases
from naoshi.flow.loop import Loop
from naoshi.records import CaseResult, EvalCase, EvalRun

ALL_SPLITS = "all"
"""The name of the suite that a cycle judges by: the cases of all suites."""


def evaluate_folder(loop: Loop, folder: Path, *, version: str, cases: Sequence[EvalCase], suite: str) -> EvalRun:
    """Run *cases* on the agent whose files are in *folder*; the run is not kept in the store.

    Raises:
        ConfigError: no agent is configured.
        MissingProgramError: the agent's program is not on this machine.
    """
    if not loop.settings.agent.command:
        raise ConfigError("no agent is configured", hint="write `command` under [agent] in naoshi.toml")
    done = count(1)

    def tell(_: CaseResult) -> None:
        loop.progress(f"{version}: {next(done)} of {len(cases)} cases")

    return run_cases(
        cases,
        agent=loop.settings.agent,
        folder=folder,
        version=version,
        suite=suite,
        environment=os.environ,
        data_root=loop.data_root,
        clock=loop.clock,
        on_result=tell,
    )


def evaluate_commit(loop: Loop, commit: str, *, version: str, cases: Sequence[EvalCase], suite: str) -> EvalRun:
    """Run *cases* on a fresh checkout of *commit*, and keep the run in the store."""
    with loop.git.worktree(commit, loop.worktrees / f"run-{commit[:12]}") as checkout:
        run = evaluate_folder(loop, checkout.folder, version=version, cases=cases, suite=suite)
    loop.store.runs.put(run)
    return run
