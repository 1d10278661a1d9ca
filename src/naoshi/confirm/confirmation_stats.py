"""Figures about the questions that were asked: how they were answered, how fast, how often again. Pure."""

from collections.abc import Iterable, Sequence
from statistics import median

from naoshi.confirm.confirmation_event import ConfirmationEvent, EventKind
from naoshi.confirm.detectors import settled_and_asked_again
from naoshi.records.base import Record
from naoshi.records.confirmation import Outcome, Reason

FAST_SECONDS = 5.0
FEWEST_DECISIONS = 10
# Turns that say nothing about how well replies are read.
_NO_REPLY = frozenset({Reason.duplicate, Reason.stale, Reason.store_error})


class RuleStats(Record):
    """The decisions on questions that one rule had asked.

    ``median_seconds`` is from the first asking to the decision. ``waved_through`` says that the approvals were fast
    and that nobody ever refused: the rule asks too often, or nobody looks.
    """

    rule: str
    asked: int
    approved: int
    refused: int
    median_seconds: float | None = None
    waved_through: bool = False


class ConfirmationStats(Record):
    """Figures over a log of events; shares are None where nothing is there to be counted.

    ``replies`` are turns that found an open question, and ``deterministic_share`` is the part of them that was
    settled by reading alone. ``proposed`` are settled by a model's reading. ``median_seconds`` is from the first
    asking of a question to its decision. ``reask_rate`` is the part of the questions that was put more than once, or
    again after it had been settled.
    """

    questions: int
    settled: int
    replies: int
    resolved: int
    proposed: int
    deterministic_share: float | None
    median_seconds: float | None
    reask_rate: float | None
    rules: tuple[RuleStats, ...] = ()


def count_events(
    events: Iterable[ConfirmationEvent],
    *,
    fast_seconds: float = FAST_SECONDS,
    fewest_decisions: int = FEWEST_DECISIONS,
) -> ConfirmationStats:
    """Return the figures over *events*, in any order.

    Args:
        events: of `Confirmations`.
        fast_seconds: a median below it is faster than a person can read what they approve.
        fewest_decisions: a rule with fewer approvals is not said to be waved through.
    """
    ordered = sorted(events, key=lambda event: event.at)
    askings = [event for event in ordered if event.kind is EventKind.asked]
    first_asked = {event.confirmation_id: event.at for event in reversed(askings)}
    again = {event.confirmation_id for event in askings if event.ask_count > 1}
    again |= {event.confirmation_id for event in settled_and_asked_again(ordered)}
    decisions = [event for event in ordered if event.outcome is Outcome.resolved]
    replies = [event for event in ordered if _is_reply(event)]
    by_number = sum(event.reason is Reason.resolved for event in replies)
    seconds = {
        event.confirmation_id: (event.at - first_asked[event.confirmation_id]).total_seconds()
        for event in decisions
        if event.confirmation_id in first_asked
    }
    names = sorted({event.rule for event in (*askings, *decisions) if event.rule is not None})
    rules = [_of_rule(name, askings, decisions, seconds) for name in names]
    return ConfirmationStats(
        questions=len(first_asked),
        settled=len({event.confirmation_id for event in decisions}),
        replies=len(replies),
        resolved=by_number,
        proposed=sum(event.reason is Reason.proposed for event in decisions),
        deterministic_share=_share(by_number, len(replies)),
        median_seconds=median(seconds.values()) if seconds else None,
        reask_rate=_share(len(again), len(first_asked)),
        rules=tuple(
            rule.model_copy(update={"waved_through": _is_waved_through(rule, fast_seconds, fewest_decisions)})
            for rule in rules
        ),
    )


def _is_reply(event: ConfirmationEvent) -> bool:
    found_a_question = event.outcome in (Outcome.resolved, Outcome.unresolved)
    return event.kind is EventKind.turn and found_a_question and event.reason not in _NO_REPLY


def _of_rule(
    name: str,
    askings: Sequence[ConfirmationEvent],
    decisions: Sequence[ConfirmationEvent],
    seconds: dict[str | None, float],
) -> RuleStats:
    decided = [event for event in decisions if event.rule == name]
    taken = [seconds[event.confirmation_id] for event in decided if event.confirmation_id in seconds]
    return RuleStats(
        rule=name,
        asked=len({event.confirmation_id for event in askings if event.rule == name}),
        approved=sum(event.approved is True for event in decided),
        refused=sum(event.approved is False for event in decided),
        median_seconds=median(taken) if taken else None,
    )


def _is_waved_through(rule: RuleStats, fast_seconds: float, fewest: int) -> bool:
    fast = rule.median_seconds is not None and rule.median_seconds < fast_seconds
    return rule.approved >= fewest and rule.refused == 0 and fast


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
