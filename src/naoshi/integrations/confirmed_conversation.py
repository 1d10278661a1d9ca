"""One message of a person in, one step of the agent out: how a run that stops for people goes on, in any framework."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Protocol

from naoshi.confirm import Confirmation, Confirmations, ConfirmationStore, Outcome, Reason, Turn, render_question
from naoshi.confirm.confirmations import utc_now
from naoshi.errors import OutcomeUnknownError, StoreError
from naoshi.integrations.paused_runs import KeptRun, PausedRun, PausedRuns
from naoshi.integrations.tool_call import ENGLISH, ToolCall, Wording, ask_about, may_run

_ATTEMPTS = 100
_TAKEN_UP_FOR = timedelta(minutes=15)


@dataclass(frozen=True, kw_only=True)
class Finished:
    """A run that came to its end. ``output`` is the framework's own, ``text`` the same for a person."""

    output: Any
    text: str


@dataclass(frozen=True, kw_only=True)
class Stopped:
    """A run that a framework stopped for a person: its state as text, and the calls that wait, in order."""

    state: str
    calls: tuple[ToolCall, ...]


class AgentRuns(Protocol):
    """What a framework does for `ConfirmedConversation`."""

    async def begin(self, turn: Turn) -> Finished | Stopped:
        """Run the agent on the person's message, with ``turn.context`` before the model where there is some."""
        ...

    async def go_on(self, turn: Turn, run: PausedRun) -> Finished | Stopped:
        """Go on with *run*, all of whose calls are decided. Effects must be claimed under its ``run_id``."""
        ...

    async def explain(self, turn: Turn) -> str:
        """Return what the model says to a message that did not answer the question. It must be able to do nothing."""
        ...


@dataclass(frozen=True, kw_only=True)
class Step:
    """What came of one message.

    ``text`` is what to show, the question with its choices included where one waits. ``question`` is that question,
    ``output`` the framework's own output where the run came to its end, ``turn`` how the message was taken in.
    """

    text: str
    turn: Turn
    question: Confirmation | None = None
    output: Any = None


