"""Who runs and grades cases: we, or the real Promptfoo."""

import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from naoshi.errors import ConfigError
from naoshi.evals.answer import Answer
from naoshi.evals.assertions.python_code import PythonCode
from naoshi.evals.judge import Judge
from naoshi.evals.judging.settings import JudgeSettings
from naoshi.evals.run import run_cases
from naoshi.evals.settings import AgentSettings, EvalSettings
from naoshi.records.eval_case import EvalCase
from naoshi.records.eval_run import CaseResult, EvalRun, ResultState

_TOLD_EACH_SECONDS = 0.1
_BAR_CELLS = 10
_NO_JUDGE = JudgeSettings()


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
    judge: JudgeSettings = _NO_JUDGE,
    repository: Path | None = None,
) -> EvalRun:
    """Run *cases* on the agent in *folder* with the *runner* that was chosen.

    ``judge`` names the model that grades rubrics; what was measured of it is looked for in ``repository`` (*folder*
    where that is None). The run says who judged.

    Raises:
        ConfigError: no agent is configured.
        JudgeKinError: the judge may be of the agent's own family; nothing was run.
        MissingExtraError: what asks the judge is not installed.
        MissingProgramError: the agent's program, or that of the runner, is not on this machine.
    """
    if not agent.command:
        raise ConfigError("no agent is configured", hint="write `command` under [agent] in naoshi.toml")
    grader = None
    if judge.model:
        # Most suites have no judge, and need none of this.
        from naoshi.evals.judging.open_judge import open_judge

        grader = open_judge(judge, agent=agent, cases=cases, repository=repository or folder, environment=os.environ)
    with grader or nullcontext():
        run = _evaluated(
            cases,
            agent=agent,
            evals=evals,
            folder=folder,
            data_root=data_root,
            version=version,
            suite=suite,
            runner=runner,
            clock=clock,
            on_result=on_result,
            partial_folder=partial_folder,
            grader=grader,
            judged_at_a_time=grader.workers if grader else 1,
            see=grader.see if grader else None,
        )
    return run if grader is None else run.model_copy(update={"judge": grader.record()})


def _evaluated(
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
    partial_folder: Path | None,
    grader: Judge | None,
    judged_at_a_time: int,
    see: Callable[[Answer], None] | None,
) -> EvalRun:
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
            judge=grader,
            python=evals.python,
            on_answer=see,
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
        judge=grader,
        judged_at_a_time=judged_at_a_time,
        python=PythonCode(interpreter=evals.python, timeout=evals.python_timeout),
        on_answer=see,
        on_result=on_result,
        partial_folder=partial_folder,
    )


def told_progress(tell: Callable[[str], None], name: str, total: int) -> Callable[[CaseResult], None]:
    """Return what tells of each result how far the run is: a bar, and all five states counted, ten times a second."""
    counts: Counter[ResultState] = Counter()
    last = 0.0

    def progress(result: CaseResult) -> None:
        nonlocal last
        counts[result.state] += 1
        now, done = time.monotonic(), counts.total()
        if now - last >= _TOLD_EACH_SECONDS or done == total:
            last = now
            states = ", ".join(f"{counts[state]} {state.value}" for state in ResultState)
            # The name stands last, since a narrow terminal cuts off what is at the end.
            tell(f"{_bar(done, total)} {done}/{total} cases: {states} ({name})")

    return progress


def _bar(done: int, total: int) -> str:
    full = _BAR_CELLS * min(done, total) // total if total else _BAR_CELLS
    return "█" * full + "░" * (_BAR_CELLS - full)
