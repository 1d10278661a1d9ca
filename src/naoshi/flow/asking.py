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
    settled = loop.confirmations.settled(question.conversation_id)
    if settled is not None and settled.choices:
        # Answered by a process that died before it could note the decision.
        return _keep(loop, question, settled.choices[0], settled.actor or "unknown", settled.confirmation.id, "", 1)
    for asked in range(1, _TRIES + 1):
        loop.confirmations.ask(question.conversation_id, question.text, list(question.labels), action=question.kind)
        answer = loop.people.answer(question)
        if answer is None:
            return None
        turn = loop.confirmations.receive(question.conversation_id, answer.reply, actor=answer.actor)
        if turn.choice is None or turn.confirmation is None:
            loop.report(f"not settled ({turn.reason}): {answer.reply[:40]!r}")
            continue
        return _keep(loop, question, turn.choice, answer.actor, turn.confirmation.id, answer.reply, asked)
    return None


def _keep(
    loop: Loop, question: Question, choice: int, actor: str, confirmation_id: str, reply: str, asked: int
) -> Decision:
    decision = Decision(
        decision_id=question.conversation_id,
        kind=question.kind,
        question=question.text,
        labels=question.labels,
        choice=choice,
        proposed=question.proposed,
        reply=reply[:200],
        actor=actor,
        confirmation_id=confirmation_id,
        asked=asked,
        decided_at=loop.clock(),
    )
    loop.store.decisions.add(decision)
    return decision
