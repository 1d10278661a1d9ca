"""Asking and receiving, on every store."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.confirm import (
    Confirmations,
    ConfirmationStore,
    ConversationState,
    MemoryStore,
    Outcome,
    Reason,
    Settlement,
)
from naoshi.errors import InputError, StoreError
from tests.confirm.conftest import Clock

QUESTION = "この内容で登録しますか？"
LABELS = ["登録する", "修正する", "やめる"]


@pytest.fixture
def confirmations(store: ConfirmationStore, clock: Clock) -> Confirmations:
    return Confirmations(store, clock=clock)


class WatchingStore:
    """A store that writes down what is done to it."""

    def __init__(self) -> None:
        self.inner = MemoryStore()
        self.acts: list[str] = []

    def save(self, state: ConversationState, *, after: int | None = None) -> bool:
        self.acts.append("save")
        return self.inner.save(state, after=after)

    def get(self, conversation_id: str) -> ConversationState | None:
        self.acts.append("get")
        return self.inner.get(conversation_id)

    def clear(
        self, conversation_id: str, *, confirmation_id: str | None = None, settlement: Settlement | None = None
    ) -> bool:
        self.acts.append("clear")
        return self.inner.clear(conversation_id, confirmation_id=confirmation_id, settlement=settlement)


def test_a_question_is_answered_by_number(confirmations: Confirmations) -> None:
    """Protects the main path: ask, answer, settled once."""
    asked = confirmations.ask("c", QUESTION, LABELS, action={"tool": "register"})
    assert [(choice.number, choice.label) for choice in asked.choices] == [*enumerate(LABELS, start=1)]
    turn = confirmations.receive("c", "２", actor="Mika")
    assert (turn.outcome, turn.reason, turn.choice) == ("resolved", "resolved", 2)
    assert turn.confirmation == asked
    assert [choice.label for choice in turn.selected] == ["修正する"]
    assert turn.settlement is not None
    assert turn.settlement.actor == "Mika"
    assert confirmations.pending("c") is None


def test_the_question_is_kept_before_it_is_returned(clock: Clock) -> None:
    """Protects against a question on screen that no state knows (C3)."""
    store = WatchingStore()
    Confirmations(store, clock=clock).ask("c", QUESTION, LABELS)
    assert "save" in store.acts
    kept = store.inner.get("c")
    assert kept is not None
    assert kept.pending is not None


def test_a_question_that_cannot_be_kept_is_not_returned(clock: Clock) -> None:
    """Protects against showing what was not saved."""

    class FullStore(WatchingStore):
        def save(self, state: ConversationState, *, after: int | None = None) -> bool:
            raise StoreError("no room")

    with pytest.raises(StoreError):
        Confirmations(FullStore(), clock=clock).ask("c", QUESTION, LABELS)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"), ("　", "empty"), ("5", "out_of_range"), ("0", "out_of_range"), ("1,3", "ambiguous"),
        ("はい", "free_text"), ("1. この内容で登録してください", "too_long"), ("1じゃない", "free_text"),
        ("停止", "escape"), ("やめる", "escape"), ("Cancel!", "escape"), ("STOP", "escape"),
        ("ｓｔｏｐ。", "escape"), ("stop!!!!!!!!!!!!", "escape"), ("\n" * 20 + "停止" + "\n" * 20, "escape"),
    ],
)  # fmt: skip
def test_what_is_not_a_number_leaves_the_question_open(confirmations: Confirmations, reply: str, reason: str) -> None:
    """Protects free text from being guessed at or thrown away, and the question from being lost (C13)."""
    asked = confirmations.ask("c", QUESTION, LABELS)
    turn = confirmations.receive("c", reply)
    assert (turn.outcome, turn.reason, turn.choice, turn.reply) == ("unresolved", reason, None, reply)
    assert turn.confirmation == asked
    assert QUESTION in turn.context
    assert all(label in turn.context for label in LABELS)
    assert confirmations.pending("c") == asked
    assert confirmations.receive("c", "1").choice == 1


def test_nothing_asked_means_nothing_pending(confirmations: Confirmations) -> None:
    """Protects ordinary messages: a number without a question is only a message."""
    turn = confirmations.receive("c", "1")
    assert (turn.outcome, turn.reason, turn.choice, turn.context) == ("nothing_pending", "nothing_pending", None, "")


def test_conversations_do_not_mix(confirmations: Confirmations) -> None:
    """Protects a question from another conversation's number (C4)."""
    confirmations.ask("a", QUESTION, LABELS)
    assert confirmations.receive("b", "1").outcome is Outcome.nothing_pending
    assert confirmations.receive("A", "1").outcome is Outcome.nothing_pending
    assert confirmations.pending("a") is not None


