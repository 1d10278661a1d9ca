"""A model's reading of what a person wrote, checked by code before it decides anything."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from naoshi.confirm.confirmation_store import ConfirmationStore
from naoshi.confirm.context_texts import Language
from naoshi.confirm.fingerprint import loosely
from naoshi.confirm.intake import ATTEMPTS
from naoshi.confirm.turn_making import Incoming, make_turn
from naoshi.errors import StoreError
from naoshi.records.confirmation import Confirmation, ConversationState, Outcome, Reason, Settlement, Turn

# What a person wrote that was left to reading. Silence, a repeated delivery and a broken store say nothing.
_READABLE = frozenset(
    {Reason.free_text, Reason.too_long, Reason.out_of_range, Reason.ambiguous, Reason.escape, Reason.stale}
)


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """The choices that a model read in the message of *turn*, made at *now*."""

    turn: Turn
    choices: tuple[int, ...]
    now: datetime

    @classmethod
    def made(cls, turn: Turn, choice: int | Sequence[int], *, now: datetime) -> "Proposal":
        """Return the proposal; *choice* is what the model said, and may be anything."""
        choices = list(choice) if isinstance(choice, list | tuple) else [choice]
        plain = all(type(item) is int for item in choices)
        return cls(turn=turn, choices=tuple(sorted(set(choices))) if plain else (), now=now)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Weighing:
    """Weighs proposals. Its fields are those of `Confirmations`."""

    store: ConfirmationStore
    ttl: timedelta
    language: Language | None

    def weigh(self, proposal: Proposal) -> Turn:
        """Return what *proposal* did, once it is done durably.

        Raises:
            StoreError: the state cannot be read or written.
        """
        for _ in range(ATTEMPTS):
            state = self.store.get(proposal.turn.conversation_id)
            state = state or ConversationState(conversation_id=proposal.turn.conversation_id)
            turn = self._attempt(proposal, state)
            if turn is not None:
                return turn
        raise StoreError("the conversation's state changes without end")

    def _attempt(self, proposal: Proposal, state: ConversationState) -> Turn | None:
        read, pending = proposal.turn, state.pending
        if read.confirmation is None or read.outcome is not Outcome.unresolved or read.reason not in _READABLE:
            return self.unchanged(proposal, read.reason, read.confirmation)
        if pending is None or pending.id != read.confirmation.id:
            return self._too_late(proposal, state, read.confirmation)
        if pending.is_expired(now=proposal.now):
            return self.unchanged(proposal, Reason.expired, pending)
        if loosely(pending.question) != loosely(read.confirmation.question):
            return self.unchanged(proposal, Reason.stale, pending)
        places = range(1, len(pending.choices) + 1)
        if not proposal.choices or not set(proposal.choices) <= set(places):
            return self.unchanged(proposal, Reason.out_of_range, pending)
        if len(proposal.choices) > 1 and not pending.multiple:
            return self.unchanged(proposal, Reason.ambiguous, pending)
        if set(proposal.choices) & set(pending.irreversible):
            return self._echo(proposal, state, pending)
        return self._settle(proposal, pending)

    def _echo(self, proposal: Proposal, state: ConversationState, pending: Confirmation) -> Turn | None:
        if pending.echoed is not None:
            return self.unchanged(proposal, proposal.turn.reason, pending)
        now = max(proposal.now, pending.updated_at)
        asked = pending.model_copy(
            update={
                "echoed": next(item for item in proposal.choices if item in pending.irreversible),
                "ask_count": pending.ask_count + 1,
                "updated_at": now,
                "expires_at": max(pending.expires_at, now + self.ttl),
            }
        )
        following = state.model_copy(update={"pending": asked, "revision": state.revision + 1})
        if not self.store.save(following, after=state.revision):
            return None
        return self.unchanged(proposal, Reason.echoed, asked)

    def _settle(self, proposal: Proposal, pending: Confirmation) -> Turn | None:
        incoming = _again(proposal)
        settlement = Settlement(
            confirmation=pending,
            choices=proposal.choices,
            actor=incoming.actor,
            message_mark=incoming.mark,
            at=proposal.now,
        )
        if not self.store.clear(pending.conversation_id, confirmation_id=pending.id, settlement=settlement):
            return None
        return make_turn(
            incoming,
            Outcome.resolved,
            Reason.proposed,
            confirmation=pending,
            settlement=settlement,
            language=self.language,
        )

    def _too_late(self, proposal: Proposal, state: ConversationState, question: Confirmation) -> Turn:
        settled = state.settled
        if settled is None or settled.confirmation.id != question.id:
            return self.unchanged(proposal, Reason.stale, None)
        reason = Reason.already_resolved if settled.choices == proposal.choices else Reason.conflict
        return make_turn(
            _again(proposal),
            Outcome.nothing_pending,
            reason,
            confirmation=settled.confirmation,
            settlement=settled,
            language=self.language,
        )

    def unchanged(self, proposal: Proposal, reason: Reason, question: Confirmation | None) -> Turn:
        """Return the turn of a proposal that decided nothing, for *reason*."""
        is_open = question is not None and reason not in (Reason.expired, Reason.nothing_pending)
        outcome = Outcome.unresolved if is_open or reason is Reason.store_error else Outcome.nothing_pending
        if proposal.turn.outcome is Outcome.resolved:
            reason, outcome = Reason.already_resolved, Outcome.nothing_pending
        return make_turn(
            _again(proposal),
            outcome,
            reason,
            confirmation=question,
            settlement=proposal.turn.settlement,
            language=self.language,
        )


def _again(proposal: Proposal) -> Incoming:
    """Return the person's message that the proposal is a reading of."""
    turn = proposal.turn
    return Incoming(
        conversation_id=turn.conversation_id,
        reply=turn.reply,
        message_id=turn.message_id,
        actor=turn.actor,
        in_reply_to=None,
        now=proposal.now,
    )
