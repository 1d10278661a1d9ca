"""One suite on the agent as it lies in the work tree, run and shown; nothing is stored."""

import gc
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from naoshi.app.eval_settings import SuiteSettings, read_eval_settings
from naoshi.errors import SuiteError
from naoshi.evals.agent_worker import utc_now
from naoshi.evals.evaluation import Evaluation, first_agent
from naoshi.evals.runner import Runner, told_progress
from naoshi.evals.suite_load import load_suite
from naoshi.records.eval_case import EvalCase, Split
from naoshi.records.eval_run import ResultState
from naoshi.system.git import Git
from naoshi.ui.cli.output import Output
from naoshi.ui.cli.run_show import show_run

_WORK_TREE = "work tree"
_SELDOM = 500_000


def run_suite_and_show(
    path: Path, folder: Path, out: Output, *, runner: str, output: Path | None, allow_same_family: bool = False
) -> bool:
    """Run the suite at *path* with the settings of the repository of *folder*; return whether every case passed.

    Raises:
        SuiteError: it cannot be read, or has no case.
        HoldoutBudgetError: it has cases of the holdout, which was asked often enough.
        ConfigError: naoshi.toml is missing or wrong, or names no agent.
        RepositoryError: *folder* lies in no git repository.
    """
    with _little_collection():
        return _run_and_show(path, folder, out, runner=runner, output=output, allow_same_family=allow_same_family)


def _run_and_show(
    path: Path, folder: Path, out: Output, *, runner: str, output: Path | None, allow_same_family: bool
) -> bool:
    git = Git.at(folder)
    settings = read_eval_settings(git.folder)
    if allow_same_family:
        judge = settings.judge.model_copy(update={"allow_same_family": True})
        settings = settings.model_copy(update={"judge": judge})
    data_root = (git.folder / settings.agent.data_root).resolve()
    with first_agent(
        settings.agent, folder=git.folder, data_root=data_root, version=_WORK_TREE, runner=Runner(runner), clock=utc_now
    ) as desk:
        suite = load_suite(path, root=git.folder, settings=settings.evals)
        if not suite.cases:
            raise SuiteError(f"{suite.path} has no test", hint="an empty suite shows nothing, so that it never passes")
        evaluation = Evaluation(
            cases=suite.cases,
            agent=settings.agent,
            evals=settings.evals,
            judge=settings.judge,
            repository=git.folder,
            folder=git.folder,
            data_root=data_root,
            version=_WORK_TREE,
            suite=suite.name,
            runner=Runner(runner),
            clock=utc_now,
        )
        # What is refused has seen nothing, and may not cost the holdout anything.
        evaluation.require_runnable()
        _enter_holdout(git, settings, suite.cases)
        run = evaluation.run(on_result=told_progress(out.passing, suite.path, len(suite.cases)), desk=desk)
        if output is not None:
            # Most runs write no file.
            from naoshi.evals.promptfoo.results_writer import write_results

            write_results(output, run, suite.cases)
        show_run(run, out)
    out.result(run)
    return run.counts()[ResultState.pass_] == len(run.results)


def _enter_holdout(git: Git, settings: SuiteSettings, cases: Sequence[EvalCase]) -> None:
    """Enter into the ledger that cases of the holdout are run, wherever the file with them lies."""
    kept = settings.evals.suite_path(Split.holdout, repository=git.folder, state=git.folder / ".naoshi")
    mine = [case for case in cases if case.split is Split.holdout]
    if not mine or not kept.is_file():
        return
    known = {case.content_hash for case in load_suite(kept, root=git.folder, settings=settings.evals).cases}
    asked = [case for case in mine if case.content_hash in known]
    if asked:
        # The store takes half a second to load, and hardly any suite needs it.
        from naoshi.app.build import open_loop
        from naoshi.flow.holdout import enter_holdout_query

        with open_loop(git.folder) as loop:
            enter_holdout_query(loop, asked, commit=_WORK_TREE, why="a suite of its own, by hand")


@contextmanager
def _little_collection() -> Generator[None]:
    """Look for garbage seldom: cases and results live to the end, and looking through them is a third of the time."""
    usual = gc.get_threshold()
    gc.set_threshold(_SELDOM)
    try:
        yield
    finally:
        # What lives on by now is old: it need not be looked through only because the threshold falls.
        gc.freeze()
        gc.unfreeze()
        gc.set_threshold(*usual)
