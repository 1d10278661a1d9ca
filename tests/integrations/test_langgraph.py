"""LangGraph, with its own checkpointers and a scripted chat model."""

import operator
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.language_models import FakeListChatModel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import interrupt

from naoshi.confirm import Claim, Confirmations, ConversationState, Effects, FileStore, Reason
from naoshi.confirm.confirmations import utc_now
from naoshi.confirm.effects import effect_conversation
from naoshi.errors import InputError, OutcomeUnknownError
from naoshi.integrations.langgraph import ConfirmedGraph, ask_person

LABELS = ["Send it", "Leave it"]


class Log(TypedDict):
    log: Annotated[list[Any], operator.add]


def compiled(*nodes: Callable[[Log], Any], saver: Any = None) -> Any:
    """Return a graph whose *nodes* run side by side."""
    graph = StateGraph(Log)
    for node in nodes:
        graph.add_node(node.__name__, node)
        graph.add_edge(START, node.__name__)
    return graph.compile(checkpointer=saver or InMemorySaver())


def confirmed(graph: Any, store: FileStore, **options: Any) -> ConfirmedGraph:
    given: Callable[[Any], Any] = lambda turn: {"log": [turn.reply]}  # noqa: E731
    return ConfirmedGraph(graph, store=store, **{"given": given, "said": lambda output: str(output["log"]), **options})


@pytest.fixture
def saver(tmp_path: Path) -> Iterator[SqliteSaver]:
    """LangGraph's own saver in a file, as after a restart: nothing of the test's graph is in memory."""
    with closing(sqlite3.connect(tmp_path / "graph.db", check_same_thread=False)) as connection:
        yield SqliteSaver(connection)


def test_a_number_resumes_the_graph_in_another_process(store: FileStore, saver: SqliteSaver) -> None:
    """Protects the main road: interrupt in, number, resume out, with all state in files."""

    def review(_: Log) -> Log:
        return {"log": [ask_person("Send it?", LABELS, action={"to": "a"})]}

    asked = confirmed(compiled(review, saver=saver), store).take("t", "go")
    assert asked.text == "Send it?\n1. Send it\n2. Leave it"
    done = confirmed(compiled(review, saver=saver), store).take("t", "②")
    assert done.text == "['go', 2]"
    assert done.question is None
    assert confirmed(compiled(review, saver=saver), store).take("t", "again").question is not None


def test_parallel_interrupts_are_asked_one_at_a_time(store: FileStore) -> None:
    """Protects the order, and the answers: each goes to the node that asked, though the nodes are run again."""

    def first(_: Log) -> Log:
        return {"log": [("first", ask_person("First?", LABELS))]}

    def second(_: Log) -> Log:
        return {"log": [("second", ask_person("Second?", LABELS), ask_person("Second, really?", LABELS))]}

    def third(_: Log) -> Log:
        return {"log": [("third", ask_person("First?", LABELS))]}

    graph = confirmed(compiled(first, second, third), store)
    texts = [graph.take("t", text).text for text in ("go", "1", "2", "1", "2")]
    assert [text.splitlines()[0] for text in texts[:4]] == ["First?", "Second?", "Second, really?", "First?"]
    for answer in ("('first', 1)", "('second', 2, 1)", "('third', 2)"):
        assert answer in texts[4].replace("[", "(").replace("]", ")")


def test_nodes_run_again_and_effects_do_not(store: FileStore) -> None:
    """Protects what a node does before its question, and what it does after it when it fails and is run again."""
    runs: list[str] = []
    effects: list[str] = []
    claims = Effects(store)
    fails = [True]

    def review(_: Log) -> Log:
        runs.append("review")
        number = claims.run("t/reserve", lambda: effects.append("reserved") or 7)
        choice = ask_person("Send it?", LABELS)
        claims.run("t/send", lambda: effects.append("sent"))
        if fails.pop() if fails else False:
            raise RuntimeError("the node fails after its effect")
        return {"log": [(number, choice)]}

    graph = confirmed(compiled(review), store)
    graph.take("t", "go")
    with pytest.raises(RuntimeError):
        graph.take("t", "1")
    done = graph.take("t", "Well?")
    assert effects == ["reserved", "sent"]
    assert len(runs) >= 3
    assert done.text.startswith("['go', (7, 1)]\n\nSend it?"), "the message is not lost: it is the next run"