def test_only_the_latest_question_exists(confirmations: Confirmations) -> None:
    """Protects against an old question that takes a new number (C5)."""
    first = confirmations.ask("c", QUESTION, LABELS)
    second = confirmations.ask("c", "送信しますか？", ["送信する", "下書きに戻す"])
    assert second.id != first.id
    assert confirmations.pending("c") == second
    assert confirmations.receive("c", "3").reason is Reason.out_of_range
    turn = confirmations.receive("c", "2")
    assert turn.confirmation == second
    assert confirmations.receive("c", "2").outcome is Outcome.nothing_pending


def test_a_used_question_never_resolves_again(confirmations: Confirmations) -> None:
    """Protects the effect from happening twice, and says who decided (C7)."""
    confirmations.ask("c", QUESTION, LABELS)
    confirmations.receive("c", "1", actor="Mika")
    same = confirmations.receive("c", "①", actor="Ren")
    assert (same.outcome, same.reason, same.choice) == ("nothing_pending", "already_resolved", None)
    other = confirmations.receive("c", "3", actor="Ren")
    assert (other.outcome, other.reason, other.choice) == ("nothing_pending", "conflict", None)
    assert "Mika" in other.context
    assert "2026-10-25T00:30:00+00:00" in other.context
    assert confirmations.receive("c", "ありがとう").reason is Reason.nothing_pending


def test_a_decision_is_found_again_by_who_comes_after_a_crash(store: ConfirmationStore, clock: Clock) -> None:
    """Protects a decision that was made when the program that took it in died before it could act."""
    asked = Confirmations(store, clock=clock).ask("c", QUESTION, LABELS)
    assert Confirmations(store, clock=clock).settled("c") is None
    Confirmations(store, clock=clock).receive("c", "2", actor="Mika")
    settlement = Confirmations(store, clock=clock).settled("c")
    assert settlement is not None
    assert (settlement.confirmation, settlement.choices, settlement.actor) == (asked, (2,), "Mika")


@pytest.mark.parametrize("late", [timedelta(0), timedelta(seconds=1), timedelta(days=400)])
def test_an_expired_question_never_resolves(store: ConfirmationStore, clock: Clock, late: timedelta) -> None:
    """Protects today's question from yesterday's number (C6)."""
    confirmations = Confirmations(store, ttl=timedelta(minutes=5), clock=clock)
    asked = confirmations.ask("c", QUESTION, LABELS)
    clock.now += timedelta(minutes=5) + late
    assert confirmations.pending("c") is None
    turn = confirmations.receive("c", "1")
    assert (turn.outcome, turn.reason, turn.choice, turn.confirmation) == ("nothing_pending", "expired", None, asked)
    assert QUESTION in turn.context
    assert confirmations.receive("c", "1").outcome is Outcome.nothing_pending
    again = confirmations.receive("c", "1", in_reply_to=asked.id)
    assert (again.outcome, again.reason, "no longer open" in again.context) == ("nothing_pending", "stale", True)


def test_a_message_without_an_identifier_is_a_message_of_its_own(confirmations: Confirmations) -> None:
    """Protects channels that give an empty identifier: two such messages are no delivery twice, and answer no other."""
    confirmations.ask("c", QUESTION, LABELS)
    assert confirmations.receive("c", "先に説明して", message_id="", in_reply_to="").reason is Reason.free_text
    assert confirmations.receive("c", "2", message_id="", in_reply_to="").choice == 2


