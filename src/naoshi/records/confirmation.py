"""A question to a person, how the reply was read, and what is kept of it."""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Self

from pydantic import AwareDatetime, Field, JsonValue, model_validator

from naoshi.records.base import Record

REMEMBERED_MESSAGES = 64
REMEMBERED_QUESTIONS = 8
REMEMBERED_CLAIMS = 32


class Reason(StrEnum):
    """Why a reply was, or was not, read as a choice.

    ``proposed`` and ``echoed`` come of a model's reading: it settled the question, or was put back to the person.
    """

    resolved = "resolved"
    empty = "empty"
    too_long = "too_long"
    out_of_range = "out_of_range"
    ambiguous = "ambiguous"
    free_text = "free_text"
    escape = "escape"
    nothing_pending = "nothing_pending"
    expired = "expired"
    already_resolved = "already_resolved"
    conflict = "conflict"
    duplicate = "duplicate"
    stale = "stale"
    store_error = "store_error"
    proposed = "proposed"
    echoed = "echoed"


class Outcome(StrEnum):
    """What one turn did: a choice was settled, the reply is left to the model, or nothing was asked."""

    resolved = "resolved"
    unresolved = "unresolved"
    nothing_pending = "nothing_pending"


class Style(StrEnum):
    """How the choices are marked on screen, and so what a person types: ``1`` or ``A``."""

    numbers = "numbers"
    letters = "letters"


class Choice(Record):
    """One numbered answer. ``number`` counts from 1."""

    number: int
    label: str


class Resolution(Record):
    """What a reply was read as.

    ``choice`` is the one 1-based number chosen; ``choices`` holds all of them, and only where a question takes
    several can it hold more than one, with ``choice`` being None then.
    """

    choice: int | None = None
    choices: tuple[int, ...] = ()
    reason: Reason


class Confirmation(Record):
    """A question with its choices, kept as the state of one conversation.

    ``created_at`` is the first asking, ``updated_at`` the latest of the same question, ``ask_count`` how often it
    was put. ``fingerprint`` is equal for the same question, spacing, width and letter case aside. ``yes`` and ``no``
    are the choices that a polarity word stands for, where the asker declared them. ``shown_as`` holds the channel's
    identifiers of the messages that showed it. ``warnings`` say which choices cannot be typed safely.
    ``irreversible`` holds the choices that lead to what cannot be undone: a model's reading of free text never
    settles on them, and ``echoed`` is the one that such a reading was put back for. ``rule`` names the guard's rule
    that had the question asked; questions that no guard asked have none, and approve nothing.
    """

    id: str
    conversation_id: str
    question: str
    choices: tuple[Choice, ...]
    action: JsonValue = None
    style: Style = Style.numbers
    multiple: bool = False
    yes: int | None = None
    no: int | None = None
    fingerprint: str
    ask_count: int = Field(default=1, ge=1)
    created_at: AwareDatetime
    updated_at: AwareDatetime
    reworded_at: AwareDatetime | None = None
    expires_at: AwareDatetime
    rules_version: str = "1"
    shown_as: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    irreversible: tuple[int, ...] = ()
    echoed: int | None = None
    rule: str | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The choices' texts, in order."""
        return tuple(choice.label for choice in self.choices)

    def is_expired(self, *, now: datetime) -> bool:
        """Return whether the question may no longer be answered at *now*."""
        return now >= self.expires_at

    def is_shown_as(self, message_id: str) -> bool:
        """Return whether *message_id* names this question: its own identifier or a message that showed it."""
        return message_id == self.id or message_id in self.shown_as

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if not self.choices or [choice.number for choice in self.choices] != [*range(1, len(self.choices) + 1)]:
            raise ValueError("choices must be numbered from 1 without a gap")
        if not self.created_at <= self.updated_at <= self.expires_at:
            raise ValueError("created_at, updated_at and expires_at must be in order")
        return self


class Settlement(Record):
    """How a question ended: which choices, on whose word, and when.

    ``message_mark`` is the hash of the message that decided, where the channel gave it an identifier.
    """

    confirmation: Confirmation
    choices: tuple[int, ...]
    actor: str | None = None
    message_mark: str | None = None
    at: AwareDatetime


class ClaimState(StrEnum):
    """How far the one use of an approval came: ``begun`` with no word of its end yet, ``done`` or ``failed``."""

    begun = "begun"
    done = "done"
    failed = "failed"


class Claim(Record):
    """The one use of an approval, kept before the action begins and again when it has ended.

    ``confirmation_id`` names the question that approved it, ``action_hash`` is the hash of the action's canonical
    JSON, ``owner`` stands for the program that began it. One that stays ``begun`` after its program is gone has an
    unknown outcome. ``error`` is the kind of error that ended it.
    """

    confirmation_id: str
    action_hash: str
    state: ClaimState = ClaimState.begun
    owner: str
    at: AwareDatetime
    ended_at: AwareDatetime | None = None
    error: str | None = None


class ReplacedQuestion(Record):
    """What is remembered of a question that was replaced or expired, so that a late reply is known as late."""

    confirmation_id: str
    shown_as: tuple[str, ...] = ()
    replaced_at: AwareDatetime

    def is_shown_as(self, message_id: str) -> bool:
        """Return whether *message_id* names the replaced question."""
        return message_id == self.confirmation_id or message_id in self.shown_as


