"""`naoshi review`, `release`, `rollback` and `ledger`: what people decide, and what comes of it."""

from enum import StrEnum
from typing import Annotated

import typer

from naoshi.ui.cli.options import HERE, AnswerTo, AsJson, By, Folder, Listed
from naoshi.ui.cli.output import Output

Change = Annotated[str, typer.Option("--change", help="This change; without it the latest certified one.")]


class LedgerAct(StrEnum):
    """What to do with the ledger."""

    show = "show"
    verify = "verify"


def add_to(app: typer.Typer) -> None:
    """Add these commands to *app*."""
    app.command("review")(review)
    app.command("release")(release)
    app.command("rollback")(rollback)
    app.command("ledger")(ledger)


def review(
    change: Change = "",
    listed: Listed = False,
    answer: AnswerTo = None,
    by: By = "",
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Decide whether a change may be released.

    It has to have passed the gate. Exit status: 0 approved, 1 rejected, 3 while nobody has decided.
    """
    from naoshi.ui.cli.review_asking import answer_review, ask_review, list_review

    out = Output(as_json=as_json)
    if listed:
        return list_review(folder, out, change=change)
    if answer is not None:
        return answer_review(folder, out, change=change, question=answer[0], reply=answer[1], by=by)
    return ask_review(folder, out, change=change, by=by)


def release(change: Change = "", folder: Folder = HERE, as_json: AsJson = False) -> int:
    """Release the approved change.

    The branch goes forward to the very commit that was reviewed; a tag, a version and a ledger entry follow.
    """
    from naoshi.ui.cli.release_show import release_and_show
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        release_and_show(loop, out, change=change)
    return 0


def rollback(
    version: Annotated[
        str, typer.Argument(help="The version to go back to; without it the best one over the cases that both ran.")
    ] = "",
    reason: Annotated[str, typer.Option(help="Why; it stands in the ledger.")] = "",
    by: By = "",
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Restore an earlier version as a new one.

    Every case is run on it, and the ledger says so; history is never cut.
    """
    from naoshi.ui.cli.release_show import roll_back_and_show
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        roll_back_and_show(loop, out, name=version, reason=reason, by=by)
    return 0


def ledger(
    act: Annotated[LedgerAct, typer.Argument(help="Show the entries, or verify the chain.")] = LedgerAct.show,
    at_least: Annotated[int, typer.Option("--at-least", min=0, help="Verify also that there are so many entries.")] = 0,
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Show or verify the record of all decisions.

    Exit status 1 when an entry was altered, removed or put in; the first broken one is named.
    """
    from naoshi.ui.cli.release_show import show_ledger, verify_and_show
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        if act is LedgerAct.show:
            show_ledger(loop, out)
        else:
            verify_and_show(loop, out, at_least=at_least)
    return 0
