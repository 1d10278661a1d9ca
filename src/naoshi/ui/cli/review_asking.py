"""The review on the command line: asked at the terminal, listed, or answered without one."""

import sys
from dataclasses import replace
from pathlib import Path

from naoshi.errors import ChangeRefusedError, NotFoundError, WaitingError
from naoshi.flow.certified import CertifiedChange, certified_change
from naoshi.flow.loop import Loop
from naoshi.flow.people import People
from naoshi.flow.steps.review import review
from naoshi.records import Review, ReviewDecision, VerdictOutcome
from naoshi.release.review import next_reviewer
from naoshi.ui.cli.asked import Listener, OneAnswer, meant_question, show_questions
from naoshi.ui.cli.output import Output
from naoshi.ui.cli.session import actor_of, session, whoever_is_here


def ask_review(folder: Path, out: Output, *, change: str, by: str) -> int:
    """Ask whoever is at the terminal about the change; return 0 approved, 1 rejected, 3 still open."""
    with session(folder, out, people=whoever_is_here(folder, out, by=by)) as loop:
        candidate = _candidate(loop, change)
        _say_whose_turn(loop, out)
        found = _reviewed(loop, candidate)
        if found is None:
            hint = "answer at a terminal, or see `naoshi review --list` and answer with `--answer`"
            told = WaitingError(f"change {candidate.change.change_id} waits for a review", hint=hint)
            print(told.line(), file=sys.stderr)
            out.result({"review": None, "change": candidate.change.change_id})
            return WaitingError.exit_status
        return _show(found, out)


def list_review(folder: Path, out: Output, *, change: str) -> int:
    """Show the open question about the change with its identifier."""
    listener = Listener()
    with session(folder, out, people=listener) as loop:
        found = _reviewed(loop, _candidate(loop, change))
        show_questions(listener.heard, out)
        if found is not None:
            out.say(f"no question is open: {found.reviewer} {found.decision.value} {found.change_id}")
        out.result({"questions": listener.heard})
    return 0


def answer_review(folder: Path, out: Output, *, change: str, question: str, reply: str, by: str) -> int:
    """Answer the open question; return 0 approved, 1 rejected, 3 when the answer asked to see more.

    Raises:
        InputError: the reply is not the number of a choice.
        NotFoundError: there is no such question.
    """
    with session(folder, out) as loop:
        candidate = _candidate(loop, change)
        listener = Listener()
        _reviewed(_asking(loop, listener), candidate)
        meant = meant_question(loop, (item.conversation_id for item in listener.heard), question)
        person = OneAnswer(question_id=meant, reply=reply, actor=actor_of(loop, by))
        found = _reviewed(_asking(loop, person), candidate)
        person.decision(loop)
        if found is not None:
            return _show(found, out)
        show_questions(person.heard, out)
        out.result({"questions": person.heard})
        return WaitingError.exit_status


def _candidate(loop: Loop, name: str) -> CertifiedChange:
    candidate = certified_change(loop, name)
    verdict = candidate.verdict
    if verdict is None:
        told = f"the gate has not judged change {candidate.change.change_id} yet"
        raise NotFoundError(told, hint="run `naoshi gate` first")
    if verdict.outcome is not VerdictOutcome.pass_:
        told = f"the gate says {verdict.outcome.value} of change {candidate.change.change_id}"
        raise ChangeRefusedError(told, hint="see `naoshi gate`; make another with `naoshi repair`")
    return candidate


def _reviewed(loop: Loop, candidate: CertifiedChange) -> Review | None:
    if candidate.verdict is None:
        return None
    return review(loop, candidate.change, candidate.certificate, candidate.verdict)


def _asking(loop: Loop, people: People) -> Loop:
    return replace(loop, people=people)


def _say_whose_turn(loop: Loop, out: Output) -> None:
    name = next_reviewer(loop.settings.review, loop.store.reviews.find())
    if name is not None:
        out.say(f"it is {name}'s turn to review")


def _show(found: Review, out: Output) -> int:
    approved = found.decision is ReviewDecision.approved
    out.say(f"{found.reviewer} {found.decision.value} {found.change_id}")
    if approved:
        out.say("next: naoshi release")
    out.result({"review": found})
    return 0 if approved else 1
