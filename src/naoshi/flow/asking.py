"""Putting a question to a person, once."""

from naoshi.flow.loop import Loop
from naoshi.flow.people import Question
from naoshi.records import Decision

_TRIES = 5


def ask(loop: Loop, question: Question) -> Decision | None:
    """Return the decision on *question*, asking whoever is there; None when nobody settles it now.

    A question that was decided is never asked again. One that stays open is pending in its conversation, where
    `naoshi triage` or `naoshi review` finds it.
    """
    known = loop.store.decisions.get(question.conversation_id)
    if known is not None:
        return known
    for asked in range(1, _TRIES + 1):
        loop.confirmations.ask(question.conversation_id, question.text, list(question.labels), action=question.kind)
        answer = loop.people.answer(question)
        if answer is None:
            return None
        turn = loop.confirmations.receive(question.conversation_id, answer.reply, actor=answer.actor)
        if turn.choice is None or turn.confirmation is None:
            loop.report(f"not settled ({turn.reason}): {answer.reply[:40]!r}")
            continue
        decision = Decision(
            decision_id=question.conversation_id,
            kind=question.kind,
            question=question.text,
            labels=question.labels,
            choice=turn.choice,
            proposed=question.proposed,
            reply=answer.reply[:200],
            actor=answer.actor,
            confirmation_id=turn.confirmation.id,
            asked=asked,
            decided_at=loop.clock(),
        )
        loop.store.decisions.add(decision)
        return decision
    return None
