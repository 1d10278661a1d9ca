"""Doing once what must not be done twice, where a framework runs code again after a restart."""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from naoshi.confirm import Choice, Confirmation, ConfirmationStore, ConversationState, Settlement
from naoshi.confirm.confirmations import utc_now
from naoshi.errors import EffectFailedError, OutcomeUnknownError, StoreError
from naoshi.records.base import content_hash

_HAPPENED, _DID_NOT_HAPPEN = 1, 2
_ATTEMPTS = 100
_FOR_EVER = timedelta(days=36500)


@dataclass(frozen=True, kw_only=True)
class EffectDone:
    """An effect that happened before. ``result`` is what it gave, as JSON; ``error`` says how it failed, if it did."""

    result: JsonValue = None
    error: str | None = None


class Effects:
    """Does each effect at most once, however often the code around it is run again, in any number of processes.

    LangGraph runs a node again from its beginning when an interrupt in it is answered; a saved run of an agent can
    be restored twice. So an effect has a key. Before it begins, a claim is made durable under the key, which one
    caller alone can win; when it ended, its result takes the claim's place, and later calls get that result.

    A claim without a result means that its process died, or is still at it: nobody knows whether the effect happened.
    It is never done again by itself. `OutcomeUnknownError` is raised, and the claim is itself a pending question for
    a person ("did it happen?"), in the conversation that the error names. Once a person answers that it did, the
    effect counts as done with no result; that it did not, and the next call does it.

    Args:
        store: keeps the claims beside the questions.
        clock: gives the present time, with its zone.
    """

    def __init__(self, store: ConfirmationStore, *, clock: Callable[[], datetime] = utc_now) -> None:
        self._store = store
        self._clock = clock

    def run(self, key: str, effect: Callable[[], Any]) -> Any:
        """Call *effect* unless the one called *key* was done, and return its result.

        The first call returns what *effect* returned, later ones its JSON form (texts of whatever JSON cannot say).

        Raises:
            OutcomeUnknownError: it was begun, and whether it happened is not known.
            EffectFailedError: it was done before and failed. The first call raises the error itself.
            StoreError: the claim cannot be kept, and the effect was not begun; or its result cannot be.
        """
        begun = self._begin(key)
        if isinstance(begun, EffectDone):
            return _result(begun)
        try:
            result = effect()
        except Exception as error:
            self._end(begun, EffectDone(error=_said(error)))
            raise
        self._end(begun, EffectDone(result=to_jsonable_python(result, fallback=str)))
        return result

    async def run_async(self, key: str, effect: Callable[[], Awaitable[Any]]) -> Any:
        """Do as `run` does with an effect that is awaited.

        Raises:
            OutcomeUnknownError: it was begun, and whether it happened is not known.
            EffectFailedError: it was done before and failed. The first call raises the error itself.
            StoreError: the claim cannot be kept, and the effect was not begun; or its result cannot be.
        """
        begun = self._begin(key)
        if isinstance(begun, EffectDone):
            return _result(begun)
        try:
            result = await effect()
        except Exception as error:
            self._end(begun, EffectDone(error=_said(error)))
            raise
        self._end(begun, EffectDone(result=to_jsonable_python(result, fallback=str)))
        return result

    def _begin(self, key: str) -> Confirmation | EffectDone:
        """Return the claim that the caller has won, or what came of the effect."""
        conversation_id = effect_conversation(key)
        for _ in range(_ATTEMPTS):
            state = self._store.get(conversation_id) or ConversationState(conversation_id=conversation_id)
            if state.pending is not None:
                raise OutcomeUnknownError(
                    f"the effect {key!r} was begun and no result of it is kept",
                    hint=f"see whether it happened, and answer the question in the conversation {conversation_id!r}",
                )
            if state.settled and state.settled.choices != (_DID_NOT_HAPPEN,):
                return _kept(state.settled)
            now = self._clock()
            claim = _claim(key, now=now)
            if self._store.save(state.with_question(claim, now=now), after=state.revision):
                return claim
        raise StoreError("the effect's state changes without end")

    def _end(self, claim: Confirmation, done: EffectDone) -> None:
        action: JsonValue = {"effect": claim.question, "result": done.result, "error": done.error}
        settlement = Settlement(
            confirmation=claim.model_copy(update={"action": action}),
            choices=(_HAPPENED,),
            actor="naoshi",
            at=self._clock(),
        )
        self._store.clear(claim.conversation_id, confirmation_id=claim.id, settlement=settlement)


def effect_conversation(key: str) -> str:
    """Return the conversation in which the claim of the effect *key* is kept, and asked about."""
    return f"effect:{key}"


def _claim(key: str, *, now: datetime) -> Confirmation:
    question = f"An effect was begun and no result is known. Did it happen? {key}"
    return Confirmation(
        id=f"cf_{secrets.token_hex(8)}",
        conversation_id=effect_conversation(key),
        question=question,
        choices=(
            Choice(number=_HAPPENED, label="It happened; do not do it again"),
            Choice(number=_DID_NOT_HAPPEN, label="It did not happen; it may be done"),
        ),
        action={"effect": key},
        fingerprint=content_hash(question),
        created_at=now,
        updated_at=now,
        expires_at=now + _FOR_EVER,
    )


def _kept(settlement: Settlement) -> EffectDone:
    action = settlement.confirmation.action
    if not isinstance(action, dict) or "result" not in action:
        return EffectDone()
    error = action.get("error")
    return EffectDone(result=action["result"], error=error if isinstance(error, str) else None)


def _result(done: EffectDone) -> JsonValue:
    if done.error is not None:
        raise EffectFailedError(done.error)
    return done.result


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