def test_a_run_that_was_cut_short_goes_on_with_the_approval(store: FileStore, saver: SqliteSaver) -> None:
    """Protects an approved effect from being forgotten when the process dies between the reply and the resume."""
    sent: list[int] = []

    def review(_: Log) -> Log:
        sent.append(ask_person("Send it?", LABELS))
        return {"log": ["done"]}

    confirmed(compiled(review, saver=saver), store).take("t", "go")
    assert Confirmations(store).receive("t", "1").choice == 1
    done = confirmed(compiled(review, saver=saver), store).take("t", "1")
    assert sent == [1]
    assert done.turn.reason is Reason.already_resolved
    assert "done" in done.text


def test_a_message_that_does_not_answer_leaves_the_question(store: FileStore) -> None:
    """Protects "explain first": the same question stays, and a number then resolves it."""

    def review(_: Log) -> Log:
        return {"log": [ask_person("Send it?", LABELS)]}

    graph = confirmed(compiled(review), store, explain=lambda turn: f"explained: {turn.reason}")
    asked = graph.take("t", "go")
    explained = graph.take("t", "1. Send it, but to b")
    assert explained.text.startswith("explained: ")
    assert explained.question == asked.question
    assert graph.take("t", "1").text == "['go', 1]"


def test_a_changed_question_is_not_answered_by_the_old_reply(store: FileStore, saver: SqliteSaver) -> None:
    """Protects "revise, then a late number": code that asks something else now does not get the earlier answer."""

    def review(_: Log) -> Log:
        return {"log": [ask_person("Send 10?", LABELS)]}

    first = confirmed(compiled(review, saver=saver), store)
    first.take("t", "go")
    Confirmations(store).ask("t", "Something else?", LABELS)
    asked = confirmed(compiled(review, saver=saver), store).take("t", "1")
    assert asked.turn.confirmation is not None
    assert asked.turn.confirmation.question == "Something else?"
    assert asked.text.startswith("Send 10?")


def test_one_answer_is_for_one_asking_though_the_next_is_worded_the_same(store: FileStore) -> None:
    """Protects a node that asks the same in a loop: the yes to the first is none to the second, expired or not."""
    deleted: list[int] = []

    def tidy(_: Log) -> Log:
        count = 0
        while ask_person("Delete the next one?", LABELS) == 1:
            count += 1
            Effects(store).run(f"delete/{count}", lambda: deleted.append(1))
        return {"log": [count]}

    now = [datetime(2026, 1, 1, tzinfo=UTC)]
    clock: Callable[[], datetime] = lambda: now[0]  # noqa: E731
    graph = confirmed(compiled(tidy), store, confirmations=Confirmations(store, clock=clock), clock=clock)
    graph.take("t", "go")
    assert graph.take("t", "1").question is not None
    assert len(deleted) == 1
    for text in ("hm?", "1"):
        now[0] += timedelta(hours=11 if text == "hm?" else 2)
        again = graph.take("t", text)
        assert again.question is not None
        assert len(deleted) == 1
    assert again.turn.reason is Reason.expired
    graph.take("t", "1")
    assert len(deleted) == 2
    assert graph.take("t", "2").text == "['go', 2]"


def test_an_expired_question_is_asked_again(store: FileStore) -> None:
    """Protects against a reply that comes too late, and against a graph that waits for ever."""

    def review(_: Log) -> Log:
        return {"log": [ask_person("Send it?", LABELS)]}

    graph = confirmed(compiled(review), store, confirmations=Confirmations(store, ttl=timedelta(microseconds=1)))
    graph.take("t", "go")
    again = graph.take("t", "1")
    assert again.turn.reason is Reason.expired
    assert again.question is not None


def test_a_graph_that_another_process_runs_is_left_to_it(store: FileStore) -> None:
    """Protects against two processes in one thread of a graph."""
    graphs: list[ConfirmedGraph] = []

    def review(_: Log) -> Log:
        return {"log": [graphs[0].take("t", "meanwhile").text]}

    graphs.append(confirmed(compiled(review), store))
    assert "still running" in graphs[0].take("t", "go").text


