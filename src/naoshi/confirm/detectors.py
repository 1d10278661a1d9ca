"""Signs, in the events, that confirmations have quietly stopped working.

The layer fails silently when it fails: the same question is just asked again. Each detector is a rule over the events
of `Confirmations`, pure, and the same over a log of last year as over the events of a test.
"""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum

from pydantic import AwareDatetime

from naoshi.confirm.confirmation_event import ConfirmationEvent, EventKind
from naoshi.records.base import Record
from naoshi.records.confirmation import Outcome, Reason

REPEATED_AFTER = 3


class Detector(StrEnum):
    """What is wrong.

    ``repeated``: a question was put several times and not settled in between. ``replaced``: a question was put aside
    by another before anyone decided it. ``reasked_after_resolution``: what a person had settled was asked again.
    ``unanswered``: a question expired. ``store_error``: the state could not be read or written. ``rules_fault``: a new
    version of the rules was broken, and the old one stays in force.
    """

    repeated = "repeated"
    replaced = "replaced"
    reasked_after_resolution = "reasked_after_resolution"
    unanswered = "unanswered"
    store_error = "store_error"
    rules_fault = "rules_fault"


class Finding(Record):
    """One thing that a detector found. ``count`` is how often the question had been put by then."""

    detector: Detector
    conversation_id: str
    confirmation_id: str | None = None
    at: AwareDatetime
    count: int = 0


def detect(
    events: Iterable[ConfirmationEvent], *, now: datetime | None = None, repeated_after: int = REPEATED_AFTER
) -> tuple[Finding, ...]:
    """Return what the detectors find in *events*, in order of time.

    Args:
        events: in any order.
        now: where given, questions that had expired by then without a word from anyone are found too.
        repeated_after: how many askings of one question are too many.
    """
    ordered = sorted(events, key=lambda event: event.at)
    findings = [finding for event in ordered for finding in _of_one(event)]
    findings += [_finding(Detector.reasked_after_resolution, event) for event in settled_and_asked_again(ordered)]
    findings += [_finding(Detector.repeated, event) for event in _repeated(ordered, repeated_after)]
    if now is not None:
        findings += _silent(ordered, now)
    return tuple(sorted(findings, key=lambda finding: finding.at))


def settled_and_asked_again(ordered: Iterable[ConfirmationEvent]) -> list[ConfirmationEvent]:
    """Return the askings of what had been settled in the same conversation, whatever was settled in between.

    A decision counts for as long as the question could be answered. Of the guard's questions, which may be about one
    action more, only those count that the asking itself says so of.

    Args:
        ordered: the events, in order of time.
    """
    settled: dict[tuple[str, str | None], datetime] = {}
    found: list[ConfirmationEvent] = []
    for event in ordered:
        key = event.conversation_id, event.fingerprint
        if event.outcome is Outcome.resolved:
            settled[key] = event.at
        elif event.kind is EventKind.asked and (event.reasked or _is_of(event, settled.get(key))):
            found.append(event)
    return found


def _is_of(asked: ConfirmationEvent, settled_at: datetime | None) -> bool:
    if settled_at is None or asked.rule is not None or asked.ask_count != 1 or asked.expires_at is None:
        return False
    return asked.at < settled_at + (asked.expires_at - asked.at)


def _repeated(ordered: Iterable[ConfirmationEvent], after: int) -> Iterable[ConfirmationEvent]:
    """Yield, once for each question, the asking with which it was put *after* times or more."""
    seen: set[str | None] = set()
    for event in ordered:
        if event.kind is EventKind.asked and event.ask_count >= after and event.confirmation_id not in seen:
            seen.add(event.confirmation_id)
            yield event


def _of_one(event: ConfirmationEvent) -> Iterable[Finding]:
    if event.kind is EventKind.asked:
        if event.replaced_id is not None:
            yield _finding(Detector.replaced, event, confirmation_id=event.replaced_id)
    elif event.kind is EventKind.rules:
        if event.fault is not None:
            yield _finding(Detector.rules_fault, event)
    elif event.reason is Reason.expired:
        yield _finding(Detector.unanswered, event)
    elif event.reason is Reason.store_error:
        yield _finding(Detector.store_error, event)


def _silent(ordered: list[ConfirmationEvent], now: datetime) -> list[Finding]:
    """Return the questions past their time to which no event says how they ended."""
    open_questions: dict[str, ConfirmationEvent] = {}
    for event in ordered:
        if event.kind is EventKind.asked and event.confirmation_id:
            open_questions[event.confirmation_id] = event
            open_questions.pop(event.replaced_id or "", None)
        elif event.outcome is Outcome.resolved or event.reason is Reason.expired:
            open_questions.pop(event.confirmation_id or "", None)
    late = [event for event in open_questions.values() if event.expires_at and event.expires_at <= now]
    return [_finding(Detector.unanswered, event, at=event.expires_at) for event in late]


def _finding(
    detector: Detector, event: ConfirmationEvent, *, confirmation_id: str | None = None, at: datetime | None = None
) -> Finding:
    return Finding(
        detector=detector,
        conversation_id=event.conversation_id,
        confirmation_id=confirmation_id or event.confirmation_id,
        at=at or event.at,
        count=event.ask_count,
    )
