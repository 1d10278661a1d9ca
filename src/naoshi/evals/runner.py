"""Who runs and grades cases: we, or the real Promptfoo."""

import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from naoshi.errors import ConfigError
from naoshi.evals.assertions.python_code import PythonCode
from naoshi.evals.run import run_cases
from naoshi.evals.settings import AgentSettings, EvalSettings
from naoshi.records.eval_case import EvalCase
from naoshi.records.eval_run import CaseResult, EvalRun, ResultState

_TOLD_EACH_SECONDS = 0.1


class Runner(StrEnum):
    """Who runs and grades the cases."""

    native = "native"
    promptfoo = "promptfoo"


def evaluate_cases(
    cases: Sequence[EvalCase],
    *,
    agent: AgentSettings,
    evals: EvalSettings,
    folder: Path,
    data_root: Path,
    version: str,
    suite: str,
    runner: Runner,
    clock: Callable[[], datetime],
    on_result: Callable[[CaseResult], None],
    partial_folder: Path | None = None,
) -> EvalRun:
    """Run *cases* on the agent in *folder* with the *runner* that was chosen.

    Raises:
        ConfigError: no agent is configured.
        MissingProgramError: the agent's program, or that of the runner, is not on this machine.
    """
    if not agent.command:
        raise ConfigError("no agent is configured", hint="write `command` under [agent] in naoshi.toml")
    if runner is Runner.promptfoo:
        # The socket server and all of it is for this runner alone.
        from naoshi.evals.promptfoo import find_promptfoo, run_with_promptfoo

        return run_with_promptfoo(
            cases,
            promptfoo=find_promptfoo(os.environ),
            agent=agent,
            folder=folder,
            version=version,
            suite=suite,
            environment=os.environ,
            data_root=data_root,
            clock=clock,
            python=evals.python,
            on_result=on_result,
        )
    return run_cases(
        cases,
        agent=agent,
        folder=folder,
        version=version,
        suite=suite,
        environment=os.environ,
        data_root=data_root,
        clock=clock,
        python=PythonCode(interpreter=evals.python, timeout=evals.python_timeout),
        on_result=on_result,
        partial_folder=partial_folder,
    )


def told_progress(tell: Callable[[str], None], name: str, total: int) -> Callable[[CaseResult], None]:
    """Return what tells of each result how far the run is, all five states counted, ten times a second at most."""
    counts: Counter[ResultState] = Counter()
    last = 0.0

    def progress(result: CaseResult) -> None:
        nonlocal last
        counts[result.state] += 1
        now, done = time.monotonic(), counts.total()
        if now - last >= _TOLD_EACH_SECONDS or done == total:
            last = now
            states = ", ".join(f"{counts[state]} {state.value}" for state in ResultState)
            tell(f"{name}: {done} of {total} cases ({states})")

    return progress
