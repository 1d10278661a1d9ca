"""`naoshi propose`: a certified change becomes a pull request."""

from typing import Annotated

import typer

from naoshi.ui.cli.options import HERE, AsJson, By, Folder
from naoshi.ui.cli.output import Output


def add_to(app: typer.Typer) -> None:
    """Add the command to *app*."""
    app.command("propose")(propose)


def propose(
    change: Annotated[str, typer.Option("--change", help="This change; without it the latest certified one.")] = "",
    branch_only: Annotated[
        bool, typer.Option("--branch-only", help="Make the branch here, and open no pull request.")
    ] = False,
    by: By = "",
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Open a pull request with a certified change.

    Its branch has one commit, which cites the failures, the cases and the certificate, and is pushed; GitHub's `gh`
    opens the pull request with the certificate as its text. Run again, it finds what is there and makes no second one.
    """
    from naoshi.ui.cli.propose_show import propose_and_show, propose_branch_and_show
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        if branch_only:
            propose_branch_and_show(loop, out, change=change)
        else:
            propose_and_show(loop, out, change=change, by=by)
    return 0
