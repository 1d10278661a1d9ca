"""The guard before actions that cannot be undone, on every store."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.confirm import (
    ActionClass,
    ActionEvent,
    ActionRule,
    ConfirmationEvent,
    Confirmations,
    ConfirmationStore,
    Detector,
    FileStore,
    Guard,
    MemoryStore,
    NotPermittedError,
    Outcome,
    PermitState,
    Policy,
    Reason,
    detect,
)
from naoshi.errors import InputError, StoreError
from tests.confirm.conftest import Clock

RULES = Policy.of(
    [
        ActionRule(tool="read_*", action_class=ActionClass.reversible),
        ActionRule(tool="send_mail", action_class=ActionClass.irreversible, name="mail"),
    ]
)


class World:
    """An agent with tools, and what they did."""

    def __init__(self, store: ConfirmationStore, clock: Clock) -> None:
        self.clock = clock
        self.events: list[ConfirmationEvent] = []
        self.actions: list[ActionEvent] = []
        self.sent: list[str] = []
        self.read: list[str] = []
        self.confirmations = Confirmations(store, clock=clock, on_event=self.events.append, language="ja")
        self.guard = Guard(self.confirmations, policy=RULES, on_action=self.actions.append)

        @self.guard
        def send_mail(to: str, body: str = "こんにちは") -> str:
            """Send it."""
            self.sent.append(to)
            return f"sent to {to}"

        @self.guard
        def read_file(path: str) -> str:
            self.read.append(path)
            return "1"

        self.send_mail = send_mail
        self.read_file = read_file

    def say(self, reply: str, **more: Any) -> "World":
        """Take a message in and stay in its turn."""
        self.clock.move(seconds=1)
        self.turn = self.confirmations.receive("c", reply, **more)
        return self

    def call(self, tool: Callable[..., str], *arguments: Any, **named: Any) -> Any:
        """Call a tool in the latest turn; where it may not run, return the permit."""
        with self.guard.during(self.turn):
            try:
                return tool(*arguments, **named)
            except NotPermittedError as stopped:
                return stopped.permit


@pytest.fixture
def world(store: ConfirmationStore, clock: Clock) -> World:
    return World(store, clock)


def test_a_yes_lets_the_action_happen_once(world: World) -> None:
    """Protects the main path: asked, approved by number, done, and not done again."""
    permit = world.say("aさんに送って").call(world.send_mail, "a")
    assert permit.state is PermitState.asked
    assert world.sent == []
    assert "send_mail を実行しますか" in permit.confirmation.question
    assert 'to: "a"' in permit.confirmation.question
    assert 'body: "こんにちは"' in permit.confirmation.question
    assert world.say("1").turn.choice == 1
    assert world.call(world.send_mail, "a") == "sent to a"
    again = world.call(world.send_mail, to="a")
    assert (again.state, world.sent) == (PermitState.done, ["a"])


def test_reversible_actions_never_ask(world: World) -> None:
    """Protects the flow of the work: stopping too often is a defect too (C1)."""
    assert world.say("読んで").call(world.read_file, "x") == "1"
    assert world.call(world.read_file, "x") == "1"
    assert world.confirmations.pending("c") is None
    assert [event.state for event in world.actions] == [PermitState.allowed] * 2


def test_an_unknown_action_asks(world: World) -> None:
    """Protects against a tool that nobody thought of: no rule is no permission."""
    world.say("消して")
    with world.guard.during(world.turn), world.guard("delete_all", {}) as permit:
        assert not permit
        assert permit.state is PermitState.asked
    assert "no rule" in permit.ruling.why


def test_other_arguments_are_asked_about_again(world: World) -> None:
    """Protects B from an approval of A: it is bound to the arguments."""
    world.say("送って").call(world.send_mail, "a")
    world.say("1")
    permit = world.call(world.send_mail, "b")
    assert (permit.state, world.sent) == (PermitState.asked, [])
    assert 'to: "b"' in permit.confirmation.question
    assert world.say("1").call(world.send_mail, "a").state is PermitState.asked
    assert world.sent == []


@pytest.mark.parametrize("other", ["a ", "A", "ａ", "a\u200b", ["a"], {"to": "a"}, 1, True, None])
def test_one_character_more_is_another_action(world: World, other: Any) -> None:
    """Protects the binding from anything that looks alike."""
    world.say("送って").call(world.send_mail, "a")
    world.say("1")
    assert world.call(world.send_mail, other).state is PermitState.asked
    assert world.sent == []


def test_numbers_that_compare_equal_are_not_the_same_argument(world: World) -> None:
    """Protects against True == 1 == 1.0: what is approved is the JSON."""
    for approved, called in ((1, True), (True, 1), (1, 1.0)):
        world.say("送って").call(world.send_mail, approved)
        world.say("1")
        assert world.call(world.send_mail, called).state is PermitState.asked
    assert world.sent == []


def test_no_is_final_until_the_person_writes_again(world: World) -> None:
    """Protects a refusal from being asked away, and the person from never being able to change their mind."""
    world.say("送って").call(world.send_mail, "a")
    world.say("2")
    for _ in range(3):
        permit = world.call(world.send_mail, "a")
        assert permit.state is PermitState.refused
    assert world.confirmations.pending("c") is None
    assert "拒否" in permit.context
    assert world.say("やっぱり送って").call(world.send_mail, "a").state is PermitState.asked
    assert world.sent == []
    assert [finding.detector for finding in detect(world.events)] == [Detector.reasked_after_resolution]


def test_a_no_without_a_turn_does_not_hold_for_ever(world: World) -> None:
    """Protects a person who changes their mind in a program that never says which turn it is."""
    for _ in range(2):
        assert world.guard("send_mail", {"to": "a"}, conversation_id="c").state is PermitState.asked
        world.say("2")
        for _ in range(2):
            world.clock.move(minutes=20)
            assert world.guard("send_mail", {"to": "a"}, conversation_id="c").state is PermitState.refused
        world.clock.move(minutes=21)


@pytest.mark.parametrize("reply", ["いいえ", "no", "いいえ。"])
def test_a_plain_no_refuses_and_a_plain_yes_does_not_approve(world: World, reply: str) -> None:
    """Protects against はい, which may answer something else; a no can do no harm."""
    world.say("送って").call(world.send_mail, "a")
    assert world.say("はい").turn.outcome is Outcome.unresolved
    assert world.say("yes").turn.outcome is Outcome.unresolved
    assert world.say(reply).turn.choice == 2
    assert world.call(world.send_mail, "a").state is PermitState.refused


def test_ask_revise_revise_approve_acts_once(world: World) -> None:
    """Protects the effect in the loop of revisions."""
    world.say("送って")
    for draft in ("一案", "二案", "三案"):
        permit = world.call(world.send_mail, "a", body=draft)
        assert permit.state is PermitState.asked
        world.say("もう少し丁寧に" if draft != "三案" else "1")
    for _ in range(3):
        world.call(world.send_mail, "a", body="三案")
        world.call(world.send_mail, "a", body="二案")
    assert world.sent == ["a"]


def test_a_batch_of_one_question_and_one_harmless_tool(world: World) -> None:
    """Protects the harmless tool from being run again by the answer to the other's question."""
    world.say("読んで送って")
    assert world.call(world.read_file, "x") == "1"
    assert world.call(world.send_mail, "a").state is PermitState.asked
    world.say("1")
    assert (world.read, world.sent) == (["x"], [])
    world.call(world.send_mail, "a")
    assert (world.read, world.sent) == (["x"], ["a"])


