"""The review of flaky cases on the command line: asked at the terminal, listed, or answered one by one."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from naoshi.errors import WaitingError
from naoshi.flow.case_review import CaseDecision, CaseQuestion, review_again, review_cases
from naoshi.flow.loop import Loop
from naoshi.flow.quarantine import quarantine_flaky
from naoshi.ui.cli.asked import Listener, OneAnswer, meant_question, show_questions
from naoshi.ui.cli.output import Output, counted
from naoshi.ui.cli.session import actor_of, session, whoever_is_here


def ask_cases(folder: Path, out: Output, *, again: str, by: str) -> int:
    """Ask whoever is at the terminal about every flaky case; return 3 while some questions stay open."""
    with session(folder, out, people=whoever_is_here(folder, out, by=by)) as loop:
        made, unanswered = _reviewed(loop, again)
        _show(made, len(unanswered), out)
        if unanswered:
            hint = "answer at a terminal, or see `naoshi cases review --list` and answer with `--answer`"
            print(WaitingError(f"{counted(len(unanswered), 'question')} open", hint=hint).line(), file=sys.stderr)
            return WaitingError.exit_status
    return 0


def list_case_questions(folder: Path, out: Output, *, again: str) -> int:
    """Show the open questions with their identifiers."""
    listener = Listener()
    with session(folder, out, people=listener) as loop:
        _reviewed(loop, again)
        show_questions(listener.heard, out)
        if not listener.heard:
            out.say("no question is open")
        out.result({"questions": listener.heard})
    return 0


def answer_case(folder: Path, out: Output, *, question: str, reply: str, again: str, by: str) -> int:
    """Answer one open question.

    Raises:
        InputError: the reply is not the number of a choice.
        NotFoundError: there is no such question.
    """
    with session(folder, out) as loop:
        listener = Listener()
        _reviewed(replace(loop, people=listener), again)
        meant = meant_question(loop, (item.conversation_id for item in listener.heard), question)
        person = OneAnswer(question_id=meant, reply=reply, actor=actor_of(loop, by))
        made, unanswered = _reviewed(replace(loop, people=person), again)
        person.decision(loop)
        _show(made, len(unanswered), out)
    return 0


def _reviewed(loop: Loop, again: str) -> tuple[Sequence[CaseDecision], Sequence[CaseQuestion]]:
    if not again:
        quarantine_flaky(loop)
        return review_cases(loop)
    found = review_again(loop, again)
    return ((found,), ()) if isinstance(found, CaseDecision) else ((), (found,))


def _show(made: Sequence[CaseDecision], still_open: int, out: Output) -> None:
    for item in made:
        out.say(f"{item.case.case_id}: {item.standing.value.replace('_', ' ')}, by {item.actor}")
    out.say(f"{counted(len(made), 'case')} decided; {counted(still_open, 'question')} open")
    out.result(
        {
            "decided": [
                {"case_id": item.case.case_id, "standing": item.standing.value, "by": item.actor} for item in made
            ],
            "open": still_open,
        }
    )
