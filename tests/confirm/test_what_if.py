"""What other rules would have asked about the actions of the past."""

import json
from pathlib import Path
from typing import Any

from naoshi.confirm import (
    ActionClass,
    ActionEvent,
    ActionRule,
    ArgumentTest,
    ConfirmationEvent,
    Confirmations,
    Guard,
    JsonLinesEvents,
    MemoryStore,
    PermitState,
    Policy,
    read_actions,
    what_if,
)
from tests.confirm.conftest import Clock

REVERSIBLE, IRREVERSIBLE = ActionClass.reversible, ActionClass.irreversible
MAIL = ActionRule(tool="send", name="mail", action_class=IRREVERSIBLE)


class Past:
    """A guard, and the log of what it saw."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.events: list[ConfirmationEvent] = []
        self.actions: list[ActionEvent] = []
        self.confirmations = Confirmations(MemoryStore(), clock=self.clock, on_event=self.events.append)
        reading = ActionRule(tool="read", action_class=REVERSIBLE)
        self.guard = Guard(self.confirmations, policy=Policy.of([reading, MAIL]), on_action=self.actions.append)

    def act(self, tool: str, reply: str = "", **arguments: Any) -> None:
        """Call a tool, answer, and call it again, as an agent does."""
        conversation = f"c{len(self.actions)}"
        self.guard(tool, arguments, conversation_id=conversation)
        if reply:
            self.clock.move(seconds=9)
            self.confirmations.receive(conversation, reply)
            with self.guard(tool, arguments, conversation_id=conversation):
                pass


def test_questions_that_other_rules_would_spare_are_counted() -> None:
    """Protects the choice of rules with figures: each question once, however often the tool was called."""
    past = Past()
    for number in range(3):
        past.act("read", path=str(number))
        past.act("send", "1", to=f"{number}@example.com")
        past.act("delete", "1", path=str(number))
    kinder = Policy.of(
        [ActionRule(tool="read", action_class=REVERSIBLE), ActionRule(tool="send", action_class=REVERSIBLE)]
    )
    told = what_if(past.actions, past.events, kinder)
    assert (told.actions, told.asked_then, told.asked_now, told.fewer) == (9, 6, 3, 3)
    assert (told.missed_refusals, told.is_safe) == ((), True)
    stricter = what_if(past.actions, past.events, Policy())
    assert (stricter.asked_now, stricter.fewer) == (9, -3)


def test_refusals_that_would_have_been_missed_are_named() -> None:
    """Protects against rules that would have let through what a person stopped."""
    past = Past()
    past.act("send", "1", to="a@example.com")
    past.act("send", "2", to="b@elsewhere.org")
    everything = Policy.of([ActionRule(tool="*", action_class=REVERSIBLE)])
    told = what_if(past.actions, past.events, everything)
    assert [(item.tool, item.arguments, item.rule_then) for item in told.missed_refusals] == [
        ("send", {"to": "b@elsewhere.org"}, "mail")
    ]
    assert "fits" in told.missed_refusals[0].why_now
    assert (told.is_safe, told.relaxed) == (False, ("send",))
    inside = ActionRule(tool="send", action_class=REVERSIBLE, arguments={"to": ArgumentTest(glob="*@example.com")})
    careful = what_if(past.actions, past.events, Policy.of([inside]))
    assert (careful.is_safe, careful.fewer, careful.relaxed) == (True, 1, ("send",))


def test_what_was_ever_refused_is_never_suggested() -> None:
    """Protects a class that a person once stopped: a thousand approvals do not outweigh it."""
    past = Past()
    for number in range(12):
        past.act("send", "1", to=str(number))
        past.act("delete", "1", path=str(number))
    told = what_if(past.actions, past.events, Policy())
    assert [(item.rule, item.tool, item.approved) for item in told.suggestions] == [
        ("mail", "send", 12), ("unknown", "delete", 12)
    ]  # fmt: skip
    past.act("send", "2", to="boss")
    told = what_if(past.actions, past.events, Policy())
    assert [item.tool for item in told.suggestions] == ["delete"]
    past.act("delete", "2", path="x")
    assert what_if(past.actions, past.events, Policy()).suggestions == ()
    few = what_if(past.actions[:8], past.events, Policy())
    assert few.suggestions == ()


def test_a_refusal_counts_though_the_agent_never_called_again() -> None:
    """Protects against losing a no that only the events know of."""
    past = Past()
    past.guard("send", {"to": "a"}, conversation_id="c")
    past.confirmations.receive("c", "2")
    told = what_if(past.actions, past.events, Policy.of([ActionRule(tool="send", action_class=REVERSIBLE)]))
    assert len(told.missed_refusals) == 1


def test_actions_are_written_as_lines_and_read_again(tmp_path: Path) -> None:
    """Protects the log that the replay stands on, odd characters and damaged lines included."""
    log = tmp_path / "actions.jsonl"
    guard = Guard(Confirmations(MemoryStore(), clock=Clock()), on_action=JsonLinesEvents(log))
    guard("送る", {"to": "\ud800", "n": 1.5, "deep": {"a": [None, True]}}, conversation_id="c")
    with log.open("a") as stream:
        stream.write("[]\n{\n")
    actions, unread = read_actions(log)
    assert [(event.tool, event.state, event.rule) for event in actions] == [("送る", PermitState.asked, "unknown")]
    assert actions[0].arguments["deep"] == {"a": [None, True]}
    assert list(unread) == [2, 3]
    assert json.loads(log.read_text().split("\n")[0])["conversation_id"] == "c"