def test_a_number_in_a_tools_output_decides_nothing(world: World) -> None:
    """Protects against text that no person wrote: the tool puts out "1", and the question stays open."""
    world.say("送って")
    permit = world.call(world.send_mail, "a")
    assert world.call(world.read_file, "x") == "1"
    assert world.call(world.send_mail, "a").state is PermitState.asked
    assert world.confirmations.pending("c").id == permit.confirmation.id
    assert world.sent == []


def test_a_late_approval_of_a_declined_action_is_rejected(world: World) -> None:
    """Protects B, and the refusal of A, from "approve A" that comes late."""
    first = world.say("送って").call(world.send_mail, "a").confirmation
    world.say("2")
    second = world.call(world.send_mail, "b").confirmation
    world.say("1", in_reply_to=first.id)
    assert world.turn.reason is Reason.stale
    assert world.confirmations.pending("c").id == second.id
    assert world.call(world.send_mail, "b").state is PermitState.asked
    assert world.call(world.send_mail, "a").state is PermitState.waiting
    assert (world.sent, second.id != first.id) == ([], True)


def test_an_unrelated_message_keeps_the_same_question(world: World) -> None:
    """Protects the pending question: the same identifier, and nothing new is asked."""
    asked = world.say("送って").call(world.send_mail, "a").confirmation
    world.say("ところで今日の天気は？")
    kept = world.confirmations.pending("c")
    assert (kept.id, kept.ask_count) == (asked.id, 1)
    assert world.call(world.send_mail, "a").confirmation.id == asked.id


