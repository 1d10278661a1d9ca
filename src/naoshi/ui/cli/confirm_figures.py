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
from naoshi.ui.cli.confirm_screen_words import ScreenWords, screen_words
from naoshi.ui.cli.confirm_show import beside
from naoshi.ui.cli.output import Output, counted, one_line

T = TypeVar("T")


def show_stats(state: str, events: Path | None, out: Output, *, language: str | None) -> int:
    """Show the figures over the log of events."""
    words = screen_words(language)
    stats = count_events(_events(state, events, out, words))
    figures = {
        "questions": stats.questions,
        "settled": stats.settled,
        "share": _percent(stats.deterministic_share, words),
        "replies": counted(stats.replies, *words.reply),
        "proposed": stats.proposed,
        "median": _seconds(stats.median_seconds, words),
        "again": _percent(stats.reask_rate, words),
    }
    out.say(*(line.format(**figures) for line in words.figures))
    if stats.rules:
        out.say("")
        rows = [
            (
                rule.rule,
                rule.asked,
                rule.approved,
                rule.refused,
                _seconds(rule.median_seconds, words),
                words.waved_through if rule.waved_through else "",
            )
            for rule in stats.rules
        ]
        out.table(words.rule_columns, rows)
    out.result(stats)
    return 0


def show_check(state: str, events: Path | None, out: Output, *, every: bool, language: str | None) -> int:
    """Show what the detectors find, and return 1 where a settled question was asked again, or anything with *every*."""
    words = screen_words(language)
    findings = detect(_events(state, events, out, words), now=datetime.now(UTC))
    for finding in findings:
        meaning = words.meaning[finding.detector]
        out.say(f"{finding.at.isoformat(timespec='seconds')}  {finding.conversation_id}: {meaning}")
    if not findings:
        out.say(words.nothing_found)
    out.result({"findings": findings})
    bad = every or any(finding.detector is Detector.reasked_after_resolution for finding in findings)
    return 1 if findings and bad else 0


def show_what_if(
    state: str, rules: Path, events: Path | None, actions: Path | None, out: Output, *, language: str | None
) -> int:
    """Show what the rules in the file *rules* would have asked; return 1 where they miss a refusal."""
    words = screen_words(language)
    policy = read_policy(rules)
    log = _log(state, "actions", actions, "Guard(..., on_action=JsonLinesEvents(PATH))")
    told = what_if(_whole(*read_actions(log), out, words), _events(state, events, out, words), policy)
    out.say(
        (words.fewer if told.fewer >= 0 else words.more).format(
            actions=counted(told.actions, *words.action),
            then=told.asked_then,
            now=told.asked_now,
            rules=rules.name,
            difference=abs(told.fewer),
        )
    )
    for missed in told.missed_refusals:
        arguments = one_line(str(missed.arguments))
        out.say(words.missed.format(tool=missed.tool, arguments=arguments, conversation=missed.conversation_id))
        out.say(words.missed_why.format(why=missed.why_now))
    for tool in told.relaxed:
        out.say(words.relaxed.format(tool=tool))
    for item in told.suggestions:
        out.say(words.suggested.format(tool=item.tool, rule=item.rule, approved=item.approved))
    out.result(told)
    return 0 if told.is_safe else 1


def show_mined(
    state: str, turns: Path | None, rows: Path | None, out: Output, *, fewest: int, language: str | None
) -> int:
    """Show unread replies whose meaning became certain, as rows of the table of readings."""
    words = screen_words(language)
    log = _log(state, "turns", turns, "Confirmations(..., on_turn=JsonLinesEvents(PATH))")
    recorded = _whole(*read_turns(log), out, words)
    mined = mine_rows(recorded, read_reply_rows(rows), fewest=fewest)
    for row in mined:
        columns = (_cell(row.reply), json.dumps(list(row.labels), ensure_ascii=False), str(row.choice), "resolved")
        proof = words.proven.format(seen=row.seen, checked=row.checked)
        if row.against:
            changed = counted(len(row.against), *words.row)
            proof = words.changes_rows.format(rows=changed, first=_cell(row.against[0].reply))
        elif row.otherwise:
            proof = words.meant_otherwise.format(times=row.otherwise)
        out.say("\t".join((*columns, proof)))
    if not mined:
        out.say(words.none_mined)
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


def _events(state: str, given: Path | None, out: Output, words: ScreenWords) -> Sequence[ConfirmationEvent]:
    how = "Confirmations(..., on_event=JsonLinesEvents(PATH))"
    return _whole(*read_events(_log(state, "events", given, how)), out, words)


def _whole(found: Sequence[T], unread: Sequence[int], out: Output, words: ScreenWords) -> Sequence[T]:
    if unread:
        numbers = ", ".join(map(str, unread[:5])) + (" …" if len(unread) > 5 else "")
        out.progress(words.unread.format(lines=counted(len(unread), *words.line), numbers=numbers))
    return found


def _percent(share: float | None, words: ScreenWords) -> str:
    return words.no_share if share is None else f"{share:.0%}"


def _seconds(seconds: float | None, words: ScreenWords) -> str:
    return "—" if seconds is None else words.seconds.format(seconds=seconds)
