"""Asking a person a numbered question, and taking in what comes back."""

import logging
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pydantic import JsonValue

from naoshi.confirm.confirmation_event import ConfirmationEvent, asked_event, turn_event
from naoshi.confirm.confirmation_store import ConfirmationStore
from naoshi.confirm.context import render_context
from naoshi.confirm.context_texts import Language
from naoshi.confirm.escape_words import ESCAPE_WORDS, is_escape
from naoshi.confirm.fingerprint import loosely, message_mark
from naoshi.confirm.question import Question
from naoshi.confirm.recent_messages import RecentMessages
from naoshi.confirm.reply import MAX_LENGTH, resolve_reply
from naoshi.errors import InputError, StoreError
from naoshi.records.confirmation import (
    Confirmation,
    ConversationState,
    Outcome,
    Reason,
    Resolution,
    Settlement,
    Style,
    Turn,
)

_LOG = logging.getLogger("naoshi.confirm")
# Each failed attempt means that another process made progress; so many in a row mean that the store is broken.
_ATTEMPTS = 1000


def utc_now() -> datetime:
    """Return the present time, in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class _Incoming:
    """One reply on its way in."""

    conversation_id: str
    reply: str
    message_id: str | None
    actor: str | None
    in_reply_to: str | None
    now: datetime

    @property
    def mark(self) -> str | None:
        return None if self.message_id is None else message_mark(self.message_id)


class Confirmations:
    """The one place through which an agent asks a person and takes in every reply.

    ``ask`` makes the question durable before it returns, so show it only then. ``receive`` goes at the entry of the
    agent's loop, once for every message of a person, whether or not something was asked.

    Args:
        store: keeps the state.
        ttl: how long a question may be answered after its latest asking.
        clock: gives the present time, with its zone.
        grace: for so long after a question took another's place, a bare number is left to the model, for it may
            have been typed for the one before.
        max_length: the longest reply that is read as a number, in characters.
        rules_version: is kept with every question, so that it finishes under the rules that it began with.
        language: of `Turn.context`, ``"ja"`` or ``"en"``; by the question's own language where not given.
        escape_words: whole replies that mean to stop. They choose nothing and leave the question open.
        on_event: is called with one event for each asking and each turn. What it raises is logged, never raised.
    """

    def __init__(
        self,
        store: ConfirmationStore,
        *,
        ttl: timedelta = timedelta(hours=12),
        clock: Callable[[], datetime] = utc_now,
        grace: timedelta = timedelta(0),
        max_length: int = MAX_LENGTH,
        rules_version: str = "1",
        language: Language | str | None = None,
        escape_words: Collection[str] = ESCAPE_WORDS,
        on_event: Callable[[ConfirmationEvent], None] | None = None,
    ) -> None:
        if ttl <= timedelta(0):
            raise InputError("ttl must be longer than nothing")
        self._store = store
        self._ttl = ttl
        self._clock = clock
        self._grace = grace
        self._max_length = max_length
        self._rules_version = rules_version
        self._language = None if language is None else Language(language)
        self._escape_words = frozenset(map(loosely, escape_words))
        self._on_event = on_event
        self._recent = RecentMessages()

    def ask(
        self,
        conversation_id: str,
        question: str,
        labels: Sequence[str],
        *,
        action: JsonValue = None,
        style: Style | str = Style.numbers,
        multiple: bool = False,
        yes: int | None = None,
        no: int | None = None,
        message_id: str | None = None,
    ) -> Confirmation:
        """Make *question* the pending one of the conversation, durably, and return it to be shown.

        The same question asked again keeps its identifier and ``created_at``; another one takes its place.

        Args:
            conversation_id: any string that names the conversation.
            question: what is asked.
            labels: the choices' texts, in the order of their numbers.
            action: what will be done, as JSON; it is kept with the question.
            style: how the choices are marked, by numbers or by letters.
            multiple: whether several numbers may be chosen.
            yes: the number of the choice that はい, yes … mean, if they may mean one.
            no: the number of the choice that いいえ, no … mean, if they may mean one.
            message_id: the channel's identifier of the message that will show the question, where known already.

        Raises:
            InputError: the question or the choices cannot be asked.
            StoreError: the state cannot be kept. Do not show the question then.
        """
        began = time.perf_counter()
        now = self._now()
        asked = Question.checked(
            question, labels, action=action, style=style, multiple=multiple, yes=yes, no=no, message_id=message_id
        )
        for _ in range(_ATTEMPTS):
            state = self._store.get(conversation_id) or ConversationState(conversation_id=conversation_id)
            confirmation = asked.following(state, now=now, ttl=self._ttl, rules_version=self._rules_version)
            update = {"message_marks": self._recent.joined(state)}
            following = state.with_question(confirmation, now=now).model_copy(update=update)
            if self._store.save(following, after=state.revision):
                self._emit_asked(confirmation, state, began)
                return confirmation
        raise StoreError("the conversation's state changes without end")

    def shown(self, conversation_id: str, confirmation_id: str, *, message_id: str) -> bool:
        """Remember that the channel's message *message_id* shows the question, and return whether it is pending.

        A reply that `receive` is told answers that message is then known to be meant for this question.

        Raises:
            StoreError: the state cannot be read or written.
        """
        for _ in range(_ATTEMPTS):
            state = self._store.get(conversation_id)
            if state is None or state.pending is None or state.pending.id != confirmation_id:
                return False
            if state.pending.is_shown_as(message_id):
                return True
            shown = state.pending.model_copy(update={"shown_as": (*state.pending.shown_as, message_id)})
            following = state.model_copy(update={"pending": shown, "revision": state.revision + 1})
            if self._store.save(following, after=state.revision):
                return True
        raise StoreError("the conversation's state changes without end")

    def pending(self, conversation_id: str) -> Confirmation | None:
        """Return the question that waits for an answer, or None.

        Raises:
            StoreError: the state cannot be read; something may be pending.
        """
        state = self._store.get(conversation_id)
        if state is None or state.pending is None or state.pending.is_expired(now=self._now()):
            return None
        return state.pending

    def settled(self, conversation_id: str) -> Settlement | None:
        """Return the latest decision of the conversation, or None. A program that died after `receive` finds it here.

        Raises:
            StoreError: the state cannot be read.
        """
        state = self._store.get(conversation_id)
        return state.settled if state else None

    def receive(
        self,
        conversation_id: str,
        reply: str,
        *,
        message_id: str | None = None,
        actor: str | None = None,
        in_reply_to: str | None = None,
    ) -> Turn:
        """Take in one message of a person, and return what it did. It never raises for what the message or store holds.

        Of any number of calls that answer the same question, in any processes, one alone is ``resolved``.

        Args:
            conversation_id: the conversation.
            reply: the message, as it came from the person's channel. Never pass a tool's or a model's text.
            message_id: the channel's identifier of the message; the same one delivered again counts for nothing.
            actor: who wrote it.
            in_reply_to: the question that the message answers, where the channel says so: the confirmation's
                identifier, or that of a message given to `ask` or `shown`.
        """
        began = time.perf_counter()
        incoming = _Incoming(
            conversation_id=conversation_id,
            reply=reply,
            message_id=message_id,
            actor=actor,
            in_reply_to=in_reply_to,
            now=self._now(),
        )
        try:
            turn = self._settle(incoming)
        except (StoreError, OSError) as error:
            _LOG.error("a confirmation's state cannot be used: %s", error)
            turn = self._turn(incoming, Outcome.unresolved, Reason.store_error)
        if self._on_event is not None:
            _emit(self._on_event, turn_event(turn, took_ms=_since(began)))
        return turn

    def _settle(self, incoming: _Incoming) -> Turn:
        first: str | None = None
        for _ in range(_ATTEMPTS):
            state = self._store.get(incoming.conversation_id)
            state = state or ConversationState(conversation_id=incoming.conversation_id)
            first = first or (state.pending.id if state.pending else None)
            turn = self._attempt(incoming, state, first)
            if turn is not None:
                return turn
        raise StoreError("the conversation's state changes without end")

    def _attempt(self, incoming: _Incoming, state: ConversationState, first: str | None) -> Turn | None:
        """Return the turn, or None where another process changed the state meanwhile."""
        pending = state.pending
        mark = incoming.mark
        if mark and (mark in state.message_marks or self._recent.has(incoming.conversation_id, mark)):
            outcome = Outcome.unresolved if pending else Outcome.nothing_pending
            decided = state.settled if state.settled and state.settled.message_mark == mark else None
            return self._turn(incoming, outcome, Reason.duplicate, settlement=decided)
        if pending is None:
            return self._without_question(incoming, state)
        if pending.is_expired(now=incoming.now):
            following = state.without_question().with_message(mark)
            if not self._store.save(following, after=state.revision):
                return None
            return self._turn(incoming, Outcome.nothing_pending, Reason.expired, confirmation=pending)
        resolution = self._read(incoming.reply, pending)
        if pending.id != first or self._is_late(incoming, state, pending, resolution):
            resolution = Resolution(reason=Reason.stale)
        if resolution.reason is Reason.resolved:
            return self._claim(incoming, pending, resolution)
        if mark and not self._store.save(state.with_message(mark), after=state.revision):
            return None
        return self._turn(incoming, Outcome.unresolved, resolution.reason, confirmation=pending)

    def _read(self, reply: str, question: Confirmation) -> Resolution:
        resolution = resolve_reply(
            reply,
            question.labels,
            max_length=self._max_length,
            style=question.style,
            multiple=question.multiple,
            yes=question.yes,
            no=question.no,
        )
        if resolution.reason is Reason.free_text and is_escape(reply, self._escape_words):
            return Resolution(reason=Reason.escape)
        return resolution

    def _is_late(
        self, incoming: _Incoming, state: ConversationState, pending: Confirmation, resolution: Resolution
    ) -> bool:
        if incoming.in_reply_to is not None:
            return not pending.is_shown_as(incoming.in_reply_to)
        return resolution.reason is Reason.resolved and state.replaced_within(self._grace, now=incoming.now)

    def _claim(self, incoming: _Incoming, pending: Confirmation, resolution: Resolution) -> Turn | None:
        settlement = Settlement(
            confirmation=pending,
            choices=resolution.choices,
            actor=incoming.actor,
            message_mark=incoming.mark,
            at=incoming.now,
        )
        won = self._store.clear(incoming.conversation_id, confirmation_id=pending.id, settlement=settlement)
        if not won:
            return None
        return self._turn(incoming, Outcome.resolved, Reason.resolved, confirmation=pending, settlement=settlement)

    def _without_question(self, incoming: _Incoming, state: ConversationState) -> Turn:
        if incoming.mark:
            self._recent.add(incoming.conversation_id, incoming.mark)
        reason = self._reason_without_question(incoming, state)
        settled = state.settled if reason in (Reason.already_resolved, Reason.conflict) else None
        return self._turn(
            incoming,
            Outcome.nothing_pending,
            reason,
            confirmation=settled.confirmation if settled else None,
            settlement=settled,
        )

    def _reason_without_question(self, incoming: _Incoming, state: ConversationState) -> Reason:
        settled = state.settled
        answered = incoming.in_reply_to
        if answered is not None:
            if settled is None or not settled.confirmation.is_shown_as(answered):
                late = any(question.is_shown_as(answered) for question in state.replaced)
                return Reason.stale if late else Reason.nothing_pending
        elif settled is None or incoming.now >= settled.at + self._ttl:
            return Reason.nothing_pending
        resolution = self._read(incoming.reply, settled.confirmation)
        if resolution.reason is not Reason.resolved:
            return Reason.nothing_pending
        return Reason.already_resolved if resolution.choices == settled.choices else Reason.conflict

    def _turn(
        self,
        incoming: _Incoming,
        outcome: Outcome,
        reason: Reason,
        *,
        confirmation: Confirmation | None = None,
        settlement: Settlement | None = None,
    ) -> Turn:
        choices = settlement.choices if settlement and outcome is Outcome.resolved else ()
        context = render_context(
            reason,
            now=incoming.now,
            reply=incoming.reply,
            confirmation=confirmation,
            settlement=settlement,
            language=self._language,
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

    def _now(self) -> datetime:
        now = self._clock()
        if now.tzinfo is None:
            raise InputError("the clock must give a time with its zone")
        return now.astimezone(UTC)

    def _emit_asked(self, confirmation: Confirmation, before: ConversationState, began: float) -> None:
        if self._on_event is None:
            return
        now = confirmation.updated_at
        left = before.pending
        replaced = left.id if left and left.id != confirmation.id and not left.is_expired(now=now) else None
        settled = before.settled
        reasked = (
            settled is not None
            and settled.confirmation.fingerprint == confirmation.fingerprint
            and now < settled.at + self._ttl
            and confirmation.ask_count == 1
        )
        event = asked_event(confirmation, took_ms=_since(began), replaced_id=replaced, reasked=reasked)
        _emit(self._on_event, event)


def _emit(hook: Callable[[ConfirmationEvent], None], event: ConfirmationEvent) -> None:
    try:
        hook(event)
    except Exception:  # noqa: BLE001 - the decision is made and kept; a watcher's fault must not undo it
        _LOG.exception("the hook for confirmation events failed")


def _since(began: float) -> float:
    return (time.perf_counter() - began) * 1000