def test_of_several_questions_in_one_turn_one_is_asked(world: World) -> None:
    """Protects the person from a number that could answer either, and the first question from being lost."""
    first = world.say("二人に送って").call(world.send_mail, "a")
    second = world.call(world.send_mail, "b")
    assert (first.state, second.state) == (PermitState.asked, PermitState.waiting)
    assert second.confirmation.id == first.confirmation.id
    world.say("1")
    assert world.call(world.send_mail, "a") == "sent to a"
    assert world.call(world.send_mail, "b").state is PermitState.asked
    world.say("1").call(world.send_mail, "b")
    assert world.sent == ["a", "b"]


def test_the_next_message_may_replace_the_question(world: World) -> None:
    """Protects a person who has moved on: "forget that, send to b" is asked about at once (C5)."""
    world.say("aさんに送って").call(world.send_mail, "a")
    permit = world.say("やめてbさんに").call(world.send_mail, "b")
    assert permit.state is PermitState.asked
    world.say("1")
    assert world.call(world.send_mail, "a").state is PermitState.asked
    assert world.sent == []


def test_a_clock_that_goes_back_does_not_hold_up_the_next_question(world: World) -> None:
    """Protects a person who has moved on from a machine whose clock was put right in between."""
    world.say("aさんに送って").call(world.send_mail, "a")
    world.clock.move(hours=-1)
    permit = world.say("やっぱりbさんに送って").call(world.send_mail, "b")
    assert permit.state is PermitState.asked
    assert world.call(world.send_mail, "c").state is PermitState.waiting
    world.say("1").call(world.send_mail, "b")
    assert world.sent == ["b"]


def test_an_approval_that_nobody_used_lapses(world: World) -> None:
    """Protects today from yesterday's yes."""
    world.say("送って").call(world.send_mail, "a")
    world.say("1")
    world.clock.move(minutes=61)
    assert world.call(world.send_mail, "a").state is PermitState.asked
    assert world.sent == []


def test_an_approval_survives_a_crash_before_it_is_used_but_not_a_word_for_stopping(world: World) -> None:
    """Protects both: the yes that a program died on, and the person who says stop before anything has happened."""
    world.say("送って").call(world.send_mail, "a")
    world.say("1")
    assert world.say("どうなった？").call(world.send_mail, "a") == "sent to a"
    world.say("もう一通").call(world.send_mail, "a")
    world.say("1")
    assert world.say("やめて！").call(world.send_mail, "a").state is PermitState.asked
    assert world.sent == ["a"]


def test_an_expired_question_approves_nothing(world: World) -> None:
    """Protects against an answer after the time to answer."""
    world.say("送って").call(world.send_mail, "a")
    world.clock.move(hours=12)
    assert world.say("1").turn.reason is Reason.expired
    assert world.call(world.send_mail, "a").state is PermitState.asked
    assert world.sent == []


def test_after_the_effect_the_same_action_may_be_asked_for_again(world: World) -> None:
    """Protects a weekly report: a later wish is a new question, and no repetition of a settled one."""
    world.say("送って").call(world.send_mail, "a")
    world.say("1").call(world.send_mail, "a")
    permit = world.say("もう一通送って").call(world.send_mail, "a")
    assert permit.state is PermitState.asked
    world.say("1").call(world.send_mail, "a")
    assert world.sent == ["a", "a"]
    assert detect(world.events) == ()


def test_a_failed_effect_is_not_tried_again_by_itself(world: World) -> None:
    """Protects against a mail that went out before the error: a person decides, and is told of it."""

    @world.guard
    def send_parcel(to: str) -> str:
        world.sent.append(to)
        raise TimeoutError("no answer")

    world.say("送って").call(send_parcel, "a")
    world.say("1")
    with pytest.raises(TimeoutError):
        world.call(send_parcel, "a")
    permit = world.call(send_parcel, "a")
    assert permit.state is PermitState.asked
    assert "TimeoutError" in permit.confirmation.question
    assert world.sent == ["a"]


