"""Doing once what must not be done twice, where code is run again after a restart."""

import json
import secrets
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from pydantic import JsonValue
from pydantic_core import to_jsonable_python

from naoshi.confirm.claim_owner import this_owner
from naoshi.confirm.claimed_use import RUNNING, ended_claim, is_running
from naoshi.confirm.confirmation_store import ConfirmationStore
from naoshi.confirm.confirmations import utc_now
from naoshi.confirm.context import language_of
from naoshi.confirm.context_texts import Language
from naoshi.confirm.guard_question import effect_question, finding_about
from naoshi.confirm.intake import ATTEMPTS
from naoshi.confirm.question import Question
from naoshi.errors import EffectFailedError, OutcomeUnknownError, StoreError
from naoshi.records.base import content_hash
from naoshi.records.confirmation import Claim, ClaimState, ConversationState, Settlement

_DID_NOT_HAPPEN: Final = (2,)
_FOR_EVER: Final = timedelta(days=36500)
_RULES: Final = "1"


@dataclass(frozen=True, kw_only=True)
class EffectDone:
    """An effect that happened before. ``result`` is what it gave, as JSON; ``error`` says how it failed, if it did."""

    result: JsonValue = None
    error: str | None = None


class Effects:
    """Does each effect at most once, however often the code around it is run again, in any number of processes.

    `Guard` asks a person and then lets an action happen once; this is the second half alone, for effects that need no
    asking, or whose asking a framework does. LangGraph runs a node again from its beginning when an interrupt in it
    is answered; a saved run of an agent can be restored twice. So an effect has a key. Before it begins, a claim is
    made durable under the key, which one caller alone can win; with its end its result is kept, and later calls get
    that result.

    A claim whose program is gone means that nobody knows whether the effect happened. It is never done again by
    itself: `OutcomeUnknownError` is raised, and a person is asked what they find, in the conversation that the error
    names. Once they answer that it happened, the effect counts as done with no result; that it did not, and the next
    call does it. While a program is still at it, the error says so, and nobody is asked.

    Args:
        store: keeps the claims beside the questions.
        clock: gives the present time, with its zone.
        language: of the question for a person; by the effect's own name where not given.
    """

    def __init__(
        self,
        store: ConfirmationStore,
        *,
        clock: Callable[[], datetime] = utc_now,
        language: Language | str | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._language = None if language is None else Language(language)

    def run(self, key: str, effect: Callable[[], Any], *, told: str = "") -> Any:
        """Call *effect* unless the one called *key* was done, and return its result.

        The first call returns what *effect* returned, later ones its JSON form (texts of whatever JSON cannot say).

        Args:
            key: names the effect.
            effect: has it.
            told: what a person is told that the effect is, if they have to be asked; without it, the key.

        Raises:
            OutcomeUnknownError: it was begun, and whether it happened is not known.
            EffectFailedError: it was done before and failed. The first call raises the error itself.
            StoreError: the claim cannot be kept, and the effect was not begun; or its result cannot be.
        """
        begun = self._begin(key, told or key)
        if isinstance(begun, EffectDone):
            return _result(begun)
        with self._under_way(key, begun) as given:
            result = effect()
            given.append(result)
        return result

    async def run_async(self, key: str, effect: Callable[[], Awaitable[Any]], *, told: str = "") -> Any:
        """Do as `run` does with an effect that is awaited.

        Raises:
            OutcomeUnknownError: it was begun, and whether it happened is not known.
            EffectFailedError: it was done before and failed. The first call raises the error itself.
            StoreError: the claim cannot be kept, and the effect was not begun; or its result cannot be.
        """
        begun = self._begin(key, told or key)
        if isinstance(begun, EffectDone):
            return _result(begun)
        with self._under_way(key, begun) as given:
            result = await effect()
            given.append(result)
        return result

    def _begin(self, key: str, told: str) -> Claim | EffectDone:
        """Return the claim that the caller has won, or what came of the effect."""
        conversation_id = effect_conversation(key)
        for _ in range(ATTEMPTS):
            state = self._store.get(conversation_id) or ConversationState(conversation_id=conversation_id)
            last = state.claims[-1] if state.claims else None
            if last is None or (last.state is ClaimState.begun and _found(state, last) == _DID_NOT_HAPPEN):
                claim = self._claimed(key, state, last)
                if claim is not None:
                    return claim
            elif last.state is not ClaimState.begun:
                return _kept(state.settled)
            elif _found(state, last) is not None:
                return EffectDone()
            else:
                self._require_person(key, told, state, last)
        raise StoreError("the effect's state changes without end")

    def _claimed(self, key: str, state: ConversationState, last: Claim | None) -> Claim | None:
        """Return the claim, once it is durable; None where another caller was faster."""
        now = self._clock()
        claim = Claim(
            confirmation_id=f"ef_{secrets.token_hex(8)}", action_hash=content_hash(key), owner=this_owner(), at=now
        )
        following = state if last is None else state.with_claim(ended_claim(last, ClaimState.failed, now=now))
        following = following.with_claim(claim).model_copy(update={"revision": state.revision + 1})
        RUNNING.begin(claim.confirmation_id)
        won = False
        try:
            won = self._store.save(following, after=state.revision)
        finally:
            if not won:
                RUNNING.end(claim.confirmation_id)
        return claim if won else None

    def _require_person(self, key: str, told: str, state: ConversationState, claim: Claim) -> None:
        """Raise, once a person is asked where the program that made *claim* is gone.

        Where another process changed the state meanwhile, return instead.
        """
        now = self._clock()
        if is_running(claim, now=now):
            raise OutcomeUnknownError(
                f"the effect {key!r} is under way, and has no result yet", hint="wait for its end"
            )
        question = effect_question(key, claim, told=told, language=self._language or language_of(told))
        if state.pending is None or state.pending.fingerprint != question.fingerprint:
            asked = question.following(state, now=now, ttl=_FOR_EVER, rules_version=_RULES)
            if not self._store.save(state.with_question(asked, now=now), after=state.revision):
                return
        raise OutcomeUnknownError(
            f"the effect {key!r} was begun and no result of it is kept",
            hint=f"see whether it happened, and answer the question in the conversation {state.conversation_id!r}",
            conversation_id=state.conversation_id,
        )

    @contextmanager
    def _under_way(self, key: str, claim: Claim) -> Generator[list[Any]]:
        """Keep how the effect ends, with the result that is put into the list; nothing where the program is stopped."""
        given: list[Any] = []
        try:
            try:
                yield given
            except Exception as error:
                self._end(key, claim, EffectDone(error=f"{type(error).__name__}: {error}"))
                raise
            self._end(key, claim, EffectDone(result=_as_json(given[0])))
        finally:
            RUNNING.end(claim.confirmation_id)

    def _end(self, key: str, claim: Claim, done: EffectDone) -> None:
        conversation_id = effect_conversation(key)
        for _ in range(ATTEMPTS):
            now = self._clock()
            state = self._store.get(conversation_id) or ConversationState(conversation_id=conversation_id)
            ended = ended_claim(claim, ClaimState.failed if done.error is not None else ClaimState.done, now=now)
            settled = state.without_question(_settlement(key, conversation_id, done, now=now)).with_claim(ended)
            following = settled.model_copy(update={"revision": state.revision + 1})
            if self._store.save(following, after=state.revision):
                return
        raise StoreError("the effect's state changes without end")


def effect_conversation(key: str) -> str:
    """Return the conversation in which the claim of the effect *key* is kept, and asked about."""
    return f"effect:{key}"


def _found(state: ConversationState, claim: Claim) -> tuple[int, ...] | None:
    """Return what a person found about *claim*, or None where nobody has said."""
    settled = state.settled
    return settled.choices if settled and finding_about(settled) == claim.confirmation_id else None


def _settlement(key: str, conversation_id: str, done: EffectDone, *, now: datetime) -> Settlement:
    action: JsonValue = {"effect": key, "result": done.result, "error": done.error}
    asked = Question.checked(f"({key})", ["(done)"], action=action)
    empty = ConversationState(conversation_id=conversation_id)
    confirmation = asked.following(empty, now=now, ttl=_FOR_EVER, rules_version=_RULES)
    return Settlement(confirmation=confirmation, choices=(1,), actor="naoshi", at=now)


def _kept(settled: Settlement | None) -> EffectDone:
    action = settled.confirmation.action if settled else None
    if not isinstance(action, dict) or "result" not in action:
        return EffectDone()
    error = action.get("error")
    return EffectDone(result=action["result"], error=error if isinstance(error, str) else None)


def _result(done: EffectDone) -> JsonValue:
    if done.error is not None:
        raise EffectFailedError(done.error)
    return done.result


def _as_json(result: Any) -> JsonValue:
    """Return *result* as JSON; where it has no such form at all, its text. It has happened, and must be kept."""
    try:
        plain: JsonValue = json.loads(json.dumps(to_jsonable_python(result, fallback=str), allow_nan=False))
    except Exception:  # noqa: BLE001 - a result's own code may raise anything, and the effect has happened all the same
        return f"<{type(result).__name__}>"
    return plain
