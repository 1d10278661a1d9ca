"""Cases and runs, made and shown to people."""

from pathlib import Path

from naoshi.errors import NotFoundError
from naoshi.evals.promptfoo.results_writer import write_results
from naoshi.evals.runner import Runner
from naoshi.flow.answers import require_some_answer
from naoshi.flow.evaluate import ALL_SPLITS, evaluate_commit
from naoshi.flow.loop import Loop
from naoshi.flow.steps.mint import Minted
from naoshi.flow.steps.run import run_present
from naoshi.flow.suites import judged_cases, load_suites
from naoshi.flow.versions import main_branch
from naoshi.records import EvalRun, ResultState, Split
from naoshi.ui.cli.output import Output, counted, one_line
from naoshi.ui.cli.run_show import show_run
from naoshi.ui.cli.set_aside_show import show_set_aside

_SHOWN = 10


def show_minted(loop: Loop, minted: Minted, out: Output) -> None:
    """Show how many cases were made of which splits, and why others were not."""
    splits = {split: sum(case.split is split for case in minted.added) for split in Split}
    told = ", ".join(f"{split.value} {count}" for split, count in splits.items() if count)
    out.say(f"{counted(len(minted.added), 'new case')}" + (f" ({told})" if told else ""))
    if minted.duplicates:
        out.say(f"{counted(minted.duplicates, 'duplicate')} merged")
    out.say(*(f"no case: {one_line(reason)}" for reason in minted.refused[:_SHOWN]))
    out.say(*(f"contradiction: {one_line(item.reason)}" for item in minted.contradictions[:_SHOWN]))
    if not minted.added and not loop.store.triages.count():
        out.say("no correction has been triaged yet: naoshi triage")
    out.result(minted)


def run_and_show(
    loop: Loop, out: Output, *, commit: str, runner: Runner = Runner.native, output: Path | None = None
) -> bool:
    """Run every case on *commit* (the version in force where it is empty) and return whether all passed.

    The results are also written to *output*, in the shape of Promptfoo's.

    Raises:
        NotFoundError: there is no case.
        AgentError: the agent answered nothing at all.
    """
    cases = judged_cases(loop)
    if not cases:
        raise NotFoundError("there is no case yet", hint="make cases with `naoshi evals mint`")
    native = runner is Runner.native
    run = run_present(loop) if native and not commit else _run(loop, commit, runner)
    if output is not None:
        write_results(output, run, cases)
    require_some_answer(loop, run, cases)
    show_run(run, out)
    show_set_aside(loop, run, out)
    out.result(run)
    return run.counts()[ResultState.pass_] == len(run.results)


def _run(loop: Loop, name: str, runner: Runner) -> EvalRun:
    commit = loop.git.commit_of(name or f"refs/heads/{main_branch(loop)}")
    known = [version.name for version in loop.store.versions.find() if version.commit == commit]
    version = known[-1] if known else commit[:12]
    # The gate compares runs of one runner, so that another one's are kept apart.
    suite = ALL_SPLITS if runner is Runner.native else f"{ALL_SPLITS} with {runner.value}"
    return evaluate_commit(loop, commit, version=version, cases=judged_cases(loop), suite=suite, runner=runner)


def show_cases(loop: Loop, out: Output) -> None:
    """List the cases by suite; the holdout is only counted."""
    suites = load_suites(loop)
    if not suites:
        out.say("there is no case yet: naoshi evals mint")
    for suite in suites:
        out.say(f"{suite.path}: {counted(len(suite.cases), 'case')}")
        shown = [case for case in suite.cases if case.split is not Split.holdout]
        out.table(
            ("case", "category", "description"),
            [(case.case_id, case.category, one_line(case.description, most=90)) for case in shown],
        ) if shown else None
    out.result(
        {
            "suites": [
                {
                    "path": suite.path,
                    "count": len(suite.cases),
                    "cases": [case for case in suite.cases if case.split is not Split.holdout],
                }
                for suite in suites
            ]
        }
    )
