"""`naoshi cases`: what is in the suites, where it comes from, and whether it can be relied on."""

from typing import Annotated

import typer

from naoshi.ui.cli.options import HERE, AnswerTo, AsJson, By, Folder, Listed
from naoshi.ui.cli.output import Output


def add_to(app: typer.Typer) -> None:
    """Add these commands to *app*."""
    cases = typer.Typer(help="Cases one by one: their age, health and origin.", no_args_is_help=True)
    cases.command("list")(list_health)
    cases.command("show")(show)
    cases.command("check")(check)
    cases.command("review")(review)
    app.add_typer(cases, name="cases")


def list_health(folder: Folder = HERE, as_json: AsJson = False) -> int:
    """List the cases with their age, last failure and flips.

    A flip is another result in an identical run: same commit, same suite, same grading. Cases of the holdout are
    counted; they are listed only where they have no say in the gate. Below stand the pass rates of the version in
    force, by case and by source.
    """
    from naoshi.ui.cli.health_show import show_health
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        show_health(loop, out)
    return 0


def show(
    case: Annotated[str, typer.Argument(help="The case's identifier, or its beginning.")],
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Show where a case comes from, back to correction and trace.

    Its suite, its triage and its failure groups are named on the way. Exit status 1 when a link is broken. What a case
    of the holdout asks is not shown.
    """
    from naoshi.ui.cli.lineage_show import show_lineage
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        return show_lineage(loop, case, out)


def check(
    strict: Annotated[bool, typer.Option("--strict", help="Exit status 1 for near-duplicates too.")] = False,
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Find cases that contradict each other or are nearly the same.

    Exit status 1 when there is a contradiction. Nothing is changed.
    """
    from naoshi.ui.cli.case_check_show import check_and_show
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        return check_and_show(loop, out, strict=strict)


def review(
    listed: Listed = False,
    answer: AnswerTo = None,
    again: Annotated[str, typer.Option("--again", help="Ask again about this case, whatever was decided.")] = "",
    by: By = "",
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Decide what becomes of flaky cases: keep, fix or retire.

    Questions are asked at the terminal, or answered one by one with --answer. Exit status 3 while some are open.
    """
    from naoshi.ui.cli.case_asking import answer_case, ask_cases, list_case_questions

    out = Output(as_json=as_json)
    if listed:
        return list_case_questions(folder, out, again=again)
    if answer is not None:
        return answer_case(folder, out, question=answer[0], reply=answer[1], again=again, by=by)
    return ask_cases(folder, out, again=again, by=by)