def test_a_message_delivered_again_after_the_time_says_that_nothing_is_open(
    store: ConfirmationStore, clock: Clock
) -> None:
    """Protects the agent from waiting for an answer to a question that can no longer be answered."""
    confirmations = Confirmations(store, ttl=timedelta(minutes=5), clock=clock)
    confirmations.ask("c", QUESTION, LABELS)
    outcomes: list[str] = []
    for _ in range(3):
        outcomes.append(confirmations.receive("c", "先に説明して", message_id="m").outcome)
        clock.move(minutes=4)
    assert outcomes == ["unresolved", "unresolved", "nothing_pending"]


def test_a_question_lives_until_its_last_moment(store: ConfirmationStore, clock: Clock) -> None:
    """Protects a person who answers in time."""
    confirmations = Confirmations(store, ttl=timedelta(minutes=5), clock=clock)
    confirmations.ask("c", QUESTION, LABELS)
    clock.move(seconds=299.999)
    assert confirmations.receive("c", "1").choice == 1


def test_zones_and_clock_changes_do_not_move_the_expiry(store: ConfirmationStore) -> None:
    """Protects the expiry from the night on which an hour comes twice, and from a change of zone."""
    berlin = ZoneInfo("Europe/Berlin")
    moments = [
        datetime(2026, 10, 25, 2, 30, fold=0, tzinfo=berlin),
        datetime(2026, 10, 25, 2, 20, fold=1, tzinfo=berlin),
        datetime(2026, 10, 25, 10, 31, tzinfo=timezone(timedelta(hours=9))),
    ]
    confirmations = Confirmations(store, ttl=timedelta(hours=1), clock=lambda: moments[0])
    asked = confirmations.ask("c", QUESTION, LABELS)
    assert asked.expires_at == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    moments.pop(0)
    assert confirmations.pending("c") == asked
    moments.pop(0)
    assert confirmations.receive("c", "1").reason is Reason.expired


def test_a_clock_that_goes_back_harms_nothing(confirmations: Confirmations, clock: Clock) -> None:
    """Protects the state from a machine whose clock is put right."""
    first = confirmations.ask("c", QUESTION, LABELS)
    clock.move(hours=-2)
    again = confirmations.ask("c", QUESTION, LABELS)
    assert (again.id, again.updated_at) == (first.id, first.updated_at)
    assert confirmations.receive("c", "1").choice == 1


def test_a_clock_without_zone_is_refused(store: ConfirmationStore) -> None:
    """Protects against times that mean another hour on another machine."""
    naive = datetime(2026, 1, 1)  # noqa: DTZ001 - what must be refused
    with pytest.raises(InputError):
        Confirmations(store, clock=lambda: naive).ask("c", QUESTION, LABELS)


def test_the_same_question_keeps_its_first_time(confirmations: Confirmations, clock: Clock) -> None:
    """Protects the difference between "still the same question" and "another one" (C8)."""
    first = confirmations.ask("c", QUESTION, LABELS)
    clock.move(minutes=10)
    again = confirmations.ask("c", "  この内容で\u3000登録しますか ?", ["登録する ", "修正する", "やめる"])
    assert (again.id, again.created_at, again.fingerprint) == (first.id, first.created_at, first.fingerprint)
    assert again.updated_at == clock.now
    assert again.expires_at == clock.now + timedelta(hours=12)
    assert (first.ask_count, again.ask_count) == (1, 2)


@pytest.mark.parametrize(
    ("question", "labels", "action"),
    [
        ("金額は1,200円ですか？", LABELS, None), (QUESTION, ["修正する", "登録する", "やめる"], None),
        (QUESTION, LABELS[:2], None), (QUESTION, LABELS, {"to": "b"}),
    ],
)  # fmt: skip
def test_another_question_is_a_new_one(
    confirmations: Confirmations, question: str, labels: Sequence[str], action: dict[str, str] | None
) -> None:
    """Protects against taking a question with other numbers, order or action for the same."""
    first = confirmations.ask("c", QUESTION, LABELS)
    assert confirmations.ask("c", question, labels, action=action).id != first.id


