"""Numbered questions for LangGraph: an interrupt in, a person's number, ``Command(resume=…)`` out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Protocol, cast

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, interrupt
from pydantic import JsonValue, ValidationError

from naoshi.confirm import (
    Confirmation,
    Confirmations,
    ConfirmationStore,
    Outcome,
    Reason,
    Settlement,
    Turn,
    render_question,
)
from naoshi.confirm.confirmations import utc_now
from naoshi.errors import InputError, OutcomeUnknownError, StoreError
from naoshi.integrations.confirmed_conversation import Step
from naoshi.integrations.paused_runs import PausedRun, PausedRuns
from naoshi.integrations.tool_call import ENGLISH, Wording
from naoshi.records.base import Record

_MARK = "naoshi.question/1"


class GraphQuestion(Record):
    """What an interrupt of `ask_person` carries: the question, its choices and the action that it is about."""

    format: str = _MARK
    question: str
    labels: tuple[str, ...]
    action: JsonValue = None
    irreversible: tuple[int, ...] = ()


def ask_person(
    question: str, labels: Sequence[str], *, action: JsonValue = None, irreversible: Sequence[int] = ()
) -> int:
    """Stop the node until a person has chosen, and return the number of the choice, from 1. Call it in a node.

    LangGraph runs the node again from its beginning when the answer is there. What the node did before this call is
    done again, so put effects after it, or do them through `naoshi.confirm.Effects`.

    Args:
        question: what is asked.
        labels: the choices' texts, in the order of their numbers.
        action: what will be done, as JSON; it is kept with the question.
        irreversible: the numbers of choices on which a model's reading of free text must never settle.

    Raises:
        InputError: the graph was resumed by something other than a number of these choices.
    """
    asked = GraphQuestion(question=question, labels=tuple(labels), action=action, irreversible=tuple(irreversible))
    choice = interrupt(asked.model_dump(mode="json"))
    if type(choice) is not int or not 1 <= choice <= len(labels):
        raise InputError(f"the question was resumed with {choice!r}, which is none of its choices")
    return choice


@dataclass(frozen=True, kw_only=True)
class _Waiting:
    """The first question that a graph waits for. Resuming it may have been begun already."""

    interrupt_id: str
    asked: GraphQuestion

    @property
    def action(self) -> JsonValue:
        return {"action": self.asked.action, "interrupt_id": self.interrupt_id}

    def answer(self, settlement: Settlement | None) -> int | None:
        """Return the choice if *settlement* is about this very question, else None."""
        if settlement is None or len(settlement.choices) != 1:
            return None
        question = settlement.confirmation
        same = (question.action, question.question, question.labels) == (
            self.action,
            self.asked.question,
            self.asked.labels,
        )
        return settlement.choices[0] if same else None


class CompiledGraph(Protocol):
    """The part of LangGraph's ``CompiledStateGraph`` that is used."""

    @property
    def checkpointer(self) -> Any: ...  # noqa: D102

    def get_state(self, config: RunnableConfig) -> Any:
        """Return the snapshot of the thread."""
        ...

    def invoke(self, input: Any, config: RunnableConfig) -> Any:
        """Run the graph on *input*, on a ``Command``, or on None to go on after a failure."""
        ...


