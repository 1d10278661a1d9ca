"""What one message of a person does to the state of its conversation."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta

from naoshi.confirm.confirmation_store import ConfirmationStore
from naoshi.confirm.context_texts import Language
from naoshi.confirm.escape_words import is_escape
from naoshi.confirm.recent_messages import RecentMessages
from naoshi.confirm.reply import resolve_reply
from naoshi.confirm.turn_making import Incoming, make_turn
from naoshi.errors import StoreError
from naoshi.records.confirmation import Confirmation, ConversationState, Outcome, Reason, Resolution, Settlement, Turn

ATTEMPTS = 1000
"""Each failed attempt means that another process made progress; so many in a row mean that the store is broken."""
_WORDS = frozenset({Reason.free_text, Reason.too_long})


@dataclass(frozen=True, kw_only=True)
class Intake:
    """Takes messages in. Its fields are those of `Confirmations`, the escape words already folded."""

    store: ConfirmationStore
    ttl: timedelta
    grace: timedelta
    max_length: int
    language: Language | None
    escape_words: Collection[str]
    recent: RecentMessages

    def settle(self, incoming: Incoming) -> Turn:
        """Return what *incoming* did, once it is done durably.

        Raises:
            StoreError: the state cannot be read or written.
        """
        first: str | None = None
        for _ in range(ATTEMPTS):
            state = self.store.get(incoming.conversation_id)
            state = state or ConversationState(conversation_id=incoming.conversation_id)
            first = first or (state.pending.id if state.pending else None)
            turn = self._attempt(incoming, state, first)
            if turn is not None:
                return turn
        raise StoreError("the conversation's state changes without end")

    def _attempt(self, incoming: Incoming, state: ConversationState, first: str | None) -> Turn | None:
        """Return the turn, or None where another process changed the state meanwhile."""
        pending = state.pending
        mark = incoming.mark
        if mark and (mark in state.message_marks or self.recent.has(incoming.conversation_id, mark)):
            is_open = pending is not None and not pending.is_expired(now=incoming.now)
            outcome = Outcome.unresolved if is_open else Outcome.nothing_pending
            decided = state.settled if state.settled and state.settled.message_mark == mark else None
            return self._turn(incoming, outcome, Reason.duplicate, settlement=decided)
        if pending is None:
            return self._without_question(incoming, state)
        if pending.is_expired(now=incoming.now):
            following = state.without_expired(now=incoming.now).with_message(mark)
            if not self.store.save(following, after=state.revision):
                return None
            return self._turn(incoming, Outcome.nothing_pending, Reason.expired, confirmation=pending)
        resolution = self._read(incoming.reply, pending)
        if pending.id != first or self._is_late(incoming, state, pending, resolution):
            resolution = Resolution(reason=Reason.stale)
        if resolution.reason is Reason.resolved:
            return self._claim(incoming, pending, resolution)
        if mark and not self.store.save(state.with_message(mark), after=state.revision):
            return None
        return self._turn(incoming, Outcome.unresolved, resolution.reason, confirmation=pending)

    def _read(self, reply: str, question: Confirmation) -> Resolution:
        resolution = resolve_reply(
            reply,
            question.labels,
            max_length=self.max_length,
            style=question.style,
            multiple=question.multiple,
            yes=question.yes,
            no=question.no,
        )
        if resolution.reason in _WORDS and is_escape(reply, self.escape_words):
            return Resolution(reason=Reason.escape)
        return resolution

    def _is_late(
        self, incoming: Incoming, state: ConversationState, pending: Confirmation, resolution: Resolution
    ) -> bool:
        if incoming.in_reply_to is not None:
            return not pending.is_shown_as(incoming.in_reply_to)
        return resolution.reason is Reason.resolved and state.replaced_within(self.grace, now=incoming.now)

    def _claim(self, incoming: Incoming, pending: Confirmation, resolution: Resolution) -> Turn | None:
        settlement = Settlement(
            confirmation=pending,
            choices=resolution.choices,
            actor=incoming.actor,
            message_mark=incoming.mark,
            at=incoming.now,
        )
        won = self.store.clear(incoming.conversation_id, confirmation_id=pending.id, settlement=settlement)
        if not won:
            return None
        return self._turn(incoming, Outcome.resolved, Reason.resolved, confirmation=pending, settlement=settlement)

    def _without_question(self, incoming: Incoming, state: ConversationState) -> Turn:
        if incoming.mark:
            self.recent.add(incoming.conversation_id, incoming.mark)
        reason = self._reason_without_question(incoming, state)
        settled = state.settled if reason in (Reason.already_resolved, Reason.conflict) else None
        return self._turn(
            incoming,
            Outcome.nothing_pending,
            reason,
            confirmation=settled.confirmation if settled else None,
            settlement=settled,
        )

    def _reason_without_question(self, incoming: Incoming, state: ConversationState) -> Reason:
        settled = state.settled
        answered = incoming.in_reply_to
        if answered is not None:
            if settled is None or not settled.confirmation.is_shown_as(answered):
                late = any(question.is_shown_as(answered) for question in state.replaced)
                return Reason.stale if late else Reason.nothing_pending
        elif settled is None or incoming.now >= settled.at + self.ttl:
            return Reason.nothing_pending
        resolution = self._read(incoming.reply, settled.confirmation)
        if resolution.reason is not Reason.resolved:
            return Reason.nothing_pending
        return Reason.already_resolved if resolution.choices == settled.choices else Reason.conflict

    def _turn(
        self,
        incoming: Incoming,
        outcome: Outcome,
        reason: Reason,
        *,
        confirmation: Confirmation | None = None,
        settlement: Settlement | None = None,
    ) -> Turn:
        return make_turn(
            incoming, outcome, reason, confirmation=confirmation, settlement=settlement, language=self.language
        )
