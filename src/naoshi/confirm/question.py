"""A question that an agent wants to ask, checked, and what it becomes in a conversation."""

import json
import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from operator import index

from pydantic import JsonValue

from naoshi.confirm.fingerprint import loosely, question_fingerprint
from naoshi.confirm.label_numbers import label_warnings
from naoshi.errors import InputError
from naoshi.records.base import canonical_json
from naoshi.records.confirmation import REMEMBERED_MESSAGES, Choice, Confirmation, ConversationState, Style

_LETTERS = 26
_FIELDS = set(Confirmation.model_fields)


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked. `checked` makes one; its fields are those of `Confirmations.ask`."""

    question: str
    labels: tuple[str, ...]
    action: JsonValue
    style: Style
    multiple: bool
    yes: int | None
    no: int | None
    message_id: str | None
    irreversible: tuple[int, ...] = ()
    rule: str | None = None

    @classmethod
    def checked(
        cls,
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
        rule: str | None = None,
    ) -> "Question":
        """Return the question, its action copied as plain JSON.

        Where *irreversible* is not given, each choice of a question about an action may be, save the declared *no*.

        Raises:
            InputError: it cannot be asked, or cannot be kept.
        """
        labels = _texts_of(labels)
        _check_texts(question, labels, (message_id, rule))
        try:
            chosen_style = Style(style)
            kept_action = None if action is None else json.loads(canonical_json(action))
            yes, no = _number(yes), _number(no)
            places = None if irreversible is None else tuple(map(index, irreversible))
        except (TypeError, ValueError, RecursionError) as error:
            raise InputError(f"the question cannot be kept: {error}") from error
        if chosen_style is Style.letters and (multiple or len(labels) > _LETTERS):
            raise InputError("letters mark at most 26 choices, of which one is chosen")
        _check_declared(len(labels), yes, no)
        every = range(1, len(labels) + 1)
        if places is None:
            places = () if kept_action is None else tuple(place for place in every if place != no)
        elif not set(places) <= set(every):
            raise InputError("irreversible must hold numbers of choices")
        return cls(
            question=question,
            labels=labels,
            action=kept_action,
            style=chosen_style,
            multiple=bool(multiple),
            yes=yes,
            no=no,
            message_id=message_id,
            irreversible=tuple(sorted(set(places))),
            rule=rule,
        )

    @property
    def fingerprint(self) -> str:
        """What is equal for the same question."""
        return question_fingerprint(
            self.question,
            self.labels,
            action=self.action,
            style=self.style,
            multiple=self.multiple,
            yes=self.yes,
            no=self.no,
            guarded=self.rule is not None,
        )

    def following(self, state: ConversationState, *, now: datetime, ttl: timedelta, rules_version: str) -> Confirmation:
        """Return the confirmation that asking in *state* leads to: the pending one asked once more, or a new one."""
        before = state.pending
        fingerprint = self.fingerprint
        if before and before.fingerprint == fingerprint and not before.is_expired(now=now):
            return self._again(before, now=max(now, before.updated_at), ttl=ttl)
        return Confirmation.of_checked(
            _FIELDS,
            {
                "schema_version": 1,
                "id": f"cf_{secrets.token_hex(8)}",
                "conversation_id": state.conversation_id,
                "question": self.question,
                "choices": _choices(self.labels),
                "action": self.action,
                "style": self.style,
                "multiple": self.multiple,
                "yes": self.yes,
                "no": self.no,
                "fingerprint": fingerprint,
                "ask_count": 1,
                "created_at": now,
                "updated_at": now,
                "reworded_at": None,
                "expires_at": now + ttl,
                "rules_version": rules_version,
                "shown_as": self._shown(),
                "warnings": _warnings(self.labels, self.style, self.yes, self.no),
                "irreversible": self.irreversible,
                "echoed": None,
                "rule": self.rule,
            },
        )

    def _again(self, before: Confirmation, *, now: datetime, ttl: timedelta) -> Confirmation:
        reworded = loosely(self.question) != loosely(before.question)
        update = {
            "question": self.question,
            "choices": _choices(self.labels),
            "ask_count": before.ask_count + 1,
            "updated_at": now,
            "reworded_at": now if reworded else before.reworded_at,
            "expires_at": now + ttl,
            "shown_as": tuple(dict.fromkeys((*before.shown_as, *self._shown())))[-REMEMBERED_MESSAGES:],
            # What has once been said to be irreversible stays so.
            "irreversible": tuple(sorted({*before.irreversible, *self.irreversible})),
            "rule": self.rule,
        }
        return before.model_copy(update=update)

    def _shown(self) -> tuple[str, ...]:
        return () if self.message_id is None else (self.message_id,)


# The same choices are put again and again.
@lru_cache(maxsize=256)
def _choices(labels: tuple[str, ...]) -> tuple[Choice, ...]:
    return tuple(Choice(number=number, label=label) for number, label in enumerate(labels, start=1))


@lru_cache(maxsize=256)
def _warnings(labels: tuple[str, ...], style: Style, yes: int | None, no: int | None) -> tuple[str, ...]:
    return label_warnings(labels, style=style, yes=yes, no=no)


def _texts_of(labels: Sequence[str]) -> tuple[str, ...]:
    if isinstance(labels, str):
        raise InputError("the choices must be a list of texts, not one text")
    try:
        return tuple(labels)
    except TypeError as error:
        raise InputError("the choices must be a list of texts") from error


def _check_texts(question: str, labels: Sequence[str], names: Sequence[str | None]) -> None:
    # What is kept is read back strictly, so that nothing but text may get in.
    if not all(map(_is_text, (question, *labels, *(name for name in names if name is not None)))):
        raise InputError("the question, the choices and the names must be texts")
    if not question.strip():
        raise InputError("the question is empty")
    if not labels or not all(label.strip() for label in labels):
        raise InputError("there must be at least one choice, and none may be empty")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _number(value: int | None) -> int | None:
    return None if value is None else index(value)


def _check_declared(count: int, yes: int | None, no: int | None) -> None:
    declared = [place for place in (yes, no) if place is not None]
    if not all(1 <= place <= count for place in declared) or len(set(declared)) < len(declared):
        raise InputError("yes and no must name two different choices")