@pytest.mark.parametrize(
    ("one", "other"), [("12 3で良いですか", "1 23で良いですか"), ("$1.5送る?", "$15送る?"), ("no where", "nowhere")]
)
def test_spacing_inside_numbers_and_words_is_wording(confirmations: Confirmations, one: str, other: str) -> None:
    """Protects against folding two different questions into one."""
    assert confirmations.ask("c", one, LABELS).id != confirmations.ask("c", other, LABELS).id


def test_an_action_binds_its_arguments(confirmations: Confirmations) -> None:
    """Protects an approval for one recipient from becoming one for another."""
    first = confirmations.ask("c", QUESTION, LABELS, action={"tool": "send", "to": "a"})
    assert confirmations.ask("c", QUESTION, LABELS, action={"to": "a", "tool": "send"}).id == first.id
    assert confirmations.ask("c", "送っていいですか", LABELS, action={"tool": "send", "to": "a"}).id == first.id
    assert confirmations.ask("c", QUESTION, LABELS, action={"tool": "send", "to": "b"}).id != first.id


def test_an_expired_question_asked_again_is_new(store: ConfirmationStore, clock: Clock) -> None:
    """Protects an expired question from coming back to life."""
    confirmations = Confirmations(store, ttl=timedelta(minutes=5), clock=clock)
    first = confirmations.ask("c", QUESTION, LABELS)
    clock.move(minutes=6)
    again = confirmations.ask("c", QUESTION, LABELS)
    assert again.id != first.id
    assert (again.created_at, again.ask_count) == (clock.now, 1)


def test_a_settled_question_asked_again_is_new(confirmations: Confirmations) -> None:
    """Protects a used question from resolving again under its old identifier."""
    first = confirmations.ask("c", QUESTION, LABELS)
    confirmations.receive("c", "1")
    assert confirmations.ask("c", QUESTION, LABELS).id != first.id


def test_a_question_asked_for_ever_does_not_grow_for_ever(store: ConfirmationStore, clock: Clock) -> None:
    """Protects the state from an agent that loops: the latest messages that showed the question are remembered."""
    confirmations = Confirmations(store, clock=clock)
    for number in range(200):
        confirmations.ask("c", QUESTION, LABELS, message_id=f"m{number}")
    asked = confirmations.pending("c")
    assert asked is not None
    assert (asked.ask_count, len(asked.shown_as)) == (200, 64)
    assert confirmations.receive("c", "1", in_reply_to="m0").reason is Reason.stale
    assert confirmations.receive("c", "1", in_reply_to="m199").choice == 1


def test_a_message_delivered_twice_counts_once(confirmations: Confirmations) -> None:
    """Protects against a channel that delivers again: not this question, and not the next one."""
    confirmations.ask("c", QUESTION, LABELS)
    assert confirmations.receive("c", "1", message_id="m1").choice == 1
    again = confirmations.receive("c", "1", message_id="m1")
    assert (again.outcome, again.reason, again.choice) == ("nothing_pending", "duplicate", None)
    assert again.settlement is not None
    asked = confirmations.ask("c", "送信しますか？", LABELS)
    again = confirmations.receive("c", "1", message_id="m1")
    assert (again.outcome, again.reason, again.choice) == ("unresolved", "duplicate", None)
    assert confirmations.pending("c") == asked
    assert confirmations.receive("c", "1", message_id="m2").choice == 1


def test_an_unresolved_message_delivered_twice_counts_once(store: ConfirmationStore, clock: Clock) -> None:
    """Protects against handling free text twice, in another process too."""
    one, other = Confirmations(store, clock=clock), Confirmations(store, clock=clock)
    one.ask("c", QUESTION, LABELS)
    assert one.receive("c", "先に説明して", message_id="m1").reason is Reason.free_text
    assert other.receive("c", "先に説明して", message_id="m1").reason is Reason.duplicate
    assert other.receive("c", "1", message_id="m2").choice == 1