class ConversationState(Record):
    """All that a store keeps of one conversation: the pending question, and what tells late replies from fresh ones.

    ``revision`` grows by one with every change. ``message_marks`` are hashes of the messages that were taken in.
    ``claims`` are the uses of approvals, the latest last. ``rules_version`` is the version of the guard's rules that
    the conversation keeps since ``rules_since``.
    """

    conversation_id: str
    revision: int = 0
    pending: Confirmation | None = None
    settled: Settlement | None = None
    replaced: tuple[ReplacedQuestion, ...] = ()
    message_marks: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    rules_version: str | None = None
    rules_since: AwareDatetime | None = None

    @model_validator(mode="after")
    def _is_one_conversation(self) -> Self:
        questions = [self.pending, self.settled.confirmation if self.settled else None]
        if any(question and question.conversation_id != self.conversation_id for question in questions):
            raise ValueError("a question of another conversation")
        return self

    def has_pending(self, confirmation_id: str | None = None) -> bool:
        """Return whether a question is pending and, where *confirmation_id* is given, whether it is that one."""
        return self.pending is not None and confirmation_id in (None, self.pending.id)

    def with_message(self, mark: str | None) -> "ConversationState":
        """Return the next state, in which the message of *mark* counts as taken in."""
        return self.changed(revision=self.revision + 1, message_marks=self._marks_with(mark))

    def with_question(
        self, question: Confirmation, *, now: datetime, message_marks: tuple[str, ...] | None = None
    ) -> "ConversationState":
        """Return the next state, in which *question* is the only one; one with another identifier is replaced.

        Args:
            question: the one that is asked.
            now: the time of the asking.
            message_marks: what counts as taken in from now on; as before where not given.
        """
        is_replaced = self.pending is not None and self.pending.id != question.id
        replaced = self._replaced_with_pending(now=now) if is_replaced else self.replaced
        marks = self.message_marks if message_marks is None else message_marks
        return self.changed(revision=self.revision + 1, pending=question, replaced=replaced, message_marks=marks)

    def without_question(self, settlement: Settlement | None = None) -> "ConversationState":
        """Return the next state, in which nothing is pending and *settlement*, if any, is the latest decision."""
        return self.changed(
            revision=self.revision + 1,
            pending=None,
            settled=settlement or self.settled,
            message_marks=self._marks_with(settlement.message_mark if settlement else None),
        )

    def without_expired(self, *, now: datetime) -> "ConversationState":
        """Return the next state, in which the pending question is no longer so, and is remembered as late."""
        return self.changed(revision=self.revision + 1, pending=None, replaced=self._replaced_with_pending(now=now))

    def _replaced_with_pending(self, *, now: datetime) -> tuple[ReplacedQuestion, ...]:
        if self.pending is None:
            return self.replaced
        left = ReplacedQuestion(confirmation_id=self.pending.id, shown_as=self.pending.shown_as, replaced_at=now)
        return (*self.replaced, left)[-REMEMBERED_QUESTIONS:]

    def _marks_with(self, mark: str | None) -> tuple[str, ...]:
        return self.message_marks if mark is None else (*self.message_marks, mark)[-REMEMBERED_MESSAGES:]

    def with_claim(self, claim: Claim) -> "ConversationState":
        """Return the next state, with *claim* added or put in the place of the one of the same approval.

        Claims that ended are forgotten when there are many; one that has not ended never is.
        """
        others = [kept for kept in self.claims if kept.confirmation_id != claim.confirmation_id]
        ended = [kept for kept in others if kept.state is not ClaimState.begun]
        forgotten = {kept.confirmation_id for kept in ended[: max(0, len(ended) - REMEMBERED_CLAIMS + 1)]}
        claims = (*(kept for kept in others if kept.confirmation_id not in forgotten), claim)
        return self.changed(revision=self.revision + 1, claims=claims)

    def replaced_within(self, grace: timedelta, *, now: datetime) -> bool:
        """Return whether the pending question took another's place, or was reworded, less than *grace* ago."""
        if self.pending is None:
            return False
        began = self.pending.created_at
        moments = [question.replaced_at for question in self.replaced if question.replaced_at >= began]
        if self.pending.reworded_at:
            moments.append(self.pending.reworded_at)
        return any(now - moment < grace for moment in moments)


class Turn(Record):
    """One pass through the entry of the agent's loop: what the person's reply did.

    ``context`` is the exact text to put before the model; it is empty where there is nothing to say. ``choices``
    are all the choices settled; ``choice`` is the single one. ``confirmation`` is the question that the turn was
    about, ``settlement`` the decision that was made, now or earlier.
    """

    conversation_id: str
    outcome: Outcome
    reason: Reason
    choice: int | None = None
    choices: tuple[int, ...] = ()
    confirmation: Confirmation | None = None
    settlement: Settlement | None = None
    context: str = ""
    reply: str
    message_id: str | None = None
    actor: str | None = None
    at: AwareDatetime

    @property
    def selected(self) -> tuple[Choice, ...]:
        """The choices that this turn settled, with their labels."""
        if self.confirmation is None:
            return ()
        return tuple(choice for choice in self.confirmation.choices if choice.number in self.choices)
