"""What happened in one asking or one turn, for people and programs that watch."""

from enum import StrEnum

from pydantic import AwareDatetime

from naoshi.records.base import Record
from naoshi.records.confirmation import Confirmation, Outcome, Reason, Turn


class EventKind(StrEnum):
    """What happened: an asking, a turn, a model's proposal, or a change of the rules' file."""

    asked = "asked"
    turn = "turn"
    proposal = "proposal"
    rules = "rules"


class ConfirmationEvent(Record):
    """One event for each asking, turn, proposal and change of rules. It holds no text of the person's.

    ``waited_seconds`` is the time from the latest asking to this turn, ``took_ms`` what the call itself took,
    ``reply_length`` the reply's characters. ``reasked`` says that the question asked had just been settled, and
    ``replaced_id`` names the question that an asking put aside. ``rule`` is the guard's rule that had the question
    asked, and ``approved`` whether what was chosen cannot be undone. ``fault`` says why a new version of the rules
    was not taken up; an event of rules belongs to no conversation.
    """

    kind: EventKind
    at: AwareDatetime
    conversation_id: str = ""
    confirmation_id: str | None = None
    fingerprint: str | None = None
    rules_version: str | None = None
    ask_count: int = 0
    expires_at: AwareDatetime | None = None
    outcome: Outcome | None = None
    reason: Reason | None = None
    choices: tuple[int, ...] = ()
    actor: str | None = None
    message_id: str | None = None
    reply_length: int = 0
    waited_seconds: float | None = None
    took_ms: float = 0.0
    replaced_id: str | None = None
    reasked: bool = False
    warnings: tuple[str, ...] = ()
    rule: str | None = None
    approved: bool | None = None
    fault: str | None = None


def asked_event(
    confirmation: Confirmation, *, took_ms: float, replaced_id: str | None, reasked: bool
) -> ConfirmationEvent:
    """Return the event of an asking."""
    return ConfirmationEvent(
        kind=EventKind.asked,
        at=confirmation.updated_at,
        conversation_id=confirmation.conversation_id,
        confirmation_id=confirmation.id,
        fingerprint=confirmation.fingerprint,
        rules_version=confirmation.rules_version,
        ask_count=confirmation.ask_count,
        expires_at=confirmation.expires_at,
        took_ms=took_ms,
        replaced_id=replaced_id,
        reasked=reasked,
        warnings=confirmation.warnings,
        rule=confirmation.rule,
    )


def turn_event(turn: Turn, *, took_ms: float, kind: EventKind = EventKind.turn) -> ConfirmationEvent:
    """Return the event of a turn, or of a proposal."""
    question = turn.confirmation
    decided = question is not None and question.rule is not None and turn.outcome is Outcome.resolved
    return ConfirmationEvent(
        kind=kind,
        at=turn.at,
        conversation_id=turn.conversation_id,
        confirmation_id=question.id if question else None,
        fingerprint=question.fingerprint if question else None,
        rules_version=question.rules_version if question else None,
        ask_count=question.ask_count if question else 0,
        outcome=turn.outcome,
        reason=turn.reason,
        choices=turn.choices,
        actor=turn.actor,
        message_id=turn.message_id,
        reply_length=len(turn.reply),
        waited_seconds=(turn.at - question.updated_at).total_seconds() if question else None,
        took_ms=took_ms,
        rule=question.rule if question else None,
        approved=bool(set(turn.choices) & set(question.irreversible)) if question and decided else None,
    )
