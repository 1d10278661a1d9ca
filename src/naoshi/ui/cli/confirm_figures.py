"""`naoshi confirm stats|check|what-if|mine`: what the logs of confirmations say."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from naoshi.confirm import (
    ConfirmationEvent,
    Detector,
    count_events,
    detect,
    mine_rows,
    read_actions,
    read_events,
    read_policy,
    read_reply_rows,
    read_turns,
    what_if,
)
from naoshi.errors import MissingPathError
from naoshi.ui.cli.confirm_show import beside
from naoshi.ui.cli.output import Output, counted, one_line

T = TypeVar("T")

_MEANING = {
    Detector.repeated: "put several times and not settled",
    Detector.replaced: "put aside by another question before anyone decided it",
    Detector.reasked_after_resolution: "asked again though it was settled",
    Detector.unanswered: "expired without an answer",
    Detector.store_error: "the state could not be read or written",
    Detector.rules_fault: "new rules were broken; the old ones stay in force",
}


def show_stats(state: str, events: Path | None, out: Output) -> int:
    """Show the figures over the log of events."""
    stats = count_events(_events(state, events, out))
    out.say(
        f"questions           {stats.questions}, {stats.settled} of them settled",
        f"read by machine     {_percent(stats.deterministic_share)} of {counted(stats.replies, 'reply', 'replies')}",
        f"settled by a model  {stats.proposed}, by its reading of a reply",
        f"time to decide      {_seconds(stats.median_seconds)} (median)",
        f"asked again         {_percent(stats.reask_rate)} of the questions",
    )
    if stats.rules:
        out.say("")
        rows = [
            (
                rule.rule,
                rule.asked,
                rule.approved,
                rule.refused,
                _seconds(rule.median_seconds),
                "fast and never refused: ask less, or look" if rule.waved_through else "",
            )
            for rule in stats.rules
        ]
        out.table(("rule", "asked", "approved", "refused", "median", ""), rows)
    out.result(stats)
    return 0


def show_check(state: str, events: Path | None, out: Output, *, every: bool) -> int:
    """Show what the detectors find, and return 1 where a settled question was asked again, or anything with *every*."""
    findings = detect(_events(state, events, out), now=datetime.now(UTC))
    for finding in findings:
        out.say(f"{finding.at.isoformat(timespec='seconds')}  {finding.conversation_id}: {_MEANING[finding.detector]}")
    if not findings:
        out.say("nothing found")
    out.result({"findings": findings})
    bad = every or any(finding.detector is Detector.reasked_after_resolution for finding in findings)
    return 1 if findings and bad else 0


def show_what_if(state: str, rules: Path, events: Path | None, actions: Path | None, out: Output) -> int:
    """Show what the rules in the file *rules* would have asked; return 1 where they miss a refusal."""
    policy = read_policy(rules)
    recorded = _whole(
        *read_actions(_log(state, "actions", actions, "Guard(..., on_action=JsonLinesEvents(PATH))")), out
    )
    told = what_if(recorded, _events(state, events, out), policy)
    out.say(
        f"{counted(told.actions, 'action')}: {told.asked_then} asked then, {told.asked_now} under {rules.name}, "
        f"{abs(told.fewer)} {'fewer' if told.fewer >= 0 else 'more'}"
    )
    for missed in told.missed_refusals:
        out.say(f"MISSED: {missed.tool} {one_line(str(missed.arguments))} was refused in {missed.conversation_id}")
        out.say(f"        now {missed.why_now}")
    for tool in told.relaxed:
        out.say(f"note: {tool} was refused once, and would no longer always be asked about")
    for item in told.suggestions:
        out.say(f"could be asked less: {item.tool} (rule {item.rule}), {item.approved} approvals and never a refusal")
    out.result(told)
    return 0 if told.is_safe else 1


def show_mined(state: str, turns: Path | None, rows: Path | None, out: Output, *, fewest: int) -> int:
    """Show unread replies whose meaning became certain, as rows of the table of readings."""
    recorded = _whole(
        *read_turns(_log(state, "turns", turns, "Confirmations(..., on_turn=JsonLinesEvents(PATH))")), out
    )
    mined = mine_rows(recorded, read_reply_rows(rows), fewest=fewest)
    for row in mined:
        columns = (_cell(row.reply), json.dumps(list(row.labels), ensure_ascii=False), str(row.choice), "resolved")
        proof = f"seen {row.seen}×; {row.checked} rows checked, none changes"
        if row.against:
            proof = f"REFUSED: changes {counted(len(row.against), 'row')}, such as {_cell(row.against[0].reply)}"
        elif row.otherwise:
            proof = f"REFUSED: meant something else {row.otherwise}×"
        out.say("\t".join((*columns, proof)))
    if not mined:
        out.say("no unread reply became certain often enough")
    out.result({"rows": [{**row.model_dump(mode="json"), "is_free": row.is_free} for row in mined]})
    return 0


def _cell(text: str) -> str:
    """Return *text* as JSON, in letters where all of it can be seen."""
    return json.dumps(text, ensure_ascii=not text.isprintable())


def _log(state: str, name: str, given: Path | None, how: str) -> Path:
    path = given or beside(state, name)
    if not path.is_file():
        raise MissingPathError(f"there is no log {path}", hint=f"name it with --{name}; an agent writes one with {how}")
    return path


def _events(state: str, given: Path | None, out: Output) -> Sequence[ConfirmationEvent]:
    how = "Confirmations(..., on_event=JsonLinesEvents(PATH))"
    return _whole(*read_events(_log(state, "events", given, how)), out)


def _whole(found: Sequence[T], unread: Sequence[int], out: Output) -> Sequence[T]:
    if unread:
        lines = ", ".join(map(str, unread[:5])) + (" …" if len(unread) > 5 else "")
        out.progress(f"{counted(len(unread), 'line')} of the log cannot be read: {lines}")
    return found


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{share:.0%}"


def _seconds(seconds: float | None) -> str:
    return "—" if seconds is None else f"{seconds:.1f} s"
