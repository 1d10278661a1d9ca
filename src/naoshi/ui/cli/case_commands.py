"""`naoshi evals`: cases, and runs of them."""

from pathlib import Path
from typing import Annotated

import typer

from naoshi.errors import UsageError
from naoshi.ui.cli.options import HERE, AsJson, Folder, In, Runner, Scope
from naoshi.ui.cli.output import Output


def add_to(app: typer.Typer) -> None:
    """Add these commands to *app*."""
    evals = typer.Typer(help="Permanent cases: make, run and list them.", no_args_is_help=True)
    evals.command("mint")(mint)
    evals.command("run")(run)
    evals.command("report")(report)
    evals.command("list")(list_cases)
    evals.command("holdout")(holdout)
    app.add_typer(evals, name="evals")


def mint(folder: Folder = HERE, as_json: AsJson = False) -> int:
    """Make permanent cases of defects.

    A case must fail on the recorded output and pass on the corrected one; others are refused with a reason.
    """
    from naoshi.flow.steps.mint import mint_cases
    from naoshi.ui.cli.cases_show import show_minted
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        show_minted(loop, mint_cases(loop), out)
    return 0


def run(
    suite: Annotated[
        Path | None,
        typer.Argument(help="Run this suite alone, on the agent as it lies in the work tree, and store nothing."),
    ] = None,
    scope: Annotated[
        Scope, typer.Option("--suite", help="All cases, or those that cover every group within `smoke_seconds`.")
    ] = Scope.comprehensive,
    commit: Annotated[str, typer.Option(help="A commit, branch or tag; without it the version in force.")] = "",
    runner: Annotated[Runner, typer.Option(help="Who runs and grades the cases.")] = Runner.native,
    output: Annotated[
        Path | None, typer.Option(help="Also write the results to this .json or .jsonl file, in Promptfoo's shape.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Exit status 1 when a case does not pass.")] = False,
    allow_same_family: Annotated[
        bool,
        typer.Option("--allow-same-family", help="Let the judge grade a model of its own family; the run says so."),
    ] = False,
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Run every case on a version of the agent.

    That happens in a checkout of its own; your work tree is not touched. Of a run that was killed only what is missing
    is run again.
    """
    out = Output(as_json=as_json)
    if scope is Scope.smoke:
        return _run_smoke(
            folder, out, alone=suite is None and runner is Runner.native and not allow_same_family, commit=commit,
            output=output, check=check,
        )  # fmt: skip
    if suite is not None:
        from naoshi.ui.cli.suite_show import run_suite_and_show

        _on_the_work_tree(commit)
        passed = run_suite_and_show(
            suite, folder, out, runner=runner.value, output=output, allow_same_family=allow_same_family
        )
        return 0 if passed or not check else 1
    from naoshi.evals.runner import Runner as EvalRunner
    from naoshi.ui.cli.cases_show import run_and_show
    from naoshi.ui.cli.session import session

    with session(folder, out) as loop:
        if allow_same_family:
            from naoshi.ui.cli.judge_show import allowing_same_family

            loop = allowing_same_family(loop)
        passed = run_and_show(loop, out, commit=commit, runner=EvalRunner(runner.value), output=output)
    return 0 if passed or not check else 1


def _on_the_work_tree(commit: str) -> None:
    if commit:
        raise UsageError("a suite of its own is run on the work tree; leave --commit out")


def _run_smoke(folder: Path, out: Output, *, alone: bool, commit: str, output: Path | None, check: bool) -> int:
    from naoshi.ui.cli.session import session
    from naoshi.ui.cli.smoke_show import run_smoke_and_show

    if not alone:
        raise UsageError("the smoke suite is drawn from all suites and run natively; leave all else out")
    with session(folder, out) as loop:
        passed = run_smoke_and_show(loop, out, commit=commit, output=output)
    return 0 if passed or not check else 1


def holdout(folder: Folder = HERE, as_json: AsJson = False) -> int:
    """Show who asked the holdout, and what is left of its budget.

    Each time stands there with when and why. The lines stand in the ledger, which nothing can take back.
    """
    from naoshi.ui.cli.holdout_show import show_holdout
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        show_holdout(loop, out)
    return 0


def report(
    output: Annotated[
        Path | None, typer.Option(help="The file to write; without it `.naoshi/reports/evals.html`.")
    ] = None,
    language: In = None,
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Write all runs so far as one HTML page.

    Pass rates by category and version, every case by version, and the latest verdict with both outputs of each case
    that flipped. Cases of the holdout are counted and never shown. The page needs neither network nor scripts.
    """
    from naoshi.ui.cli.report_show import report_and_show
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        report_and_show(loop, out, output=output, language=language.value if language else loop.settings.language)
    return 0


def list_cases(folder: Folder = HERE, as_json: AsJson = False) -> int:
    """List the cases.

    Those of the holdout are counted and not shown.
    """
    from naoshi.ui.cli.cases_show import show_cases
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        show_cases(loop, out)
    return 0
