"""`naoshi cycle` and `naoshi status`: all stages in order, and where things stand."""

import typer

from naoshi.ui.cli.options import HERE, AsJson, By, Folder
from naoshi.ui.cli.output import Output


def add_to(app: typer.Typer) -> None:
    """Add these commands to *app*."""
    app.command("status")(status)
    app.command("cycle")(cycle)


def cycle(folder: Folder = HERE, by: By = "", as_json: AsJson = False) -> int:
    """Go round once, from corrections to a release.

    Started again, it goes on where it stopped.
    Questions are asked at the terminal. Without one they stay open: exit status 3, answer them with `naoshi triage` or
    `naoshi review`, and run this again. Exit status 1 when the change was refused.
    """
    from naoshi.flow.cycle import open_workshop
    from naoshi.ui.cli.cycle_show import show_cycle
    from naoshi.ui.cli.session import durable_url, session, whoever_is_here

    out = Output(as_json=as_json)
    with (
        session(folder, out, people=whoever_is_here(folder, out, by=by)) as loop,
        open_workshop(loop, database_url=durable_url(folder)) as workshop,
    ):
        done = workshop.run_cycle()
        return show_cycle(loop, done, out)


def status(folder: Folder = HERE, as_json: AsJson = False) -> int:
    """Say where things stand and what to do next.

    That is the version in force, what there is, and what waits for a person. Looking changes nothing.
    """
    from naoshi.ui.cli.session import session
    from naoshi.ui.cli.status_show import show_status

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        show_status(loop, out)
    return 0
