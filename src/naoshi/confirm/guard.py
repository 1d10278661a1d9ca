"""The guard before actions that cannot be undone: it asks, waits for a person's number, and lets each yes act once."""

import inspect
import logging
from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast, overload

from naoshi.confirm.action_event import ActionEvent
from naoshi.confirm.approvals import Approvals, GuardedCall, Scene, made_permit
from naoshi.confirm.confirmation_event import ConfirmationEvent, EventKind
from naoshi.confirm.confirmations import Confirmations
from naoshi.confirm.context import language_of
from naoshi.confirm.context_texts import Language
from naoshi.confirm.guarded_action import GuardedAction, called_with
from naoshi.confirm.intake import ATTEMPTS
from naoshi.confirm.permit import Permit, PermitState
from naoshi.confirm.policy import Policy, PolicySource
from naoshi.errors import InputError, NotPermittedError, StoreError
from naoshi.records.confirmation import ConversationState, Turn

P = ParamSpec("P")
R = TypeVar("R")

_LOG = logging.getLogger("naoshi.confirm")
_SCENE: ContextVar[Scene | None] = ContextVar("naoshi_guard_scene", default=None)


class Guard:
    """Stands before a tool's effect. Use it as a decorator, or call it with a tool's name and arguments.

    Actions that the rules call reversible are let through and never asked about. For all others a person is asked,
    by a numbered question of the conversation; the yes holds for exactly these arguments, and once. It is claimed in
    the store before the effect begins: of any number of programs one alone gets it, and where a program dies between
    claim and end, the outcome is unknown, a person is asked what they find, and nothing is done again by itself.

    A store that fails lets nothing irreversible through.

    Args:
        confirmations: asks, and keeps the state.
        policy: the rules; without any, every action is asked about.
        on_action: is called with one event for each call, arguments included. What it raises is logged.
    """

    def __init__(
        self,
        confirmations: Confirmations,
        *,
        policy: PolicySource | None = None,
        on_action: Callable[[ActionEvent], None] | None = None,
    ) -> None:
        self._confirmations = confirmations
        self._store = confirmations.store
        self._approvals = Approvals(confirmations=confirmations)
        self._source: PolicySource = policy or Policy()
        self._on_action = on_action
        self._told = (self._source.current().version, self._source.fault)

    @overload
    def __call__(self, subject: Callable[P, R], /) -> Callable[P, R]: ...

    @overload
    def __call__(
        self, subject: str, arguments: Mapping[str, Any] = ..., /, *, conversation_id: str | None = None
    ) -> Permit: ...

    def __call__(
        self,
        subject: str | Callable[..., Any],
        arguments: Mapping[str, Any] | None = None,
        /,
        *,
        conversation_id: str | None = None,
    ) -> Any:
        """Guard a function (``@guard``), or return the `Permit` for one action (``guard("send", {"to": "a"})``).

        Args:
            subject: the function, or the tool's name.
            arguments: the tool's arguments.
            conversation_id: the conversation, where the call is not inside `during` or `conversation`.

        Raises:
            InputError: the conversation is not known, or the arguments cannot be written as JSON.
            StoreError: the state cannot be read or written. Do not do the action then.
        """
        if not isinstance(subject, str):
            return self.wrap(subject)
        scene = Scene(conversation_id=conversation_id) if conversation_id is not None else _SCENE.get()
        if scene is None:
            hint = "call it inside `with guard.during(turn):`, or give conversation_id"
            raise InputError(f"the conversation in which {subject} is called is not known", hint=hint)
        return self._permit(scene, GuardedAction.checked(subject, arguments or {}))

    def wrap(self, function: Callable[P, R], *, tool: str = "", leave_out: Collection[str] = ()) -> Callable[P, R]:
        """Return *function*, plain or async, guarded. It raises `NotPermittedError` where it may not run now.

        Args:
            function: has the effect.
            tool: its name for the rules; without one, the function's.
            leave_out: names of arguments that are no part of what is approved, such as a client or a framework's
                context.

        Raises:
            InputError: the function is a generator: whether its effect has happened cannot be told.
        """
        name = tool or function.__name__
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise InputError(f"{name} is a generator and cannot be guarded", hint="guard a function that returns")

        def permit(positional: tuple[Any, ...], named: Mapping[str, Any]) -> Permit:
            return _allowed(self(name, called_with(function, positional, named, leave_out)))

        if inspect.iscoroutinefunction(function):

            @wraps(function)
            async def later(*positional: Any, **named: Any) -> Any:
                import asyncio  # a program without coroutines need not pay for it

                # The store waits for a disk or a network, which must not hold up the other coroutines.
                given = await asyncio.to_thread(permit, positional, named)
                with given:
                    return await function(*positional, **named)

            return cast("Callable[P, R]", later)

        @wraps(function)
        def now(*positional: P.args, **named: P.kwargs) -> R:
            with permit(positional, named):
                return function(*positional, **named)

        return now

    @contextmanager
    def during(self, turn: Turn) -> Generator[None]:
        """Say that what runs inside belongs to *turn*, which `Confirmations.receive` returned.

        Guarded calls then know their conversation, and what the person had seen when they wrote: of several
        questions that come up in one turn the first is asked and the others wait, and a refusal holds until the
        person writes again. It carries over to coroutines, and to threads that copy the context.
        """
        with self._in(Scene(conversation_id=turn.conversation_id, turn=turn)):
            yield

    @contextmanager
    def conversation(self, conversation_id: str) -> Generator[None]:
        """Say that what runs inside belongs to the conversation, where there is no turn.

        A later question then replaces the one before, and a refusal holds as long as an approval would.
        """
        with self._in(Scene(conversation_id=conversation_id)):
            yield

    @contextmanager
    def _in(self, scene: Scene) -> Generator[None]:
        token = _SCENE.set(scene)
        try:
            yield
        finally:
            _SCENE.reset(token)

    def _permit(self, scene: Scene, action: GuardedAction) -> Permit:
        self._tell_of_rules()
        try:
            call = self._ruled(scene, action, self._policy_of(scene.conversation_id))
        except StoreError:
            call = self._ruled(scene, action, self._source.current())
            if call.ruling.asks:
                raise
            _LOG.exception("the conversation's rules cannot be looked up; %s is let through as reversible", action.tool)
        permit = self._approvals.permit(call) if call.ruling.asks else made_permit(call, PermitState.allowed)
        self._tell_of_action(call, permit)
        return permit

    def _ruled(self, scene: Scene, action: GuardedAction, policy: Policy) -> GuardedCall:
        chosen = self._confirmations.language or policy.settings.language
        wording = policy.settings.question + policy.settings.yes
        return GuardedCall(
            scene=scene,
            action=action,
            policy=policy,
            ruling=policy.ruling(action.tool, action.arguments),
            language=Language(chosen) if chosen else language_of(wording),
        )

    def _policy_of(self, conversation_id: str) -> Policy:
        """Return the rules of the conversation: those that it began with, for the time that these are kept."""
        current = self._source.current()
        for _ in range(ATTEMPTS):
            now = self._confirmations.now()
            state = self._store.get(conversation_id) or ConversationState(conversation_id=conversation_id)
            if state.rules_version == current.version:
                return current
            kept = self._source.at(state.rules_version) if state.rules_version else None
            if kept is not None and state.rules_since is not None:
                lasts = timedelta(hours=current.settings.keep_rules_hours)
                is_open = state.pending is not None and not state.pending.is_expired(now=now)
                if is_open or now < state.rules_since + lasts:
                    return kept
            update = {"rules_version": current.version, "rules_since": now, "revision": state.revision + 1}
            if self._store.save(state.model_copy(update=update), after=state.revision):
                return current
        raise StoreError("the conversation's state changes without end")

    def _tell_of_rules(self) -> None:
        policy = self._source.current()
        found = (policy.version, self._source.fault)
        if found == self._told:
            return
        self._told = found
        if found[1]:
            _LOG.warning("new rules are not in force: %s", found[1])
        self._confirmations.emit(
            ConfirmationEvent(
                kind=EventKind.rules, at=self._confirmations.now(), rules_version=policy.version, fault=found[1]
            )
        )

    def _tell_of_action(self, call: GuardedCall, permit: Permit) -> None:
        if self._on_action is None:
            return
        event = ActionEvent(
            at=self._confirmations.now(),
            conversation_id=call.scene.conversation_id,
            tool=call.action.tool,
            arguments=call.action.arguments,
            rule=call.ruling.rule,
            action_class=call.ruling.action_class,
            why=call.ruling.why,
            rules_version=call.policy.version,
            state=permit.state,
            confirmation_id=permit.confirmation.id if permit.confirmation else None,
        )
        try:
            self._on_action(event)
        except Exception:  # noqa: BLE001 - a watcher must not stop what is allowed, nor allow what is not
            _LOG.exception("the hook for guarded actions failed")


def _allowed(permit: Permit) -> Permit:
    if not permit:
        raise NotPermittedError(f"{permit.tool} may not be done now: {permit.state}", permit=permit)
    return permit
