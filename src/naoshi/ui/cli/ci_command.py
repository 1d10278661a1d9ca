"""`naoshi ci`: the gate in a pipeline, on what the repository has."""

from pathlib import Path
from typing import Annotated

import typer

from naoshi.ui.cli.options import HERE, AsJson, Folder, Scope
from naoshi.ui.cli.output import Output


def add_to(app: typer.Typer) -> None:
    """Add the command to *app*."""
    app.command("ci")(ci)


def ci(
    scope: Annotated[
        Scope, typer.Option("--suite", help="What to run: all cases, or those that cover every group quickly.")
    ] = Scope.smoke,
    baseline: Annotated[
        Path | None, typer.Option(help="The baseline's file; without it `baseline.json` beside the suites.")
    ] = None,
    ref: Annotated[
        str,
        typer.Option(
            "--from", help="Take the baseline, [gate] and the judge's marks as this commit or branch has them."
        ),
    ] = "",
    keep: Annotated[
        bool, typer.Option("--keep", help="Run all cases and keep them as the baseline, instead of judging.")
    ] = False,
    junit: Annotated[Path | None, typer.Option(help="Also write JUnit XML to this file.")] = None,
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Hold the work tree against the kept baseline, in a pipeline.

    It needs what is committed and nothing else. The holdout is never asked. A smoke run is for changes on their way;
    it never stands for the run of all cases that a release needs. On GitHub a summary is added to the page of the run.
    Exit status: 0 pass, 1 regression, 3 inconclusive, 4 incomparable.
    """
    from naoshi.ui.cli.ci_show import judge_and_show, keep_and_show

    out = Output(as_json=as_json)
    if keep:
        return keep_and_show(folder, out, path=baseline, judges=bool(ref) or junit is not None)
    return judge_and_show(folder, out, smoke=scope is Scope.smoke, path=baseline, ref=ref, junit=junit)
