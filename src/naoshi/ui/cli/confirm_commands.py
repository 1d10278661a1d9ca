"""`naoshi confirm`: the questions of your agents, answered from a terminal, watched and counted."""

from pathlib import Path
from typing import Annotated

import typer

from naoshi.ui.cli.options import AsJson, Language
from naoshi.ui.cli.output import Output

State = Annotated[
    str,
    typer.Option(
        "--state",
        envvar="NAOSHI_CONFIRM_STATE",
        help="Where the agent keeps its confirmations: a folder, or the URL of a database.",
    ),
]
HERE = ".naoshi/confirmations"
Events = Annotated[
    Path | None, typer.Option("--events", help="The log of events; without it, the one beside the state.")
]
Actions = Annotated[
    Path | None, typer.Option("--actions", help="The guard's log of actions; without it, the one beside the state.")
]
In = Annotated[
    Language | None, typer.Option("--language", help="Tell it in this language, not in that of naoshi.toml here.")
]
By = Annotated[str, typer.Option("--by", help="Whose reply this is; without it, the name of the login.")]


def add_to(app: typer.Typer) -> None:
    """Add these commands to *app*."""
    confirm = typer.Typer(help="The questions of your agents: answer, watch and count them.", no_args_is_help=True)
    confirm.command("list")(list_questions)
    confirm.command("show")(show)
    confirm.command("reply")(reply)
    confirm.command("ask")(ask)
    confirm.command("stats")(stats)
    confirm.command("check")(check)
    confirm.command("what-if")(what_if)
    confirm.command("mine")(mine)
    confirm.command("chat", context_settings={"ignore_unknown_options": True})(chat)
    app.add_typer(confirm, name="confirm")


def list_questions(state: State = HERE, language: In = None, as_json: AsJson = False) -> int:
    """List the questions that wait for an answer."""
    from naoshi.ui.cli.confirm_show import list_open

    return list_open(state, Output(as_json=as_json), language=language)


def show(
    conversation: Annotated[str, typer.Argument(help="The conversation.")],
    state: State = HERE,
    language: In = None,
    as_json: AsJson = False,
) -> int:
    """Show what is kept of one conversation.

    That is the open question, the latest decision, and the uses of approvals.
    """
    from naoshi.ui.cli.confirm_show import show_conversation

    return show_conversation(state, conversation, Output(as_json=as_json), language=language)


def reply(
    conversation: Annotated[str, typer.Argument(help="The conversation.")],
    text: Annotated[str, typer.Argument(metavar="REPLY", help="What the person says, such as a number.")],
    by: By = "",
    message_id: Annotated[str, typer.Option(help="The message's identifier; the same one again counts once.")] = "",
    state: State = HERE,
    as_json: AsJson = False,
) -> int:
    """Give a person's reply to the open question.

    Exit status: 0 settled, 1 nothing was open, 3 not read as a choice and the question stays open. Keep this command
    out of the reach of the agent's own tools: who can run it can answer for the person.
    """
    from naoshi.ui.cli.confirm_show import give_reply

    return give_reply(state, conversation, text, Output(as_json=as_json), by=by, message_id=message_id)


def ask(
    conversation: Annotated[str, typer.Argument(help="The conversation.")],
    question: Annotated[str, typer.Argument(help="What is asked.")],
    labels: Annotated[
        list[str], typer.Argument(metavar="CHOICE...", help="The choices, in the order of their numbers.")
    ],
    letters: Annotated[bool, typer.Option("--letters", help="Mark the choices by letters.")] = False,
    hours: Annotated[float, typer.Option(min=0.001, max=87_600, help="How long it may be answered.")] = 12.0,
    state: State = HERE,
    as_json: AsJson = False,
) -> int:
    """Ask a numbered question; it takes the place of an open one."""
    from naoshi.ui.cli.confirm_show import put_question

    out = Output(as_json=as_json)
    return put_question(state, conversation, question, labels, out, letters=letters, hours=hours)


def stats(state: State = HERE, events: Events = None, language: In = None, as_json: AsJson = False) -> int:
    """Count how questions were answered, and how fast.

    Told too: how often the same was asked again, and all of it rule by rule.
    """
    from naoshi.ui.cli.confirm_figures import show_stats

    return show_stats(state, events, Output(as_json=as_json), language=language)


def check(
    every: Annotated[bool, typer.Option("--any", help="Exit status 1 for whatever is found.")] = False,
    state: State = HERE,
    events: Events = None,
    language: In = None,
    as_json: AsJson = False,
) -> int:
    """Look for confirmations that have quietly stopped working.

    Exit status 1 when a conversation asked again what was settled.
    """
    from naoshi.ui.cli.confirm_figures import show_check

    return show_check(state, events, Output(as_json=as_json), every=every, language=language)


def what_if(
    rules: Annotated[Path, typer.Option("--rules", help="A TOML file with other rules in its section [confirm].")],
    state: State = HERE,
    events: Events = None,
    actions: Actions = None,
    language: In = None,
    as_json: AsJson = False,
) -> int:
    """Say what other rules would have asked about past actions.

    Exit status 1 when they would have let through what a person refused.
    """
    from naoshi.ui.cli.confirm_figures import show_what_if

    return show_what_if(state, rules, events, actions, Output(as_json=as_json), language=language)


def mine(
    turns: Annotated[
        Path | None, typer.Option("--turns", help="The log of turns; without it, the one beside the state.")
    ] = None,
    rows: Annotated[
        Path | None, typer.Option("--rows", help="The table of readings that must not change; without it, Naoshi's.")
    ] = None,
    fewest: Annotated[int, typer.Option(min=1, help="In how many questions a reply must have been seen.")] = 2,
    state: State = HERE,
    language: In = None,
    as_json: AsJson = False,
) -> int:
    """List unread replies whose meaning became certain.

    They stand as rows that the grammar might get. Each is held against every row of the table; those that would change
    one are listed as such.
    """
    from naoshi.ui.cli.confirm_figures import show_mined

    return show_mined(state, turns, rows, Output(as_json=as_json), fewest=fewest, language=language)


def chat(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", help="The agent, and its arguments.")],
    by: By = "",
    state: State = HERE,
    language: In = None,
    as_json: AsJson = False,
) -> int:
    """Run an agent and answer its questions as they come.

    They may be of any conversation. What you type answers the question that is shown; whatever is not read as a choice
    goes on to the agent. The agent finds the state in NAOSHI_CONFIRM_STATE. Exit status: the agent's own, or 3 while a
    question stays open.
    """
    from naoshi.ui.cli.confirm_chat import run_chat

    return run_chat(state, command, Output(as_json=as_json), by=by, language=language)