def test_a_message_from_before_the_question_does_not_answer_it(store: ConfirmationStore, clock: Clock) -> None:
    """Protects a question from the message that led to it, delivered again in any process."""
    one, other = Confirmations(store, clock=clock), Confirmations(store, clock=clock)
    assert one.receive("c", "1", message_id="m0").reason is Reason.nothing_pending
    one.ask("c", QUESTION, LABELS)
    assert one.receive("c", "1", message_id="m0").reason is Reason.duplicate
    assert other.receive("c", "1", message_id="m0").reason is Reason.duplicate
    assert other.receive("c", "1", message_id="m1").choice == 1


def test_an_expired_answer_delivered_again_does_not_answer_the_next(store: ConfirmationStore, clock: Clock) -> None:
    """Protects the next asking from a message that came too late for the last."""
    one, other = Confirmations(store, clock=clock), Confirmations(store, clock=clock)
    one.ask("c", QUESTION, LABELS)
    clock.move(days=1)
    assert one.receive("c", "1", message_id="m1").reason is Reason.expired
    other.ask("c", QUESTION, LABELS)
    assert other.receive("c", "1", message_id="m1").reason is Reason.duplicate


def test_a_reply_to_a_replaced_question_is_stale(confirmations: Confirmations) -> None:
    """Protects the new question from an approval of the old one."""
    old = confirmations.ask("c", "Aを消しますか？", ["消す", "残す"], message_id="out-1")
    new = confirmations.ask("c", "Bを消しますか？", ["消す", "残す"], message_id="out-2")
    assert confirmations.shown("c", new.id, message_id="out-3")
    assert not confirmations.shown("c", old.id, message_id="out-4")
    for answered in ("out-1", old.id, "something else"):
        turn = confirmations.receive("c", "1", in_reply_to=answered)
        assert (turn.outcome, turn.reason, turn.choice) == ("unresolved", "stale", None)
    assert confirmations.receive("c", "2", in_reply_to="out-3").choice == 2
    late = confirmations.receive("c", "1", in_reply_to="out-1")
    assert (late.outcome, late.reason) == ("nothing_pending", "stale")
    assert confirmations.receive("c", "2", in_reply_to=new.id).reason is Reason.already_resolved


def test_a_declined_question_is_not_approved_late(confirmations: Confirmations) -> None:
    """Protects B, and the refusal of A, from a late "approve A"."""
    first = confirmations.ask("c", "Aを送りますか？", ["送る", "送らない"])
    assert confirmations.receive("c", "2").choice == 2
    second = confirmations.ask("c", "Bを送りますか？", ["送る", "送らない"])
    assert confirmations.receive("c", "1", in_reply_to=first.id).reason is Reason.stale
    assert confirmations.pending("c") == second


def test_a_bare_number_right_after_a_replacement_is_left_to_reading(store: ConfirmationStore, clock: Clock) -> None:
    """Protects the new question from a number that was typed for the old one."""
    confirmations = Confirmations(store, clock=clock, grace=timedelta(seconds=5))
    confirmations.ask("c", "Aを消しますか？", ["消す", "残す"])
    clock.move(minutes=1)
    new = confirmations.ask("c", "Bを消しますか？", ["消す", "残す"])
    clock.move(seconds=4)
    turn = confirmations.receive("c", "1")
    assert (turn.outcome, turn.reason) == ("unresolved", "stale")
    assert confirmations.receive("c", "待って").reason is Reason.escape
    clock.move(seconds=1)
    assert confirmations.receive("c", "1").confirmation == new