class ConfirmedConversation:
    """Takes in the messages of people for an agent whose framework stops runs for approval and cannot keep them.

    The framework's state is kept before the first question is asked. Several calls that wait are asked about one at
    a time, in order. When the last is decided, one process takes the run up; while it is at it, further messages are
    told to wait, for at most *taken_up_for*. After that, its process counts as dead, and the next message takes the
    run up again, from the same state: effects that were begun are not begun again. Where a process died in one, the
    person is asked whether it happened, and the run goes on from what they found.

    Args:
        runs: runs the agent.
        store: keeps the questions and the runs.
        confirmations: asks and takes in replies, on the same *store*; made from it where not given.
        wording: of the questions.
        taken_up_for: how long one process may take to go on with a run.
        clock: gives the present time, with its zone.
    """

    def __init__(
        self,
        runs: AgentRuns,
        *,
        store: ConfirmationStore,
        confirmations: Confirmations | None = None,
        wording: Wording = ENGLISH,
        taken_up_for: timedelta = _TAKEN_UP_FOR,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._runs = runs
        self._confirmations = confirmations or Confirmations(store, clock=clock)
        self._paused = PausedRuns(store, clock=clock)
        self._wording = wording
        self._taken_up_for = taken_up_for
        self._clock = clock

    async def take(
        self, conversation_id: str, text: str, *, message_id: str | None = None, actor: str | None = None
    ) -> Step:
        """Take in one message of a person, and return what to show.

        Raises:
            StoreError: the state cannot be read or written. What the message decided, if anything, is kept.
        """
        kept = self._paused.get(conversation_id)
        about = kept.run.unknown if kept.run and kept.run.unknown else conversation_id
        turn = self._confirmations.receive(about, text, message_id=message_id, actor=actor)
        if turn.reason is Reason.store_error:
            raise StoreError("the conversation's state cannot be used")
        if about != conversation_id:
            return await self._found(turn.model_copy(update={"conversation_id": conversation_id}), about)
        kept = self._with_decision(conversation_id)
        if kept.run is None:
            return await self._begin(turn, kept)
        if kept.run.waiting:
            return await self._unanswered(turn, kept.run)
        return await self._go_on(turn, kept.run, kept)

    async def _begin(self, turn: Turn, kept: KeptRun) -> Step:
        if turn.reason is Reason.duplicate:
            return Step(text="", turn=turn)
        return self._after(turn, await self._runs.begin(turn), kept)

    def _with_decision(self, conversation_id: str) -> KeptRun:
        """Return the kept run, once the latest decision is in it if it is about the call that is asked about.

        The decision is read from the store, not from the turn: a process that died after `receive` left it there.
        """
        for _ in range(_ATTEMPTS):
            kept = self._paused.get(conversation_id)
            if kept.run is None or not kept.run.waiting:
                return kept
            settlement = self._confirmations.settled(conversation_id)
            call = kept.run.waiting[0]
            if settlement is None or settlement.confirmation.action != call.action(kept.run.run_id):
                return kept
            run = kept.run.decided(call, runs=may_run(settlement))
            revision = self._paused.put(conversation_id, run, after=kept.revision)
            if revision is not None:
                return KeptRun(run=run, revision=revision)
        raise StoreError("the paused run changes without end")

    async def _unanswered(self, turn: Turn, run: PausedRun) -> Step:
        said = ""
        if turn.outcome is Outcome.unresolved and turn.reason not in (Reason.duplicate, Reason.empty):
            said = await self._runs.explain(turn)
        pending = self._confirmations.pending(turn.conversation_id)
        if pending is None or pending.action != run.waiting[0].action(run.run_id):
            pending = self._ask(turn.conversation_id, run)
        return Step(text="\n\n".join(filter(None, [said, render_question(pending)])), turn=turn, question=pending)

    async def _go_on(self, turn: Turn, run: PausedRun, kept: KeptRun) -> Step:
        now = self._clock()
        busy = run.taken_up_at is not None and now < run.taken_up_at + self._taken_up_for
        revision = None if busy else self._paused.put(turn.conversation_id, run.taken_up(now=now), after=kept.revision)
        if revision is None:
            return Step(text=self._wording.busy, turn=turn)
        try:
            came = await self._runs.go_on(turn, run)
        except OutcomeUnknownError as error:
            return self._ask_whether(turn, run, revision, error.conversation_id)
        except BaseException:
            # The run was cut short in this process, which is alive: the next message may take it up at once.
            self._paused.put(turn.conversation_id, run, after=revision)
            raise
        step = self._after(turn, came, KeptRun(run=run, revision=revision))
        if step.question or turn.reason is not Reason.nothing_pending:
            return step
        # The run was left behind by a process that died, and the message that found it is about something else.
        further = await self._begin(turn, self._paused.get(turn.conversation_id))
        return replace(further, text="\n\n".join(filter(None, [step.text, further.text])))

    def _ask_whether(self, turn: Turn, run: PausedRun, revision: int, place: str | None) -> Step:
        """Show the question whether a call happened that a process died in; where one is still at it, say so."""
        self._keep(turn, run.asked_whether(place), KeptRun(run=run, revision=revision))
        question = self._confirmations.pending(place) if place else None
        text = render_question(question) if question else self._wording.busy
        return Step(text=text, question=question, turn=turn)

    async def _found(self, turn: Turn, about: str) -> Step:
        """Go on once the person has said what they found, else show the question again."""
        asked = self._confirmations.pending(about)
        if asked is not None:
            is_said = turn.outcome is Outcome.unresolved and turn.reason not in (Reason.duplicate, Reason.empty)
            said = await self._runs.explain(turn) if is_said else ""
            return Step(text="\n\n".join(filter(None, [said, render_question(asked)])), turn=turn, question=asked)
        kept = self._paused.get(turn.conversation_id)
        if kept.run is None or kept.run.unknown != about:
            return Step(text=self._wording.busy, turn=turn)
        return await self._go_on(turn, kept.run.asked_whether(None), kept)

    def _after(self, turn: Turn, came: Finished | Stopped, kept: KeptRun) -> Step:
        if isinstance(came, Finished):
            if kept.run is not None:
                self._keep(turn, None, kept)
            return Step(text=came.text, output=came.output, turn=turn)
        run = PausedRun(run_id=secrets.token_hex(8), state=came.state, calls=came.calls)
        self._keep(turn, run, kept)
        question = self._ask(turn.conversation_id, run)
        return Step(text=render_question(question), question=question, turn=turn)

    def _ask(self, conversation_id: str, run: PausedRun) -> Confirmation:
        call = run.waiting[0]
        return ask_about(self._confirmations, conversation_id, call, run_id=run.run_id, wording=self._wording)

    def _keep(self, turn: Turn, run: PausedRun | None, kept: KeptRun) -> None:
        if self._paused.put(turn.conversation_id, run, after=kept.revision) is None:
            raise StoreError(
                "another process went on with the same conversation",
                hint="hand an agent the messages of one conversation one after the other",
            )
