"""`naoshi demo`: an agent gets measurably better from people's corrections, on this machine alone."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from naoshi.ui.cli.options import AsJson, Language
from naoshi.ui.cli.output import Output

WORKSPACE = Path("demo-workspace")


class Switch(StrEnum):
    """Whether something is on."""

    on = "on"
    off = "off"


def add_to(app: typer.Typer) -> None:
    """Add this command to *app*."""
    app.command("demo")(demo)


def demo(
    documents: Annotated[
        Path | None, typer.Option(help="Real receipts (box/*.csv, key/*.json) instead of generated ones.")
    ] = None,
    holdout: Annotated[
        Path | None, typer.Option(help="Receipts that are only ever scored; else a third is set aside.")
    ] = None,
    cycles: Annotated[int, typer.Option(min=1, help="How many times to go round.")] = 6,
    noise: Annotated[float, typer.Option(min=0, max=1, help="The share of corrections that are wrong.")] = 0.2,
    seed: Annotated[int, typer.Option(help="The seed of documents, people and noise.")] = 1,
    triage: Annotated[Switch, typer.Option(help="off believes every correction, for comparison.")] = Switch.on,
    compare: Annotated[bool, typer.Option("--compare", help="Run the loop with and without triage.")] = False,
    interactive: Annotated[bool, typer.Option("--interactive", help="Ask you instead of scripted people.")] = False,
    workspace: Annotated[Path, typer.Option(help="The folder that it happens in; it is made anew.")] = WORKSPACE,
    language: Annotated[Language, typer.Option(help="The language of questions, report and table.")] = Language.en,
    as_json: AsJson = False,
) -> int:
    """Watch an agent get better from corrections.

    It happens on this machine alone, offline and without a model, in about a minute.
    """
    from naoshi.demo.run import DemoSettings
    from naoshi.ui.cli.demo_show import show_demo

    settings = DemoSettings(
        workspace=workspace,
        documents=documents,
        holdout=holdout,
        cycles=cycles,
        noise=noise,
        seed=seed,
        triage=triage is Switch.on,
        language=language.value,
    )
    out = Output(as_json=as_json)
    out.result(show_demo(settings, out, interactive=interactive, compare=compare))
    return 0
