"""What other rules would have asked about the actions of the past. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pydantic import JsonValue

from naoshi.confirm.action_event import ActionEvent
from naoshi.confirm.confirmation_event import ConfirmationEvent
from naoshi.confirm.confirmation_stats import FEWEST_DECISIONS
from naoshi.confirm.permit import PermitState
from naoshi.confirm.policy import Policy
from naoshi.records.base import Record

# The states in which an event stands for an action of its own; the others wait for, or repeat, one of these.
_COUNTED = frozenset({PermitState.asked, PermitState.allowed, PermitState.refused})


class ReplayedAction(Record):
    """One action of the past, under the rules of then and of the replay."""

    conversation_id: str
    tool: str
    arguments: dict[str, JsonValue]
    rule_then: str
    why_now: str


class Relaxation(Record):
    """A tool that a rule asks about and that nobody ever refused, with how often it was approved."""

    rule: str
    tool: str
    approved: int


class WhatIf(Record):
    """What other rules would have asked.

    ``asked_then`` and ``asked_now`` count questions; the first is what was really asked. ``fewer`` is their
    difference, below 0 where there would be more. ``missed_refusals`` are actions that a person refused and that the
    other rules would have let through. ``relaxed`` names the tools of which an action was ever refused, and of which
    they would no longer ask about another. ``suggestions`` are what might be asked about less; a tool of which
    anything was ever refused, under any rule, is never among them.
    """

    actions: int
    asked_then: int
    asked_now: int
    fewer: int
    missed_refusals: tuple[ReplayedAction, ...] = ()
    relaxed: tuple[str, ...] = ()
    suggestions: tuple[Relaxation, ...] = ()

    @property
    def is_safe(self) -> bool:
        """Whether nothing that was ever refused would have passed unasked."""
        return not self.missed_refusals


def what_if(
    actions: Iterable[ActionEvent],
    events: Iterable[ConfirmationEvent],
    policy: Policy,
    *,
    fewest_decisions: int = FEWEST_DECISIONS,
) -> WhatIf:
    """Return what *policy* would have asked about *actions*.

    Args:
        actions: of the guard, in any order.
        events: of the confirmations, for what people decided.
        policy: the other rules.
        fewest_decisions: a tool with fewer approvals is not suggested.
    """
    decided = {event.confirmation_id: event.approved for event in events if event.approved is not None}
    found = [event for event in actions if event.state in _COUNTED]
    refused_ids = {event.confirmation_id for event in found if event.state is PermitState.refused}
    refused_ids |= {identifier for identifier, approved in decided.items() if not approved}
    each = _one_each(found)
    rulings = [(event, policy.ruling(event.tool, event.arguments)) for event in each]
    refused = [
        (event, ruling) for event, ruling in rulings if _was_asked(event) and event.confirmation_id in refused_ids
    ]
    refused_tools = {event.tool for event, _ in refused}
    asked_then = sum(map(_was_asked, each))
    asked_now = sum(ruling.asks for _, ruling in rulings)
    return WhatIf(
        actions=len(each),
        asked_then=asked_then,
        asked_now=asked_now,
        fewer=asked_then - asked_now,
        missed_refusals=tuple(
            ReplayedAction(
                conversation_id=event.conversation_id,
                tool=event.tool,
                arguments=event.arguments,
                rule_then=event.rule,
                why_now=ruling.why,
            )
            for event, ruling in refused
            if not ruling.asks
        ),
        relaxed=tuple(
            sorted(
                {
                    event.tool
                    for event, ruling in rulings
                    if event.tool in refused_tools and _was_asked(event) and not ruling.asks
                }
            )
        ),
        suggestions=_suggestions(each, decided, [event for event, _ in refused], fewest_decisions),
    )


def _one_each(events: Iterable[ActionEvent]) -> list[ActionEvent]:
    """Return one event for each question, and each action that needed none."""
    each: dict[object, ActionEvent] = {}
    for place, event in enumerate(sorted(events, key=lambda event: event.at)):
        each.setdefault(event.confirmation_id or place, event)
    return list(each.values())


def _was_asked(event: ActionEvent) -> bool:
    return event.confirmation_id is not None


def _suggestions(
    each: list[ActionEvent],
    decided: Mapping[str | None, bool | None],
    refused: Sequence[ActionEvent],
    fewest: int,
) -> tuple[Relaxation, ...]:
    rules = {event.rule for event in refused if event.action_class is not None}
    tools = {event.tool for event in refused}
    approved = Counter((event.rule, event.tool) for event in each if decided.get(event.confirmation_id))
    return tuple(
        Relaxation(rule=rule, tool=tool, approved=count)
        for (rule, tool), count in sorted(approved.items())
        if count >= fewest and rule not in rules and tool not in tools
    )