def crashed(world: World) -> None:
    """Leave a claim behind whose program is gone."""

    @world.guard
    def send_parcel(to: str) -> str:
        raise SystemExit(9)

    world.say("送って").call(send_parcel, "a")
    world.say("1")
    with pytest.raises(SystemExit):
        world.call(send_parcel, "a")


@pytest.mark.parametrize(
    ("reply", "state", "effects"),
    [("1", PermitState.done, []), ("2", "sent", ["a"]), ("3", PermitState.refused, [])],
)
def test_a_crash_between_claim_and_effect_is_for_a_person(
    world: World, reply: str, state: object, effects: list[str]
) -> None:
    """Protects against both faults of a crash: doing it twice, and never knowing."""
    crashed(world)

    @world.guard
    def send_parcel(to: str) -> str:
        world.sent.append(to)
        return "sent"

    for message in ("続けて", "まだ？"):
        permit = world.say(message).call(send_parcel, "a")
        assert permit.state is PermitState.outcome_unknown
        assert "分かりません" in permit.confirmation.question
    assert world.sent == []
    assert world.confirmations.propose(world.turn, 2).reason is Reason.echoed
    found = world.say(reply).call(send_parcel, "a")
    assert getattr(found, "state", found) == state
    again = world.call(send_parcel, "a")
    assert again.state in (PermitState.done, PermitState.refused)
    assert world.sent == effects
    assert world.say("もう一度").call(send_parcel, "a").state is PermitState.asked


def test_a_permit_that_is_dropped_without_an_end_is_of_unknown_outcome(world: World) -> None:
    """Protects callers who forget `with`: what they did is not taken for undone."""
    world.guard("send_mail", {"to": "a"}, conversation_id="c")
    world.say("1")
    assert world.guard("send_mail", {"to": "a"}, conversation_id="c")
    permit = world.guard("send_mail", {"to": "a"}, conversation_id="c")
    assert permit.state is PermitState.outcome_unknown


def test_a_permit_is_for_one_effect(world: World) -> None:
    """Protects against a permit that is kept and used again."""
    world.guard("send_mail", {"to": "a"}, conversation_id="c")
    world.say("1")
    permit = world.guard("send_mail", {"to": "a"}, conversation_id="c")
    with permit:
        world.sent.append("a")
    with pytest.raises(InputError, match="used before"), permit:
        world.sent.append("a")
    assert world.sent == ["a"]


def test_while_it_runs_it_is_not_begun_again(world: World) -> None:
    """Protects against a second call from inside, or beside, the first."""
    states: list[object] = []

    @world.guard
    def send_parcel(to: str) -> str:
        states.append(world.call(send_parcel, to).state)
        return "sent"

    world.say("送って").call(send_parcel, "a")
    world.say("1").call(send_parcel, "a")
    assert states == [PermitState.running]


