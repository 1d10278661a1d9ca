"""One message on its way in, and the turn that is made of it."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from naoshi.confirm.context import render_context
from naoshi.confirm.context_texts import Language
from naoshi.confirm.fingerprint import message_mark
from naoshi.records.confirmation import Confirmation, Outcome, Reason, Settlement, Turn


@dataclass(frozen=True, kw_only=True)
class Incoming:
    """One reply on its way in; its fields are those of `Confirmations.receive`."""

    conversation_id: str
    reply: str
    message_id: str | None
    actor: str | None
    in_reply_to: str | None
    now: datetime

    @cached_property
    def mark(self) -> str | None:
        """What stands for the message in the kept state, where the channel gave it an identifier."""
        return None if self.message_id is None else message_mark(self.message_id)


def make_turn(
    incoming: Incoming,
    outcome: Outcome,
    reason: Reason,
    *,
    confirmation: Confirmation | None = None,
    settlement: Settlement | None = None,
    language: Language | None = None,
) -> Turn:
    """Return the turn, with the text for the model."""
    choices = settlement.choices if settlement and outcome is Outcome.resolved else ()
    context = render_context(
        reason,
        now=incoming.now,
        reply=incoming.reply,
        confirmation=confirmation,
        settlement=settlement,
        language=language,
    )
    return Turn(
        conversation_id=incoming.conversation_id,
        outcome=outcome,
        reason=reason,
        choice=choices[0] if len(choices) == 1 else None,
        choices=choices,
        confirmation=confirmation,
        settlement=settlement,
        context=context,
        reply=incoming.reply,
        message_id=incoming.message_id,
        actor=incoming.actor,
        at=incoming.now,
    )
