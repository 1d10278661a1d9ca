"""Asking a person a numbered question, and taking in what comes back."""

import logging
import sys
import time
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from pydantic import JsonValue

from naoshi.confirm.confirmation_event import ConfirmationEvent, EventKind, asked_event, turn_event
from naoshi.confirm.confirmation_store import ConfirmationStore
from naoshi.confirm.context_texts import Language
from naoshi.confirm.escape_words import ESCAPE_WORDS, is_escape
from naoshi.confirm.fingerprint import loosely
from naoshi.confirm.intake import ATTEMPTS, Intake
from naoshi.confirm.proposal import Proposal, Weighing
from naoshi.confirm.question import Question
from naoshi.confirm.recent_messages import RecentMessages
from naoshi.confirm.reply import MAX_LENGTH
from naoshi.confirm.span_events import add_span_event
from naoshi.confirm.turn_making import Incoming, make_turn
from naoshi.errors import InputError, StoreError
from naoshi.records.confirmation import Confirmation, ConversationState, Outcome, Reason, Settlement, Style, Turn

T = TypeVar("T")
_LOG = logging.getLogger("naoshi.confirm")
_LONGEST = timedelta(days=36_500)


def utc_now() -> datetime:
    """Return the present time, in UTC."""
    return datetime.now(UTC)


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
            Where OpenTelemetry is in use, each event is also added to the current span.
        on_turn: is called with each turn, the person's text in it, for logs that `mine` reads. What it raises is
            logged, never raised.
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
        on_turn: Callable[[Turn], None] | None = None,
    ) -> None:
        if not timedelta(0) < ttl <= _LONGEST:
            raise InputError("ttl must be longer than nothing, and at most a hundred years")
        self._store = store
        self._ttl = ttl
        self._clock = clock
        self._rules_version = rules_version
        self._language = None if language is None else Language(language)
        self._on_event = on_event
        self._on_turn = on_turn
        self._recent = RecentMessages()
        self._weighing = Weighing(store=store, ttl=ttl, language=self._language)
        self._intake = Intake(
            store=store,
            ttl=ttl,
            grace=grace,
            max_length=max_length,
            language=self._language,
            escape_words=frozenset(map(loosely, escape_words)),
            recent=self._recent,
        )

    @property
    def store(self) -> ConfirmationStore:
        """What keeps the state."""
        return self._store

    @property
    def ttl(self) -> timedelta:
        """How long a question may be answered after its latest asking."""
        return self._ttl

    @property
    def language(self) -> Language | None:
        """The language of the texts for the model, where one is set."""
        return self._language

    def is_escape(self, reply: str) -> bool:
        """Return whether all of *reply* is a word for stopping."""
        return is_escape(reply, self._intake.escape_words)

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
        irreversible: Collection[int] | None = None,
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
            irreversible: the numbers of the choices that lead to what cannot be undone. A model's reading never
                settles on them. Where not given, all choices of a question about an *action*, save *no*.

        Raises:
            InputError: the question or the choices cannot be asked.
            StoreError: the state cannot be kept. Do not show the question then.
        """
        asked = Question.checked(
            question,
            labels,
            action=action,
            style=style,
            multiple=multiple,
            yes=yes,
            no=no,
            message_id=message_id,
            irreversible=irreversible,
        )
        for _ in range(ATTEMPTS):
            state = self._store.get(conversation_id) or ConversationState(conversation_id=conversation_id)
            confirmation = self.put(asked, state)
            if confirmation is not None:
                return confirmation
        raise StoreError("the conversation's state changes without end")

    def put(
        self,
        question: Question,
        state: ConversationState,
        *,
        rules_version: str | None = None,
        anew: bool = False,
    ) -> Confirmation | None:
        """Make *question* the pending one of *state*, durably; what `ask` and the guard do it with.

        Args:
            question: what is asked, checked.
            state: the conversation's state as the asker saw it.
            rules_version: of the guard's rules, where they had it asked.
            anew: the same question was settled before, and its decision is used up; asking it repeats nothing.

        Returns:
            The confirmation, or None, and nothing is asked, where the state is another one by now.

        Raises:
            StoreError: the state cannot be kept.
        """
        began = time.perf_counter()
        now = self.now()
        version = rules_version or self._rules_version
        confirmation = question.following(state, now=now, ttl=self._ttl, rules_version=version)
        following = state.with_question(confirmation, now=now, message_marks=self._recent.joined(state))
        if not self._store.save(following, after=state.revision):
            return None
        self._emit_asked(confirmation, state, began, anew=anew)
        return confirmation

    def shown(self, conversation_id: str, confirmation_id: str, *, message_id: str) -> bool:
        """Remember that the channel's message *message_id* shows the question, and return whether it is pending.

        A reply that `receive` is told answers that message is then known to be meant for this question.

        Raises:
            StoreError: the state cannot be read or written.
        """
        for _ in range(ATTEMPTS):
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
        if state is None or state.pending is None or state.pending.is_expired(now=self.now()):
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
        incoming = Incoming(
            conversation_id=conversation_id,
            reply=reply,
            message_id=message_id or None,
            actor=actor,
            in_reply_to=in_reply_to or None,
            now=self.now(),
        )
        try:
            turn = self._intake.settle(incoming)
        except (StoreError, OSError) as error:
            _LOG.error("a confirmation's state cannot be used: %s", error)
            turn = make_turn(incoming, Outcome.unresolved, Reason.store_error, language=self._language)
        self._tell(turn, EventKind.turn, began)
        return turn

    def propose(self, turn: Turn, choice: int | Sequence[int]) -> Turn:
        """Take in what a model read in the message of *turn*, and return what that did. It never raises for *choice*.

        The reading counts only where the person's message was left to reading, and its question is still pending.
        It settles the question (``proposed``), unless the choice cannot be undone: then the question is put back to
        the person, once (``echoed``; show the turn's confirmation), and only their number settles it. Anything else
        changes nothing, and the turn says why.

        Args:
            turn: what `receive` returned for the person's message.
            choice: the number that the model gave, or several where the question takes several.
        """
        began = time.perf_counter()
        proposal = Proposal.made(turn, choice, now=self.now())
        try:
            done = self._weighing.weigh(proposal)
        except (StoreError, OSError) as error:
            _LOG.error("a confirmation's state cannot be used: %s", error)
            done = self._weighing.unchanged(proposal, Reason.store_error, None)
        self._tell(done, EventKind.proposal, began)
        return done

    def now(self) -> datetime:
        """Return the clock's time, in UTC.

        Raises:
            InputError: the clock gives a time without its zone.
        """
        now = self._clock()
        if now.tzinfo is None:
            raise InputError("the clock must give a time with its zone")
        return now.astimezone(UTC)

    def emit(self, event: ConfirmationEvent) -> None:
        """Hand *event* to the hook and to the current span, whatever they make of it."""
        _safely(add_span_event, event)
        if self._on_event is not None:
            _safely(self._on_event, event)

    def _tell(self, turn: Turn, kind: EventKind, began: float) -> None:
        if self._is_watched():
            self.emit(turn_event(turn, took_ms=_since(began), kind=kind))
        if self._on_turn is not None:
            _safely(self._on_turn, turn)

    def _is_watched(self) -> bool:
        return self._on_event is not None or "opentelemetry.trace" in sys.modules

    def _emit_asked(self, confirmation: Confirmation, before: ConversationState, began: float, *, anew: bool) -> None:
        if not self._is_watched():
            return
        now = confirmation.updated_at
        left = before.pending
        replaced = left.id if left and left.id != confirmation.id and not left.is_expired(now=now) else None
        settled = before.settled
        reasked = (
            not anew
            and settled is not None
            and settled.confirmation.fingerprint == confirmation.fingerprint
            and now < settled.at + self._ttl
            and confirmation.ask_count == 1
        )
        self.emit(asked_event(confirmation, took_ms=_since(began), replaced_id=replaced, reasked=reasked))


def _safely(hook: Callable[[T], None], subject: T) -> None:
    try:
        hook(subject)
    except Exception:  # noqa: BLE001 - the decision is made and kept; a watcher's fault must not undo it
        _LOG.exception("a hook of the confirmations failed")


def _since(began: float) -> float:
    return (time.perf_counter() - began) * 1000
