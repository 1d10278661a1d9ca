"""`naoshi halo`: the diagnosis of HALO, a program in an environment of its own."""

import os
from typing import Annotated

import typer

from naoshi.ui.cli.options import HERE, AsJson, Folder
from naoshi.ui.cli.output import Output


def add_to(app: typer.Typer) -> None:
    """Add these commands to *app*."""
    group = typer.Typer(help="Diagnose with HALO.", no_args_is_help=True)
    group.command("install")(install)
    group.command("run")(run)
    app.add_typer(group, name="halo")


def install(folder: Folder = HERE, as_json: AsJson = False) -> int:
    """Install HALO, once for all repositories.

    It gets an environment of its own for Python 3.12, as [repair.halo] says: it needs other releases of what Naoshi
    uses. To look into the harness it searches with ripgrep, which has to come from the system.
    """
    from naoshi.app.settings import CONFIG_NAME, read_settings
    from naoshi.repair.engines.halo_program import HaloProgram
    from naoshi.system.git import Git

    out = Output(as_json=as_json)
    settings = read_settings(Git.at(folder).folder / CONFIG_NAME).repair.halo
    program = HaloProgram(settings=settings, environment=os.environ)
    place = program.install(report=out.progress)
    out.say(f"HALO {settings.version} is in {place}")
    if not program.has_ripgrep():
        out.say("ripgrep (rg) is missing: HALO can do without, and will not look into the harness by itself")
    out.result({"folder": str(place), "version": settings.version, "ripgrep": program.has_ripgrep()})
    return 0


def run(
    base_url: Annotated[str, typer.Option("--base-url", help="Address of a Responses API, else as set.")] = "",
    model: Annotated[str, typer.Option("--model", help="The model to ask, else as set.")] = "",
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Have HALO diagnose the runs, and look up what it cites.

    It gets runs, feedback, cases, results and harness. Export, report and log of each version are kept in .naoshi/halo.
    """
    from naoshi.ui.cli.repair_show import diagnose_and_show, with_engine
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        chosen = with_engine(loop, "halo", base_url=base_url, model=model)
        out.result(diagnose_and_show(chosen, out))
        out.say(f"report, export and log are in {loop.state / 'halo'}")
    return 0