class ConfirmedGraph:
    """A compiled graph whose `ask_person` interrupts are put to a person one at a time, in the order of its tasks.

    ``confirmed.take(thread_id, text)`` takes in every message of a person: a number answers the question that waits
    and resumes the graph; where nothing waits, the graph is run on the message. The questions that wait behind the
    first stay in the graph's own checkpoint. Other interrupts than those of `ask_person` are left alone; they are in
    ``Step.output``. Where a process died in an effect done through `naoshi.confirm.Effects`, the person is asked
    whether it happened, and the graph goes on from what they found.

    The graph is called synchronously. From async code, call ``await asyncio.to_thread(confirmed.take, …)``.

    Args:
        graph: the compiled graph, with a checkpointer that lasts.
        store: keeps the questions.
        given: makes the graph's input from a turn; without it, ``{"messages": […]}`` with the turn's context and text.
        said: makes the text for a person from the graph's output; without it, the text of the last message.
        explain: answers a message that does not answer the question; without it, the question is shown again.
        confirmations: asks and takes in replies, on the same *store*; made from it where not given.
        config: is part of every call's configuration.
        wording: of what is said while the graph runs.
        taken_up_for: how long one process may run the graph. Messages that come meanwhile are told to wait; after
            that, the process counts as dead, and the next message goes on.
        clock: gives the present time, with its zone.

    Raises:
        InputError: the graph has no checkpointer.
    """

    def __init__(
        self,
        graph: CompiledGraph,
        *,
        store: ConfirmationStore,
        given: Callable[[Turn], Any] | None = None,
        said: Callable[[Any], str] | None = None,
        explain: Callable[[Turn], str] | None = None,
        confirmations: Confirmations | None = None,
        config: RunnableConfig | None = None,
        wording: Wording = ENGLISH,
        taken_up_for: timedelta = timedelta(minutes=15),
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        if not graph.checkpointer:
            raise InputError("the graph has no checkpointer", hint="compile it with one, as interrupts need it")
        self._graph = graph
        self._confirmations = confirmations or Confirmations(store, clock=clock)
        self._running = PausedRuns(store, clock=clock)
        self._given = given or _messages
        self._said = said or _last_text
        self._explain = explain
        self._config = config
        self._wording = wording
        self._taken_up_for = taken_up_for
        self._clock = clock

    def take(self, thread_id: str, text: str, *, message_id: str | None = None, actor: str | None = None) -> Step:
        """Take in one message of a person, and return what to show.

        Raises:
            StoreError: the state cannot be read or written. What the message decided, if anything, is kept.
        """
        kept = self._running.get(thread_id)
        unknown = kept.run.unknown if kept.run else None
        turn = self._confirmations.receive(unknown or thread_id, text, message_id=message_id, actor=actor)
        if turn.reason is Reason.store_error:
            raise StoreError("the conversation's state cannot be used")
        turn = turn.model_copy(update={"conversation_id": thread_id})
        whether = self._confirmations.pending(unknown) if unknown else None
        if whether is not None:
            return self._with_question(turn, whether)
        now = self._clock()
        since = kept.run.taken_up_at if kept.run else None
        run = PausedRun(run_id="running", state="", calls=()).taken_up(now=now)
        busy = since is not None and now < since + self._taken_up_for
        revision = None if busy else self._running.put(thread_id, run, after=kept.revision)
        if revision is None:
            return Step(text=self._wording.busy, turn=turn)
        left: PausedRun | None = None
        try:
            return self._step(turn)
        except OutcomeUnknownError as error:
            left = PausedRun(run_id="unknown", state="", calls=()).asked_whether(error.conversation_id)
            asked = self._confirmations.pending(error.conversation_id) if error.conversation_id else None
            return Step(text=render_question(asked) if asked else self._wording.busy, question=asked, turn=turn)
        finally:
            self._running.put(thread_id, left, after=revision)

    def _step(self, turn: Turn) -> Step:
        config = self._config_of(turn.conversation_id)
        snapshot = self._graph.get_state(config)
        waiting = _first_waiting(snapshot)
        choice = waiting.answer(self._confirmations.settled(turn.conversation_id)) if waiting else None
        if waiting and choice is not None:
            return self._and_the_message(
                turn, self._graph.invoke(Command(resume={waiting.interrupt_id: choice}), config)
            )
        if waiting:
            return self._unanswered(turn, waiting)
        if snapshot.next and not snapshot.interrupts:
            # The run before was cut short. A new input would start over and lose what a person has approved.
            return self._and_the_message(turn, self._graph.invoke(None, config))
        return self._begin(turn)

    def _begin(self, turn: Turn) -> Step:
        if turn.reason is Reason.duplicate:
            return Step(text="", turn=turn)
        return self._after(turn, self._graph.invoke(self._given(turn), self._config_of(turn.conversation_id)))

    def _and_the_message(self, turn: Turn, output: Any) -> Step:
        """Return what came of going on and, where the message was not the answer that let it go on, of the message."""
        step = self._after(turn, output)
        if step.question or turn.reason is not Reason.nothing_pending:
            return step
        further = self._begin(turn)
        return replace(further, text="\n\n".join(filter(None, [step.text, further.text])))

    def _after(self, turn: Turn, output: Any) -> Step:
        waiting = _first_waiting(self._graph.get_state(self._config_of(turn.conversation_id)))
        if waiting is None:
            return Step(text=self._said(output), output=output, turn=turn)
        question = self._ask(turn.conversation_id, waiting)
        return Step(text=render_question(question), question=question, output=output, turn=turn)

    def _unanswered(self, turn: Turn, waiting: _Waiting) -> Step:
        pending = self._confirmations.pending(turn.conversation_id)
        if pending is None or pending.action != waiting.action:
            pending = self._ask(turn.conversation_id, waiting)
        return self._with_question(turn, pending)

    def _with_question(self, turn: Turn, question: Confirmation) -> Step:
        """Return the step that shows *question* again, below what the message is answered with."""
        said = ""
        if self._explain and turn.outcome is Outcome.unresolved and turn.reason is not Reason.duplicate:
            said = self._explain(turn)
        return Step(text="\n\n".join(filter(None, [said, render_question(question)])), question=question, turn=turn)

    def _ask(self, thread_id: str, waiting: _Waiting) -> Confirmation:
        asked = waiting.asked
        return self._confirmations.ask(
            thread_id, asked.question, asked.labels, action=waiting.action, irreversible=asked.irreversible
        )

    def _config_of(self, thread_id: str) -> RunnableConfig:
        config = RunnableConfig(**(self._config or {}))
        config["configurable"] = {**config.get("configurable", {}), "thread_id": thread_id}
        return config


def _first_waiting(snapshot: Any) -> _Waiting | None:
    return next(filter(None, map(_waiting, snapshot.interrupts)), None)


def _waiting(stopped: Any) -> _Waiting | None:
    value: Any = stopped.value
    if not isinstance(value, dict) or value.get("format") != _MARK:  # pyright: ignore[reportUnknownMemberType]
        return None
    try:
        return _Waiting(interrupt_id=stopped.id, asked=GraphQuestion.model_validate(value))
    except ValidationError:
        return None


def _messages(turn: Turn) -> dict[str, Any]:
    said = [{"role": "user", "content": turn.reply}]
    return {"messages": [{"role": "system", "content": turn.context}, *said] if turn.context else said}


def _last_text(output: Any) -> str:
    messages: Any = cast(dict[str, Any], output).get("messages") if isinstance(output, dict) else None
    last: Any = messages[-1] if messages else ""
    return str(getattr(last, "content", last))