def test_a_killed_effect_is_a_question_for_a_person(store: FileStore) -> None:
    """Protects the effect whose outcome nobody knows: it is done again only on a person's word."""
    done: list[str] = []

    class Killed(BaseException):
        pass

    def killed() -> None:
        raise Killed

    claims = Effects(store)
    with pytest.raises(Killed):
        claims.run("k", killed)
    with pytest.raises(OutcomeUnknownError):
        claims.run("k", lambda: done.append("again"))
    assert done == []
    assert Confirmations(store).receive(effect_conversation("k"), "2").choice == 2
    claims.run("k", lambda: done.append("again"))
    claims.run("k", lambda: done.append("and again"))
    assert done == ["again"]


@pytest.mark.parametrize(("found", "sent"), [("1", []), ("2", ["a"])], ids=["it happened", "it did not"])
def test_an_effect_that_a_process_died_in_is_asked_about_in_the_thread(
    store: FileStore, saver: SqliteSaver, found: str, sent: list[str]
) -> None:
    """Protects the person from having to look elsewhere, and the effect from being done again by itself."""
    done: list[str] = []

    def review(_: Log) -> Log:
        ask_person("Send it?", LABELS)
        Effects(store).run("k", lambda: done.append("a"), told="Send report 7")
        return {"log": ["ended"]}

    def take(text: str) -> Any:
        return confirmed(compiled(review, saver=saver), store, explain=lambda turn: f"({turn.reply})").take("t", text)

    take("go")
    claim = Claim(confirmation_id="ef_1", action_hash="x", owner=f"{os.uname().nodename}:4194304:1", at=utc_now())
    store.save(ConversationState(conversation_id=effect_conversation("k"), claims=(claim,)))
    asked = take("1")
    assert asked.text.startswith("Send report 7 began at")
    assert take("hm?").text.startswith("(hm?)\n\nSend report 7 began at")
    assert take("3").question == asked.question
    assert done == []
    assert take(found).text == "['go', 'ended']"
    assert done == sent
    assert take("again").question is not None


def test_interrupts_of_others_are_left_alone(store: FileStore) -> None:
    """Protects graphs that use interrupts for something else too."""

    def review(_: Log) -> Log:
        return {"log": [interrupt({"format": "theirs"})]}

    step = confirmed(compiled(review), store, said=str).take("t", "go")
    assert step.question is None
    assert step.output["__interrupt__"][0].value == {"format": "theirs"}


def test_a_resume_from_elsewhere_must_be_one_of_the_choices(store: FileStore) -> None:
    """Protects the node from a value that no person chose: True is 1 in Python, and 3 is none of two."""
    from langgraph.types import Command

    def review(_: Log) -> Log:
        return {"log": [ask_person("Send it?", LABELS)]}

    for hostile in (True, 3, 0, "1", [1]):
        graph = compiled(review)
        graph.invoke({"log": []}, {"configurable": {"thread_id": "t"}})
        with pytest.raises(InputError):
            graph.invoke(Command(resume=hostile), {"configurable": {"thread_id": "t"}})


def test_a_graph_without_a_checkpointer_is_refused(store: FileStore) -> None:
    """Protects against a question that nobody can ever answer."""
    graph = StateGraph(MessagesState).add_node("n", lambda state: state).add_edge(START, "n").compile()
    with pytest.raises(InputError, match="checkpointer"):
        ConfirmedGraph(graph, store=store)


def test_a_chat_graph_needs_nothing_but_a_store(store: FileStore) -> None:
    """Protects the five lines: messages in, the model's text out, the settled choice before the model."""
    model = FakeListChatModel(responses=["It is sent."])

    def review(_: MessagesState) -> MessagesState:
        choice = ask_person("送りますか？", ["送る", "やめる"])
        return {"messages": [model.invoke(f"The person chose {choice}")]}

    graph = StateGraph(MessagesState).add_node("review", review).add_edge(START, "review")
    chat = ConfirmedGraph(graph.compile(checkpointer=InMemorySaver()), store=store)
    assert chat.take("t", "送って").text == "送りますか？\n1. 送る\n2. やめる"
    assert chat.take("t", "1番").text == "It is sent."
