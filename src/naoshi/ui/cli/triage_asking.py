"""Triage on the command line: asked at the terminal, listed, or answered one by one."""

import sys
from dataclasses import replace
from pathlib import Path

from naoshi.errors import WaitingError
from naoshi.flow.standing import unanswered_questions
from naoshi.flow.steps.triage import Triaged, triage
from naoshi.records import TriageClass
from naoshi.ui.cli.asked import Listener, OneAnswer, meant_question, show_questions
from naoshi.ui.cli.output import Output, counted
from naoshi.ui.cli.session import actor_of, session, whoever_is_here


def ask_triage(folder: Path, out: Output, *, by: str) -> int:
    """Ask whoever is at the terminal about every open question; return 3 while some stay open."""
    with session(folder, out, people=whoever_is_here(folder, out, by=by)) as loop:
        done = triage(loop)
        _show(done, out)
        if done.open:
            hint = "answer at a terminal, or see `naoshi triage --list` and answer with `--answer`"
            print(WaitingError(f"{counted(len(done.open), 'question')} open", hint=hint).line(), file=sys.stderr)
            return WaitingError.exit_status
    return 0


def list_triage(folder: Path, out: Output) -> int:
    """Show the open questions with their identifiers."""
    listener = Listener()
    with session(folder, out, people=listener) as loop:
        triage(loop)
        show_questions(listener.heard, out)
        if not listener.heard:
            out.say("no question is open")
        out.result({"questions": listener.heard})
    return 0


def answer_triage(folder: Path, out: Output, *, question: str, reply: str, by: str) -> int:
    """Answer one open question.

    Raises:
        InputError: the reply is not the number of a choice.
        NotFoundError: there is no such question.
    """
    with session(folder, out) as loop:
        meant = meant_question(loop, (item.conversation_id for item in unanswered_questions(loop)), question)
        person = OneAnswer(question_id=meant, reply=reply, actor=actor_of(loop, by))
        done = triage(replace(loop, people=person))
        decision = person.decision(loop)
        out.say(f"{meant}: {decision.labels[decision.choice - 1]}")
        _show(done, out)
    return 0


def _show(done: Triaged, out: Output) -> None:
    defects = sum(item.decision is TriageClass.defect for item in done.triages)
    out.say(
        f"{counted(len(done.triages), 'correction')} decided, {defects} of them defects; "
        f"{counted(len(done.open), 'question')} open"
    )
    out.result({"triages": done.triages, "open": [item.conversation_id for item in done.open]})