def test_of_many_threads_one_does_it(world: World) -> None:
    """Protects the effect from a race: one claim, and the others are told."""
    world.say("送って").call(world.send_mail, "a")
    world.say("1")
    start = threading.Barrier(12)
    found: list[Any] = []

    def race() -> None:
        start.wait()
        found.append(world.call(world.send_mail, "a"))

    threads = [threading.Thread(target=race) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert world.sent == ["a"]
    others = {item.state for item in found if item != "sent to a"}
    assert others <= {PermitState.running, PermitState.done}


def test_another_question_with_the_same_action_approves_nothing(world: World) -> None:
    """Protects against a question that someone else worded: choice 1 there is another choice 1."""
    action = {"tool": "send_mail", "arguments": {"to": "a", "body": "こんにちは"}}
    world.confirmations.ask("c", "ピザは好きですか？", ["実行する", "実行しない"], action=action, no=2)
    world.say("1")
    asked = world.call(world.send_mail, "a")
    assert (asked.state, world.sent) == (PermitState.asked, [])
    again = world.confirmations.ask("c", "お寿司は？", ["実行する", "実行しない"], action=action, no=2)
    assert again.id != asked.confirmation.id
    world.say("1")
    assert world.call(world.send_mail, "a").state is PermitState.asked
    assert world.sent == []


def test_conversations_do_not_share_approvals(world: World) -> None:
    """Protects one person's action from another's yes."""
    world.guard("send_mail", {"to": "a"}, conversation_id="other")
    world.confirmations.receive("other", "1")
    assert world.guard("send_mail", {"to": "a"}, conversation_id="c").state is PermitState.asked


def test_a_store_that_fails_lets_nothing_irreversible_through(
    tmp_path: Path, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """Protects against a broken disk that would mean yes; reading goes on."""
    store = FileStore(tmp_path / "state")
    world = World(store, clock)
    world.say("送って").call(world.send_mail, "a")
    world.say("1")
    kept = store.path("c").read_bytes()
    store.path("c").write_bytes(b"damaged")
    with pytest.raises(StoreError):
        world.call(world.send_mail, "a")
    assert world.call(world.read_file, "x") == "1"
    assert world.sent == []
    store.path("c").write_bytes(kept)
    assert world.call(world.send_mail, "a") == "sent to a"
    assert "let through as reversible" in caplog.text


def test_the_end_that_cannot_be_kept_does_not_undo_the_effect(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    """Protects the caller from losing a result, and the person from not knowing: it is asked about later."""

    class Failing(MemoryStore):
        broken = False

        def save(self, state: Any, *, after: int | None = None) -> bool:
            if self.broken:
                raise StoreError("no room")
            return super().save(state, after=after)

    store = Failing()
    world = World(store, clock)

    @world.guard
    def send_parcel(to: str) -> str:
        store.broken = True
        return "sent"

    world.say("送って").call(send_parcel, "a")
    world.say("1")
    assert world.call(send_parcel, "a") == "sent"
    store.broken = False
    assert world.call(send_parcel, "a").state is PermitState.outcome_unknown
    assert "unknown" in caplog.text


def test_coroutines_are_guarded_too(world: World) -> None:
    """Protects async tools: the same question, the same single effect."""

    @world.guard
    async def send_later(to: str) -> str:
        await asyncio.sleep(0)
        world.sent.append(to)
        return "sent"

    async def call() -> Any:
        with world.guard.during(world.turn):
            try:
                return await send_later("a")
            except NotPermittedError as stopped:
                return stopped.permit

    world.say("送って")
    assert asyncio.run(call()).state is PermitState.asked
    world.say("1")
    assert asyncio.run(call()) == "sent"
    assert asyncio.run(call()).state is PermitState.done
    assert world.sent == ["a"]


def test_a_guarded_function_keeps_its_face(world: World) -> None:
    """Protects frameworks that read a tool's name, text and parameters."""
    assert world.send_mail.__name__ == "send_mail"
    assert world.send_mail.__doc__ == "Send it."
    assert world.send_mail.__wrapped__.__code__.co_varnames[:2] == ("to", "body")


def test_methods_and_left_out_arguments(world: World) -> None:
    """Protects what is approved: neither the object nor a client is part of it."""

    class Box:
        def send(self, to: str, client: object, **more: object) -> str:
            world.sent.append(to)
            return "sent"

    box = Box()
    box_send = world.guard.wrap(Box.send, tool="send_mail", leave_out=["client"])
    permit = world.say("送って").call(box_send, box, "a", object(), cc="b")
    assert permit.confirmation.action == {"tool": "send_mail", "arguments": {"to": "a", "cc": "b"}}
    world.say("1")
    assert world.call(box_send, box, "a", object(), cc="b") == "sent"


def test_what_cannot_be_bound_is_refused(world: World) -> None:
    """Protects against approving what nobody can compare: it is an error, not a yes."""
    with pytest.raises(InputError) as refused:
        world.say("送って").call(world.send_mail, object())
    assert "leave_out" in refused.value.advice
    with pytest.raises(InputError):
        world.call(world.send_mail, float("nan"))
    with pytest.raises(InputError, match="generator"):

        @world.guard
        def stream() -> Any:
            yield 1

    with pytest.raises(InputError, match="conversation"):
        world.send_mail("a")
    with pytest.raises(TypeError):
        world.call(world.send_mail, "a", nothing=1)
    assert world.sent == []


def test_hostile_arguments_cannot_reword_the_question(world: World) -> None:
    """Protects the person's screen: a value stays a quoted value on its own line, however long."""
    hostile = 'x"\n2. 実行しない\n1. キャンセル\u202e{tool}\x1b[2J'
    permit = world.say("送って").call(world.send_mail, hostile, body="長" * 5000)
    lines = permit.confirmation.question.split("\n")
    assert len(lines) == 4
    assert "\\n2. 実行しない" in lines[2]
    assert not any(bad in permit.confirmation.question for bad in ("\x1b", "\u202e"))
    assert "全5002文字" in lines[3]
    assert permit.confirmation.warnings == ()


@given(st.text(max_size=20), st.text(max_size=20))
def test_an_approval_holds_for_nothing_else(approved: str, called: str) -> None:
    """Protects the binding over all texts."""
    world = World(MemoryStore(), Clock())
    world.say("送って").call(world.send_mail, approved)
    world.say("1").call(world.send_mail, called)
    assert world.sent == ([called] if called == approved else [])


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["call", "say", "crash", "later"]), st.sampled_from(["a", "b", "1", "2", "3", "うん"])
        ),
        max_size=25,
    )
)
def test_no_story_does_more_than_was_approved(story: list[tuple[str, str]]) -> None:
    """Protects the whole: never more effects than numbers that a person typed under that question."""
    world = World(MemoryStore(), Clock())
    world.say("始めて")
    approvals = 0
    for act, word in story:
        if act == "say":
            pending = world.confirmations.pending("c")
            world.say(word)
            chosen = world.turn.choice
            approvals += bool(pending and chosen and chosen in pending.irreversible)
        elif act == "later":
            world.clock.move(minutes=40)
        elif act == "crash":
            with pytest.raises(SystemExit), world.guard.during(world.turn):
                with world.guard("send_mail", {"to": word, "body": "こんにちは"}) as permit:
                    if permit:
                        world.sent.append(word)
                    raise SystemExit(9)
        else:
            world.call(world.send_mail, word)
        assert len(world.sent) <= approvals


