"""One run of cases on one state of the agent, by us or by the real Promptfoo."""

import os
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from naoshi.errors import ConfigError, MissingProgramError
from naoshi.evals.agent_desk import AgentDesk
from naoshi.evals.assertions.python_code import PythonCode
from naoshi.evals.judge import OpenJudge
from naoshi.evals.judging.settings import JudgeSettings
from naoshi.evals.run import run_cases
from naoshi.evals.runner import Runner
from naoshi.evals.settings import AgentSettings, EvalSettings
from naoshi.records.eval_case import EvalCase
from naoshi.records.eval_run import CaseResult, EvalRun


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """Runs ``cases`` on the agent in ``folder`` with the ``runner`` that was chosen.

    ``judge`` names the model that grades rubrics; what was measured of it is looked for in ``repository``. With
    ``partial_folder`` results are kept there as they come (not with Promptfoo).
    """

    cases: Sequence[EvalCase]
    agent: AgentSettings
    evals: EvalSettings
    judge: JudgeSettings
    repository: Path
    folder: Path
    data_root: Path
    version: str
    suite: str
    runner: Runner
    clock: Callable[[], datetime]

    def require_runnable(self) -> None:
        """Check all that can be known before anything is run, counted or paid for.

        Raises:
            ConfigError: no agent is configured.
            JudgeKinError: the judge may be of the agent's own family, and nobody allowed that.
            MissingExtraError: what asks the judge is not installed.
            MissingProgramError: the runner's program is not on this machine.
            InputError: the file of the judge's calibration was spoilt.
        """
        self._require_agent()
        self._judge()
        if self.runner is Runner.promptfoo:
            from naoshi.evals.promptfoo import find_promptfoo  # only this runner needs the socket server and all of it

            find_promptfoo(os.environ)

    def run(
        self,
        *,
        on_result: Callable[[CaseResult], None],
        partial_folder: Path | None = None,
        desk: AgentDesk | None = None,
    ) -> EvalRun:
        """Run the cases; the run says who judged. *on_result* is told each result as it comes.

        ``desk`` is that of `first_agent`, where agents were started ahead.

        Raises:
            ConfigError: no agent is configured.
            JudgeKinError: the judge may be of the agent's own family; nothing was run.
            MissingExtraError: what asks the judge is not installed.
            MissingProgramError: the agent's program, or that of the runner, is not on this machine.
        """
        self._require_agent()
        with self._judge() or nullcontext() as judge:
            if self.runner is Runner.promptfoo:
                run = self._by_promptfoo(judge, on_result)
            else:
                run = self._by_us(judge, on_result, partial_folder, desk)
            return run if judge is None else run.model_copy(update={"judge": judge.record()})

    def _require_agent(self) -> None:
        if not self.agent.command:
            raise ConfigError("no agent is configured", hint="write `command` under [agent] in naoshi.toml")

    def _judge(self) -> OpenJudge | None:
        if not self.judge.model:
            return None
        from naoshi.evals.judging.open_judge import open_judge  # most suites have no judge, and need none of this

        return open_judge(
            self.judge, agent=self.agent, cases=self.cases, repository=self.repository, environment=os.environ
        )

    def _by_us(
        self,
        judge: OpenJudge | None,
        on_result: Callable[[CaseResult], None],
        partial_folder: Path | None,
        desk: AgentDesk | None,
    ) -> EvalRun:
        return run_cases(
            self.cases,
            agent=self.agent,
            folder=self.folder,
            version=self.version,
            suite=self.suite,
            environment=os.environ,
            data_root=self.data_root,
            clock=self.clock,
            judge=judge,
            judged_at_a_time=judge.workers if judge else 1,
            python=PythonCode(interpreter=self.evals.python, timeout=self.evals.python_timeout),
            on_answer=judge.see if judge else None,
            on_result=on_result,
            partial_folder=partial_folder,
            desk=desk,
        )

    def _by_promptfoo(self, judge: OpenJudge | None, on_result: Callable[[CaseResult], None]) -> EvalRun:
        # Only this runner needs the socket server and all of it.
        from naoshi.evals.promptfoo import find_promptfoo, run_with_promptfoo

        return run_with_promptfoo(
            self.cases,
            promptfoo=find_promptfoo(os.environ),
            agent=self.agent,
            folder=self.folder,
            version=self.version,
            suite=self.suite,
            environment=os.environ,
            data_root=self.data_root,
            clock=self.clock,
            judge=judge,
            python=self.evals.python,
            on_answer=judge.see if judge else None,
            on_result=on_result,
        )


@contextmanager
def first_agent(
    agent: AgentSettings, *, folder: Path, data_root: Path, version: str, runner: Runner, clock: Callable[[], datetime]
) -> Generator[AgentDesk | None]:
    """Start the first agent of an `Evaluation` to come, so that it comes up while the cases are read.

    It is asked nothing before the evaluation runs, and is ended in any case. The others start with the run, when it is
    known how many calls there are, and one that is coming up does not keep this process from reading. Yields None where
    it cannot be started, as the evaluation says in its turn, or where another runner starts its own.
    """
    try:
        desk = AgentDesk.of(
            agent, folder=folder, version=version, environment=os.environ, data_root=data_root, clock=clock
        )
    except ConfigError:
        desk = None
    if desk is None or runner is not Runner.native:
        yield None
        return
    with desk:
        try:
            desk.prepare(1)
        except MissingProgramError:
            yield None
            return
        yield desk