def test_an_answer_to_the_new_question_needs_no_grace(store: ConfirmationStore, clock: Clock) -> None:
    """Protects a quick answer where the channel says which question it is for."""
    confirmations = Confirmations(store, clock=clock, grace=timedelta(seconds=5))
    confirmations.ask("c", "Aを消しますか？", ["消す", "残す"])
    new = confirmations.ask("c", "Bを消しますか？", ["消す", "残す"])
    assert confirmations.receive("c", "1", in_reply_to=new.id).choice == 1


def test_a_reworded_action_has_its_grace_too(store: ConfirmationStore, clock: Clock) -> None:
    """Protects against a yes to one wording being taken for a yes to the opposite one."""
    confirmations = Confirmations(store, clock=clock, grace=timedelta(seconds=5))
    confirmations.ask("c", "送りますか？", ["はい", "いいえ"], action="send")
    clock.move(minutes=1)
    confirmations.ask("c", "送るのをやめますか？", ["はい", "いいえ"], action="send")
    assert confirmations.receive("c", "1").reason is Reason.stale


def test_a_question_replaced_while_it_is_read_is_not_answered(clock: Clock) -> None:
    """Protects a question that nobody has seen from a reply that came before it."""

    class BusyStore(WatchingStore):
        def clear(
            self, conversation_id: str, *, confirmation_id: str | None = None, settlement: Settlement | None = None
        ) -> bool:
            if "clear" not in self.acts:
                Confirmations(self.inner, clock=clock).ask(conversation_id, "別の質問ですか？", LABELS)
            return super().clear(conversation_id, confirmation_id=confirmation_id, settlement=settlement)

    confirmations = Confirmations(BusyStore(), clock=clock)
    confirmations.ask("c", QUESTION, LABELS)
    turn = confirmations.receive("c", "1")
    assert (turn.outcome, turn.reason) == ("unresolved", "stale")
    pending = confirmations.pending("c")
    assert pending is not None
    assert pending.question == "別の質問ですか？"


def test_a_question_settled_while_it_is_asked_again_stays_settled(clock: Clock) -> None:
    """Protects a decision from an asking that read the state before it was made."""

    class BusyStore(WatchingStore):
        def save(self, state: ConversationState, *, after: int | None = None) -> bool:
            if self.acts.count("save") == 1 and not self.acts.count("clear"):
                self.acts.append("clear")
                assert Confirmations(self.inner, clock=clock).receive("c", "1").choice == 1
            return super().save(state, after=after)

    confirmations = Confirmations(BusyStore(), clock=clock)
    first = confirmations.ask("c", QUESTION, LABELS)
    again = confirmations.ask("c", QUESTION, LABELS)
    assert again.id != first.id
    assert confirmations.receive("c", "1", in_reply_to=first.id).reason is Reason.stale


def test_explaining_first_keeps_the_question(confirmations: Confirmations) -> None:
    """Protects "explain first, then 1"."""
    asked = confirmations.ask("c", QUESTION, LABELS)
    assert confirmations.receive("c", "先に説明して").outcome is Outcome.unresolved
    assert confirmations.receive("c", "ところで今日の天気は？").confirmation == asked
    assert confirmations.receive("c", "1").confirmation == asked


def test_ask_revise_revise_approve_acts_once(confirmations: Confirmations, clock: Clock) -> None:
    """Protects the effect in the loop of revisions: one approval, one effect."""
    effects: list[object] = []
    for draft, reply in [(1, "2"), (2, "2"), (3, "1")]:
        confirmations.ask("c", QUESTION, LABELS, action={"draft": draft})
        turn = confirmations.receive("c", reply)
        if turn.choice == 1 and turn.confirmation:
            effects.append(turn.confirmation.action)
        clock.move(seconds=1)
    for _ in range(3):
        assert confirmations.receive("c", "1").choice is None
    assert effects == [{"draft": 3}]


