"""Figures about questions: how they were answered, how fast, how often again."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.confirm import (
    ActionClass,
    ActionRule,
    ConfirmationEvent,
    Confirmations,
    Guard,
    MemoryStore,
    Policy,
    count_events,
)
from tests.confirm.conftest import Clock

LABELS = ["登録する", "修正する", "やめる"]


class Watched:
    """Confirmations and a guard with their clock and events."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.events: list[ConfirmationEvent] = []
        self.confirmations = Confirmations(MemoryStore(), clock=self.clock, on_event=self.events.append)
        rules = [ActionRule(tool="send", name="mail", action_class=ActionClass.irreversible)]
        self.guard = Guard(self.confirmations, policy=Policy.of(rules))

    def decide(self, tool: str, reply: str, *, seconds: float) -> None:
        conversation = f"c{len(self.events)}"
        self.guard(tool, {}, conversation_id=conversation)
        self.clock.move(seconds=seconds)
        self.confirmations.receive(conversation, reply)


def test_an_empty_log_has_no_shares() -> None:
    """Protects against a hundred per cent of nothing."""
    stats = count_events([])
    assert (stats.questions, stats.deterministic_share, stats.median_seconds, stats.reask_rate) == (0, None, None, None)
    assert stats.rules == ()


def test_shares_and_times_are_counted_per_question() -> None:
    """Protects the figures: what counts as read by machine, how long it took, and what was asked again."""
    watched = Watched()
    confirmations, clock = watched.confirmations, watched.clock
    confirmations.receive("c", "1")
    confirmations.ask("c", "登録しますか？", LABELS)
    clock.move(seconds=10)
    confirmations.receive("c", "説明して", message_id="m")
    confirmations.receive("c", "説明して", message_id="m")
    confirmations.ask("c", "登録しますか？", LABELS)
    clock.move(seconds=20)
    confirmations.receive("c", "1")
    confirmations.ask("d", "直しますか？", LABELS)
    clock.move(seconds=4)
    confirmations.propose(confirmations.receive("d", "直して"), 2)
    confirmations.ask("e", "消しますか？", LABELS)
    stats = count_events(reversed(watched.events))
    assert (stats.questions, stats.settled, stats.replies, stats.resolved, stats.proposed) == (3, 2, 3, 1, 1)
    assert stats.deterministic_share == pytest.approx(1 / 3)
    assert stats.median_seconds == pytest.approx((30 + 4) / 2)
    assert stats.reask_rate == pytest.approx(1 / 3)


def test_a_question_asked_after_it_was_settled_counts_as_asked_again() -> None:
    """Protects the re-ask rate from the fault that hides best."""
    watched = Watched()
    for _ in range(2):
        watched.confirmations.ask("c", "登録しますか？", LABELS)
        watched.confirmations.receive("c", "1")
        watched.clock.move(seconds=1)
    assert count_events(watched.events).reask_rate == 0.5


def test_a_rule_that_is_waved_through_is_flagged() -> None:
    """Protects people from questions that nobody reads: fast approvals, and never a no."""
    watched = Watched()
    for _ in range(10):
        watched.decide("send", "1", seconds=2)
        watched.decide("delete", "1", seconds=60)
    rules = {rule.rule: rule for rule in count_events(watched.events).rules}
    assert (rules["mail"].asked, rules["mail"].approved, rules["mail"].refused) == (10, 10, 0)
    assert (rules["mail"].median_seconds, rules["mail"].waved_through) == (2, True)
    assert rules["unknown"].waved_through is False
    watched.decide("send", "2", seconds=2)
    assert not any(rule.waved_through for rule in count_events(watched.events).rules)
    assert not any(rule.waved_through for rule in count_events(watched.events[:12]).rules)


@given(st.lists(st.sampled_from(["ask", "1", "2", "うん", "", "later"]), max_size=20))
def test_figures_hold_together_whatever_happened(story: list[str]) -> None:
    """Protects reports from shares above one and counts that do not add up."""
    watched = Watched()
    for act in story:
        if act == "ask":
            watched.guard("send", {"n": len(watched.events)}, conversation_id="c")
        elif act == "later":
            watched.clock.now += timedelta(hours=7)
        else:
            watched.confirmations.propose(watched.confirmations.receive("c", act), 2)
    stats = count_events(watched.events)
    assert stats.settled <= stats.questions
    assert stats.resolved <= stats.replies
    for share in (stats.deterministic_share, stats.reask_rate):
        assert share is None or 0 <= share <= 1
    for rule in stats.rules:
        assert rule.approved + rule.refused <= rule.asked
