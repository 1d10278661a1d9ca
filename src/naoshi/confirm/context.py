"""The text that is put before the model after a turn, in Japanese or English.

What people and documents say stands in it only as quoted strings on one line each, with everything invisible
escaped, so that it can neither end the quotation nor look like a line of ours.
"""

import json
import re
from datetime import datetime

from naoshi.confirm.context_texts import AGO, ENGLISH, JAPANESE, Language, Texts
from naoshi.records.base import canonical_json
from naoshi.records.confirmation import Confirmation, Reason, Settlement, Style

_QUOTING = json.JSONEncoder(ensure_ascii=False)
_REPLY_SHOWN = 400
# Printable by Unicode's own word, and yet seen by nobody: fillers, and the selectors of a variant where there is none.
_UNSEEN = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]|(?<=[\x20-\x22\x24-\x29\x2b-\x2f\x3a-\x7e])[\ufe00-\ufe0f]"
)
_SETTLED = frozenset({Reason.resolved, Reason.proposed})
_CLOSED = frozenset({Reason.already_resolved, Reason.conflict})
_ASKED_AGAIN = frozenset(
    {
        Reason.empty,
        Reason.too_long,
        Reason.out_of_range,
        Reason.ambiguous,
        Reason.free_text,
        Reason.escape,
        Reason.stale,
        Reason.echoed,
        Reason.proposed,
    }
)


def quote(text: str) -> str:
    """Return *text* as a JSON string on one line in which every invisible character is escaped."""
    return on_one_line(_QUOTING.encode(text))


def on_one_line(text: str) -> str:
    """Return *text* with every invisible character (line breaks too; wide spaces aside) written as an escape."""
    if text.isprintable() and not _UNSEEN.search(text):
        return text
    shown = "".join(
        character if character.isprintable() or character == "\u3000" else json.dumps(character)[1:-1]
        for character in text
    )
    return _UNSEEN.sub(lambda found: json.dumps(found.group())[1:-1], shown)


def choice_mark(number: int, style: Style) -> str:
    """Return what a person types for the choice: ``2``, or ``B``."""
    return str(number) if style is Style.numbers else chr(ord("A") + number - 1)


def language_of(text: str) -> Language:
    """Return Japanese where *text* has kana or Chinese characters, else English."""
    japanese = any("\u3041" <= character <= "\u30ff" or "\u4e00" <= character <= "\u9fff" for character in text)
    return Language.japanese if japanese else Language.english


def render_context(
    reason: Reason,
    *,
    now: datetime,
    reply: str,
    confirmation: Confirmation | None = None,
    settlement: Settlement | None = None,
    language: Language | str | None = None,
) -> str:
    """Return the text for the model, or an empty string where there is nothing to say.

    Args:
        reason: why the turn ended as it did.
        now: the time of the turn.
        reply: what the person typed.
        confirmation: the question that the turn was about.
        settlement: the decision made, now or earlier.
        language: of the text; by the question's own language where not given.
    """
    if reason is Reason.nothing_pending:
        return ""
    said = confirmation.question + "".join(confirmation.labels) if confirmation else reply
    spoken = Language(language) if language else language_of(said)
    texts = JAPANESE if spoken is Language.japanese else ENGLISH
    late = reason is Reason.stale and confirmation is None
    lines = list(texts.late) if late else [texts.title[reason], texts.rule[reason]]
    if confirmation:
        lines += _question_lines(confirmation, reason, settlement, texts, now=now)
    if settlement and reason in _CLOSED:
        who = quote(settlement.actor) if settlement.actor else texts.someone
        lines.append(texts.decided.format(who=who, when=settlement.at.isoformat(timespec="seconds")))
    if reason in _ASKED_AGAIN or reason in _CLOSED:
        lines.append(texts.reply.format(reply=quote(_shortened(reply))))
    lines.append(texts.data)
    return "\n".join(lines)


def _question_lines(
    confirmation: Confirmation, reason: Reason, settlement: Settlement | None, texts: Texts, *, now: datetime
) -> list[str]:
    ago = _ago(now, confirmation.updated_at, texts)
    times = texts.times[min(confirmation.ask_count, 2) - 1].format(count=confirmation.ask_count)
    lines = [
        texts.question.format(question=quote(confirmation.question), ago=ago, times=times),
    ]
    if confirmation.action is not None:
        lines.append(texts.action.format(action=on_one_line(canonical_json(confirmation.action))))
    chosen = settlement.choices if settlement else ()
    if reason in _SETTLED or reason in _CLOSED:
        shown = [choice for choice in confirmation.choices if choice.number in chosen]
        head = texts.chosen
    else:
        shown = list(confirmation.choices)
        head = texts.choices
    lines.append(head)
    lines += [f"{choice_mark(choice.number, confirmation.style)}. {quote(choice.label)}" for choice in shown]
    if confirmation.irreversible and reason in _ASKED_AGAIN and reason is not Reason.proposed:
        marks = ", ".join(choice_mark(number, confirmation.style) for number in confirmation.irreversible)
        once = reason is not Reason.echoed and confirmation.echoed is not None
        lines.append((texts.careful_again if once else texts.careful).format(marks=marks))
    return lines


def _shortened(reply: str) -> str:
    return reply if len(reply) <= _REPLY_SHOWN else reply[:_REPLY_SHOWN] + "…"


def _ago(now: datetime, then: datetime, texts: Texts) -> str:
    seconds = max(0, int((now - then).total_seconds()))
    for unit, size in AGO:
        if seconds >= size:
            return texts.ago[unit].format(count=seconds // size)
    return texts.ago["now"]