def test_letters_several_and_polarity_are_the_askers_to_allow(confirmations: Confirmations) -> None:
    """Protects the forms that are read only where the asker said so."""
    asked = confirmations.ask("c", "何人ですか？", ["2人", "3人"], style="letters")
    assert asked.warnings == ()
    assert confirmations.receive("c", "2").outcome is Outcome.unresolved
    assert confirmations.receive("c", "Ｂ").choice == 2
    confirmations.ask("c", "どれですか？", LABELS, multiple=True)
    turn = confirmations.receive("c", "①③")
    assert (turn.choice, turn.choices, [choice.number for choice in turn.selected]) == (None, (1, 3), [1, 3])
    confirmations.ask("c", QUESTION, LABELS, yes=1, no=3)
    assert confirmations.receive("c", "いいえ").choice == 3
    assert confirmations.ask("c", "何人ですか？", ["2人", "3人"]).warnings


@pytest.mark.parametrize(
    ("question", "labels", "more"),
    [("", LABELS, {}), ("  ", LABELS, {}), (QUESTION, [], {}), (QUESTION, ["a", " "], {}), (QUESTION, "abc", {}),
     (QUESTION, LABELS, {"yes": 4}), (QUESTION, LABELS, {"no": 0}), (QUESTION, LABELS, {"yes": 1, "no": 1}),
     (QUESTION, LABELS, {"style": "roman"}), (QUESTION, LABELS, {"style": "letters", "multiple": True}),
     (QUESTION, [f"n{n}" for n in range(27)], {"style": "letters"}), (5, LABELS, {}), (QUESTION, ["a", 5], {}),
     (QUESTION, None, {}), (None, LABELS, {}),
     (QUESTION, LABELS, {"yes": 1.5}), (QUESTION, LABELS, {"message_id": 5}),
     (QUESTION, LABELS, {"irreversible": [1.5]})],
)  # fmt: skip
def test_what_cannot_be_answered_cannot_be_asked(
    confirmations: Confirmations, question: str, labels: list[str], more: dict[str, int]
) -> None:
    """Protects the person from a question without choices, and the asker from finding out later."""
    with pytest.raises(InputError):
        confirmations.ask("c", question, labels, **more)  # pyright: ignore[reportArgumentType]
    assert confirmations.pending("c") is None


def test_a_ttl_of_nothing_is_refused(store: ConfirmationStore) -> None:
    """Protects against questions that can never be answered, and against times that no calendar holds."""
    with pytest.raises(InputError):
        Confirmations(store, ttl=timedelta.max)
    with pytest.raises(InputError):
        Confirmations(store, ttl=timedelta(0))


def test_the_rules_that_a_question_began_with_stay_its_own(store: ConfirmationStore, clock: Clock) -> None:
    """Protects a running conversation from a change of rules (C18)."""
    Confirmations(store, clock=clock, rules_version="7").ask("c", QUESTION, LABELS)
    later = Confirmations(store, clock=clock, rules_version="8")
    assert later.ask("c", QUESTION, LABELS).rules_version == "7"
    assert later.ask("d", QUESTION, LABELS).rules_version == "8"


@given(
    st.lists(
        st.tuples(st.sampled_from(["ask a", "ask b", "later", "much later"]) | st.text(max_size=4), st.integers(0, 3)),
        max_size=12,
    )
)
def test_no_order_of_events_resolves_twice_or_wrongly(steps: list[tuple[str, int]]) -> None:
    """Protects the whole: each asking is resolved at most once, only in time, only by a reply to what is pending."""
    clock = Clock()
    confirmations = Confirmations(MemoryStore(), clock=clock, ttl=timedelta(hours=1))
    pending: str | None = None
    deadline = clock.now
    messages: set[str] = set()
    for step, number in steps:
        if step.startswith("ask "):
            asked = confirmations.ask("c", step, LABELS)
            pending, deadline = asked.id, clock.now + timedelta(hours=1)
        elif step.endswith("later"):
            clock.move(minutes=61 if step.startswith("much") else 7)
        else:
            reply = f"{number}{step}" if number else step
            turn = confirmations.receive("c", reply, message_id=reply)
            if turn.outcome is Outcome.resolved:
                assert turn.confirmation is not None
                assert turn.confirmation.id == pending
                assert clock.now < deadline
                assert reply not in messages
                pending = None
            messages.add(reply)
