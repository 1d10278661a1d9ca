"""`naoshi judge`: how far the judge of rubrics agrees with people."""

from pathlib import Path
from typing import Annotated

import typer

from naoshi.ui.cli.options import HERE, AsJson, Folder, In
from naoshi.ui.cli.output import Output


def add_to(app: typer.Typer) -> None:
    """Add these commands to *app*."""
    group = typer.Typer(help="The model that grades rubrics, and whether it decides.", no_args_is_help=True)
    group.command("calibrate")(calibrate)
    group.command("show")(show)
    app.add_typer(group, name="judge")


def calibrate(
    labels: Annotated[Path, typer.Argument(help="A CSV file with the columns output, rubric, label (pass or fail).")],
    probes: Annotated[
        bool, typer.Option("--probes/--no-probes", help="Also look for biases, with four times as many questions.")
    ] = True,
    language: In = None,
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Hold the judge against people's labels; keep what comes out.

    Exit status 1 when the judge stays below the mark in [judge], so that it advises and does not decide.
    """
    from naoshi.ui.cli.judge_show import calibrate_and_show

    chosen = language.value if language else None
    return calibrate_and_show(labels, folder, Output(as_json=as_json), probes=probes, language=chosen)


def show(language: In = None, folder: Folder = HERE, as_json: AsJson = False) -> int:
    """Show the judge, what was measured of it, whether it decides.

    Exit status 1 when it only advises.
    """
    from naoshi.ui.cli.judge_show import show_judge

    return show_judge(folder, Output(as_json=as_json), language=language.value if language else None)
