"""`naoshi diagnose`, `handoff`, `repair` and `attempts`: from failing cases to a change that is proven."""

from typing import Annotated

import typer

from naoshi.ui.cli.options import HERE, AsJson, By, ChangeEngine, EngineName, Folder
from naoshi.ui.cli.output import Output


def add_to(app: typer.Typer) -> None:
    """Add these commands to *app*."""
    app.command("diagnose")(diagnose)
    app.command("handoff")(handoff)
    app.command("repair")(repair)
    app.command("attempts")(attempts)


def diagnose(
    engine: Annotated[
        EngineName | None,
        typer.Option(help="Who diagnoses: counting without a model, a model, or HALO; else as the settings say."),
    ] = None,
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Say why cases fail, ranked, with evidence.

    It is about the last run of the version in force. Every cited trace, case and file is looked up.
    """
    from naoshi.ui.cli.repair_show import diagnose_and_show, with_engine
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        out.result(diagnose_and_show(with_engine(loop, engine.value if engine else None), out))
    return 0


def handoff(folder: Folder = HERE, as_json: AsJson = False) -> int:
    """Write codex_handoff.md and task.md.

    They are for a coding agent that you start yourself, and need not be committed.
    """
    from naoshi.ui.cli.repair_show import hand_off_and_show
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        hand_off_and_show(loop, out)
    return 0


def repair(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show handoff, task and command, and start nothing.")
    ] = False,
    engine: Annotated[
        ChangeEngine | None,
        typer.Option(help="Who makes the change: the coding agent, or a search for a better prompt; else as set."),
    ] = None,
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Have the coding agent make a change.

    It works in a checkout of its own and tries until a change is certified or the attempts are used up: exit status 1
    then, and what failed needs a person. Stopped and started again, it goes on with the attempt that it was at. Your
    work tree is not touched.
    """
    from naoshi.ui.cli.repair_show import dry_run_and_show, repair_and_show, with_search
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as opened:
        loop = opened if engine is None else with_search(opened, use=engine is ChangeEngine.gepa)
        if dry_run:
            dry_run_and_show(loop, out)
            return 0
        return repair_and_show(loop, out)


def attempts(
    again: Annotated[
        str, typer.Option("--again", metavar="GROUP", help="Have this group that needs a person tried again, or `all`.")
    ] = "",
    by: By = "",
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Show all attempts of repairs, and what needs a person.

    A group of failures that no attempt could mend is left to people: no cycle takes it up before another case of it
    fails, or somebody says so with --again.
    """
    from naoshi.ui.cli.attempts_show import show_attempts, take_up_and_show
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        if again:
            take_up_and_show(loop, out, name=again, by=by)
        else:
            show_attempts(loop, out)
    return 0
