"""A model's reading of free text: a proposal that code checks, and never a decision on what cannot be undone."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.confirm import (
    ConfirmationEvent,
    Confirmations,
    ConfirmationStore,
    EventKind,
    Guard,
    MemoryStore,
    Outcome,
    Reason,
    Turn,
    render_question,
)
from tests.confirm.conftest import Clock

LABELS = ["登録する", "修正する", "やめる"]


@pytest.fixture
def confirmations(store: ConfirmationStore, clock: Clock) -> Confirmations:
    return Confirmations(store, clock=clock)


def test_a_reading_settles_what_can_be_undone(confirmations: Confirmations) -> None:
    """Protects free text from having to be typed again as a number where nothing is at stake."""
    asked = confirmations.ask("c", "どうしますか？", LABELS)
    turn = confirmations.receive("c", "直したい所がある", actor="Mika", message_id="m1")
    done = confirmations.propose(turn, 2)
    assert (done.outcome, done.reason, done.choice) == (Outcome.resolved, Reason.proposed, 2)
    assert done.settlement is not None
    assert (done.settlement.confirmation.id, done.settlement.actor) == (asked.id, "Mika")
    assert "修正する" in done.context
    assert confirmations.pending("c") is None
    assert confirmations.propose(turn, 2).reason is Reason.already_resolved
    assert confirmations.propose(turn, 1).reason is Reason.conflict


def test_a_yes_to_what_cannot_be_undone_is_put_back_once(confirmations: Confirmations) -> None:
    """Protects the effect from a model that hears yes: only the person's number settles it."""
    confirmations.ask("c", "送りますか？", ["送る", "送らない"], action={"tool": "send"}, no=2)
    turn = confirmations.receive("c", "うん、お願い")
    assert "1" in turn.context
    echoed = confirmations.propose(turn, 1)
    assert (echoed.outcome, echoed.reason, echoed.choice) == (Outcome.unresolved, Reason.echoed, None)
    assert echoed.confirmation is not None
    assert echoed.confirmation.ask_count == 2
    shown = render_question(echoed.confirmation)
    assert shown.split("\n")[0].startswith("返事を「1. 送る」と読みました")
    assert "2. 送らない" in shown
    turn = confirmations.receive("c", "だからいいって")
    second = confirmations.propose(turn, 1)
    assert (second.outcome, second.reason) == (Outcome.unresolved, Reason.free_text)
    pending = confirmations.pending("c")
    assert pending is not None
    assert pending.ask_count == 2
    assert confirmations.receive("c", "1").choice == 1


def test_a_no_may_be_read(confirmations: Confirmations) -> None:
    """Protects the person who says no in words: that does no harm."""
    confirmations.ask("c", "送りますか？", ["送る", "送らない"], action={"tool": "send"}, no=2)
    turn = confirmations.receive("c", "やめておこうかな")
    assert confirmations.propose(turn, 2).choice == 2


@pytest.mark.parametrize("choice", [0, 4, -1, 10**30, "1", "2", None, True, 1.0, [1, 2], [], ["1"], {"choice": 1}])
def test_what_is_no_choice_changes_nothing(confirmations: Confirmations, choice: Any) -> None:
    """Protects against whatever a model may send: it is data, and never an exception."""
    asked = confirmations.ask("c", "どうしますか？", LABELS)
    done = confirmations.propose(confirmations.receive("c", "どうかな"), choice)
    assert done.outcome is Outcome.unresolved
    assert done.reason in (Reason.out_of_range, Reason.ambiguous)
    assert confirmations.pending("c") == asked


def test_several_choices_where_the_question_takes_several(confirmations: Confirmations) -> None:
    """Protects questions of several choices: all are settled together."""
    confirmations.ask("c", "どれですか？", LABELS, multiple=True)
    done = confirmations.propose(confirmations.receive("c", "最初と最後"), [3, 1])
    assert (done.choice, done.choices) == (None, (1, 3))


@pytest.mark.parametrize("reply", ["", "　"])
def test_silence_is_never_consent(confirmations: Confirmations, reply: str) -> None:
    """Protects against a model that reads something in nothing."""
    asked = confirmations.ask("c", "どうしますか？", LABELS)
    assert confirmations.propose(confirmations.receive("c", reply), 1).reason is Reason.empty
    assert confirmations.pending("c") == asked


def test_a_reading_of_an_old_message_does_not_touch_the_new_question(
    confirmations: Confirmations, clock: Clock
) -> None:
    """Protects a question from what was said about another, before it, or before it expired."""
    before = confirmations.receive("c", "やって")
    confirmations.ask("c", "Aですか？", LABELS)
    about_a = confirmations.receive("c", "うん")
    confirmations.ask("c", "Bですか？", LABELS)
    for turn in (before, about_a):
        done = confirmations.propose(turn, 1)
        assert done.outcome is Outcome.nothing_pending
    about_b = confirmations.receive("c", "うん")
    clock.move(hours=12)
    assert confirmations.propose(about_b, 1).reason is Reason.expired
    assert confirmations.settled("c") is None


def test_a_reading_under_one_wording_does_not_settle_another(confirmations: Confirmations) -> None:
    """Protects the opposite wording about the same action: what was read as a yes to one is no yes to the other."""
    for wording in ("下書きを消しますか？", "下書きを残しますか？"):
        confirmations.ask("c", wording, LABELS, action={"draft": 1}, irreversible=[])
        if "消" in wording:
            read = confirmations.receive("c", "うん")
    done = confirmations.propose(read, 1)
    assert (done.outcome, done.reason) == (Outcome.unresolved, Reason.stale)
    assert "残しますか" in done.context
    assert confirmations.settled("c") is None


def test_only_a_persons_message_can_be_read(confirmations: Confirmations) -> None:
    """Protects against proposals without a message: a delivery that came before decides nothing again."""
    confirmations.ask("c", "どうしますか？", LABELS)
    confirmations.receive("c", "うん", message_id="m1")
    again = confirmations.receive("c", "うん", message_id="m1")
    assert again.reason is Reason.duplicate
    assert confirmations.propose(again, 1).outcome is not Outcome.resolved
    assert confirmations.settled("c") is None


def test_each_proposal_is_one_event(store: ConfirmationStore, clock: Clock) -> None:
    """Protects those who watch: what a model decided is told apart from what a person typed."""
    events: list[ConfirmationEvent] = []
    turns: list[Turn] = []
    confirmations = Confirmations(store, clock=clock, on_event=events.append, on_turn=turns.append)
    confirmations.ask("c", "どうしますか？", LABELS)
    confirmations.propose(confirmations.receive("c", "直して"), 2)
    assert [(event.kind, event.reason) for event in events] == [
        (EventKind.asked, None),
        (EventKind.turn, Reason.free_text),
        (EventKind.proposal, Reason.proposed),
    ]
    assert [turn.reason for turn in turns] == [Reason.free_text, Reason.proposed]


@given(st.text(max_size=30), st.integers(-1, 4))
def test_no_words_and_no_reading_let_the_guard_act(words: str, choice: int) -> None:
    """Protects what cannot be undone over all words: without the person's own number nothing happens."""
    clock = Clock()
    confirmations = Confirmations(MemoryStore(), clock=clock)
    guard = Guard(confirmations)
    guard("send", {"to": "a"}, conversation_id="c")
    for _ in range(3):
        clock.move(seconds=1)
        turn = confirmations.receive("c", words)
        if turn.choice == 1:
            return
        with guard.during(confirmations.propose(turn, choice)):
            assert not guard("send", {"to": "a"})
