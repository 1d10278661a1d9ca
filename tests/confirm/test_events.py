"""What can be seen of each turn."""

import json
import logging
from pathlib import Path

import pytest

from naoshi.confirm import (
    ConfirmationEvent,
    Confirmations,
    ConfirmationStore,
    EventKind,
    FileStore,
    JsonLinesEvents,
    MemoryStore,
    Reason,
)
from tests.confirm.conftest import Clock

LABELS = ["登録する", "やめる"]


def test_there_is_one_event_for_each_asking_and_each_turn(store: ConfirmationStore, clock: Clock) -> None:
    """Protects against a silent turn (C17)."""
    events: list[ConfirmationEvent] = []
    confirmations = Confirmations(store, clock=clock, on_event=events.append)
    confirmations.receive("c", "hello")
    asked = confirmations.ask("c", "登録しますか？", LABELS)
    confirmations.ask("c", "登録しますか？", LABELS)
    clock.move(seconds=30)
    confirmations.receive("c", "うーん", message_id="m1", actor="Mika")
    confirmations.receive("c", "2")
    assert [(event.kind, event.reason) for event in events] == [
        (EventKind.turn, Reason.nothing_pending),
        (EventKind.asked, None),
        (EventKind.asked, None),
        (EventKind.turn, Reason.free_text),
        (EventKind.turn, Reason.resolved),
    ]
    assert [event.ask_count for event in events] == [0, 1, 2, 2, 2]
    unread = events[3]
    assert (unread.confirmation_id, unread.actor, unread.message_id) == (asked.id, "Mika", "m1")
    assert (unread.waited_seconds, unread.reply_length) == (30.0, 3)
    assert events[4].choices == (2,)
    assert all(event.took_ms >= 0 for event in events)


def test_replacing_and_asking_again_are_seen(store: ConfirmationStore, clock: Clock) -> None:
    """Protects against a loop that asks what was settled, or asks over a question that nobody answered."""
    events: list[ConfirmationEvent] = []
    confirmations = Confirmations(store, clock=clock, on_event=events.append)
    first = confirmations.ask("c", "登録しますか？", LABELS)
    confirmations.ask("c", "送信しますか？", LABELS)
    confirmations.receive("c", "1")
    confirmations.ask("c", "送信しますか？", LABELS)
    asked = [event for event in events if event.kind is EventKind.asked]
    assert [event.replaced_id for event in asked] == [None, first.id, None]
    assert [event.reasked for event in asked] == [False, False, True]


def test_a_hook_that_fails_changes_nothing(clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    """Protects a decision that is made from a fault of who watches it."""

    def fail(_: ConfirmationEvent) -> None:
        raise RuntimeError("the hook is broken")

    confirmations = Confirmations(MemoryStore(), clock=clock, on_event=fail)
    with caplog.at_level(logging.CRITICAL, logger="naoshi.confirm"):
        confirmations.ask("c", "登録しますか？", LABELS)
        assert confirmations.receive("c", "1").choice == 1


def test_events_are_written_as_lines_without_the_persons_text(tmp_path: Path, clock: Clock) -> None:
    """Protects the log's form, and the person: what they said is not in it."""
    path = tmp_path / "log" / "events.jsonl"
    confirmations = Confirmations(MemoryStore(), clock=clock, on_event=JsonLinesEvents(path))
    confirmations.ask("会話\n1", "登録しますか？", LABELS)
    confirmations.receive("会話\n1", "秘密の話")
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["kind"] for line in lines] == ["asked", "turn"]
    events = [ConfirmationEvent.model_validate(json.loads(line)) for line in lines]
    assert events[1].reason is Reason.free_text
    assert events[1].conversation_id == "会話\n1"
    assert not any("秘密" in line or "\\u79d8" in line for line in lines)


def test_a_store_that_fails_is_an_event_too(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Protects against a broken store that nobody notices."""
    events: list[ConfirmationEvent] = []
    store = FileStore(tmp_path / "state")
    confirmations = Confirmations(store, on_event=events.append)
    store.path("c").write_text("damaged")
    with caplog.at_level(logging.ERROR, logger="naoshi.confirm"):
        confirmations.receive("c", "1")
    assert [event.reason for event in events] == [Reason.store_error]
    assert caplog.records
