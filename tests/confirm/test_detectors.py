"""Signs that confirmations have quietly stopped working."""

from datetime import timedelta
from pathlib import Path

import pytest

from naoshi.confirm import (
    ConfirmationEvent,
    Confirmations,
    Detector,
    FileStore,
    JsonLinesEvents,
    MemoryStore,
    count_events,
    detect,
    read_events,
)
from naoshi.errors import MissingPathError
from tests.confirm.conftest import Clock

LABELS = ["登録する", "やめる"]


class Watched:
    """Confirmations with their clock and their events."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.events: list[ConfirmationEvent] = []
        self.confirmations = Confirmations(
            MemoryStore(), clock=self.clock, ttl=timedelta(hours=1), on_event=self.events.append
        )

    def found(self, *, at_the_end: bool = False) -> list[tuple[str, str | None]]:
        findings = detect(self.events, now=self.clock.now if at_the_end else None)
        return [(finding.detector.value, finding.confirmation_id) for finding in findings]


def test_what_works_is_not_found() -> None:
    """Protects people from alarms about questions that were asked and answered."""
    watched = Watched()
    for question in ("登録しますか？", "送信しますか？"):
        watched.confirmations.ask("c", question, LABELS)
        watched.confirmations.ask("c", question, LABELS)
        watched.confirmations.receive("c", "説明して")
        watched.confirmations.receive("c", "1")
    watched.clock.move(days=2)
    assert watched.found(at_the_end=True) == []


def test_a_question_put_again_and_again_is_found_once() -> None:
    """Protects against the loop that asks for ever: the fault that no log shows."""
    watched = Watched()
    for _ in range(6):
        asked = watched.confirmations.ask("c", "登録しますか？", LABELS)
        watched.confirmations.receive("c", "はい")
    assert watched.found() == [("repeated", asked.id)]


def test_a_question_put_aside_is_found() -> None:
    """Protects a question that nobody decided from going unnoticed."""
    watched = Watched()
    first = watched.confirmations.ask("c", "登録しますか？", LABELS)
    watched.confirmations.ask("c", "送信しますか？", LABELS)
    watched.confirmations.receive("c", "1")
    assert watched.found() == [("replaced", first.id)]


def test_a_settled_question_asked_again_is_found() -> None:
    """Protects the promise that what is settled is not asked again (C12)."""
    watched = Watched()
    watched.confirmations.ask("c", "登録しますか？", LABELS)
    watched.confirmations.receive("c", "1")
    again = watched.confirmations.ask("c", "登録しますか ？", LABELS)
    assert watched.found() == [("reasked_after_resolution", again.id)]


def test_what_was_settled_before_the_last_question_is_found_too() -> None:
    """Protects the same promise where another question was settled in between, and for as long as it lasts."""
    watched = Watched()
    for question in ("登録しますか？", "送信しますか？"):
        watched.confirmations.ask("c", question, LABELS)
        watched.confirmations.receive("c", "1")
    again = watched.confirmations.ask("c", "登録しますか？", LABELS)
    watched.confirmations.ask("d", "登録しますか？", LABELS)
    assert watched.found() == [("reasked_after_resolution", again.id)]
    assert count_events(watched.events).reask_rate == 1 / 4
    watched.confirmations.receive("c", "1")
    watched.clock.move(hours=1)
    watched.confirmations.ask("c", "登録しますか？", LABELS)
    assert watched.found() == [("reasked_after_resolution", again.id)]


def test_a_question_that_was_put_back_in_between_is_found() -> None:
    """Protects the count from askings that no `ask` made: a reading that is put to the person is one too."""
    watched = Watched()
    for _ in range(3):
        asked = watched.confirmations.ask("c", "消しますか？", LABELS, action={"delete": 1})
        watched.confirmations.propose(watched.confirmations.receive("c", "うん"), 1)
    assert watched.found() == [("repeated", asked.id)]


def test_an_expired_question_followed_by_another_is_unanswered_not_replaced() -> None:
    """Protects the difference between a question that was put aside and one that nobody saw in time."""
    watched = Watched()
    first = watched.confirmations.ask("c", "登録しますか？", LABELS)
    watched.clock.move(hours=2)
    watched.confirmations.ask("c", "送信しますか？", LABELS)
    watched.confirmations.receive("c", "1")
    assert watched.found(at_the_end=True) == [("unanswered", first.id)]


@pytest.mark.parametrize("replied", [True, False])
def test_an_expired_question_is_found_once(replied: bool) -> None:
    """Protects against questions that reach nobody, whether or not someone writes later."""
    watched = Watched()
    asked = watched.confirmations.ask("c", "登録しますか？", LABELS)
    watched.clock.move(minutes=59)
    assert watched.found(at_the_end=True) == []
    watched.clock.move(minutes=2)
    if replied:
        watched.confirmations.receive("c", "1")
    assert watched.found(at_the_end=True) == [("unanswered", asked.id)]


def test_a_broken_store_is_found_in_the_log(tmp_path: Path) -> None:
    """Protects against a store that fails night after night; a cut line does not hide what stands beside it."""
    log = tmp_path / "events.jsonl"
    store = FileStore(tmp_path / "state")
    confirmations = Confirmations(store, on_event=JsonLinesEvents(log))
    store.path("c").write_text("damaged")
    confirmations.receive("c", "1")
    with log.open("a") as stream:
        stream.write('{"kind": "tu\n[1]\n\n')
    confirmations.receive("c", "1")
    events, unread = read_events(log)
    assert [finding.detector for finding in detect(events)] == [Detector.store_error] * 2
    assert list(unread) == [2, 3]
    with pytest.raises(MissingPathError):
        read_events(tmp_path / "none")