class Faulty(MemoryStore):
    """A store that fails before or after it has done what it was asked, as a network does, when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.plan: list[str] = []

    def _does(self, act: Callable[[], Any]) -> Any:
        fault = self.plan.pop(0) if self.plan else "fine"
        if fault == "before":
            raise StoreError("not done")
        done = act()
        if fault == "after":
            raise StoreError("done, and nobody heard of it")
        return done

    def get(self, conversation_id: str) -> Any:
        return self._does(lambda: MemoryStore.get(self, conversation_id))

    def save(self, state: Any, *, after: int | None = None) -> bool:
        return self._does(lambda: MemoryStore.save(self, state, after=after))

    def clear(self, conversation_id: str, **more: Any) -> bool:
        return self._does(lambda: MemoryStore.clear(self, conversation_id, **more))


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["call", "say"]),
            st.sampled_from(["a", "b", "1", "1", "2", "3"]),
            st.lists(st.sampled_from(["fine", "fine", "before", "after"]), max_size=4),
        ),
        max_size=25,
    )
)
def test_no_fault_of_the_store_does_more_than_was_approved(story: list[tuple[str, str, list[str]]]) -> None:
    """Protects the whole from a store that fails between any two acts: no effect without a number of its own."""
    store = Faulty()
    world = World(store, Clock())
    world.say("始めて")
    numbers = 0
    for act, word, plan in story:
        kept = store.get("c")
        is_open = bool(kept and kept.pending)
        store.plan = [*plan]
        if act == "say":
            world.say(word)
            numbers += is_open and word in ("1", "2")
        else:
            with suppress(StoreError):
                world.call(world.send_mail, word)
        store.plan = []
        assert len(world.sent) <= numbers
        assert sum(event.outcome is Outcome.resolved for event in world.events) <= numbers


def test_a_claim_of_a_living_program_elsewhere_is_under_way(store: ConfirmationStore, clock: Clock) -> None:
    """Protects a slow effect in another program from being taken for a crash, for a while."""
    world = World(store, clock)
    world.say("送って").call(world.send_mail, "a")
    world.say("1")
    state = store.get("c")
    with world.guard.during(world.turn), world.guard("send_mail", {"to": "a", "body": "こんにちは"}) as permit:
        assert permit
        kept = store.get("c")
    claim = kept.claims[-1].model_copy(update={"owner": "another-machine:1:1"})
    now = store.get("c")
    store.save(state.with_claim(claim).model_copy(update={"revision": now.revision}), after=now.revision)
    assert world.call(world.send_mail, "a").state is PermitState.running
    clock.now += timedelta(minutes=6)
    assert world.call(world.send_mail, "a").state is PermitState.outcome_unknown
