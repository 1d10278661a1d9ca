"""`naoshi confirm list|show|reply|ask`: the questions of agents, one by one."""

import getpass
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from naoshi.app.open_confirmations import open_confirmations
from naoshi.confirm import (
    Confirmation,
    Confirmations,
    ConfirmationStore,
    JsonLinesEvents,
    Outcome,
    Reason,
    Style,
    render_question,
)
from naoshi.errors import NotFoundError, StoreError
from naoshi.ui.cli.confirm_screen_words import ScreenWords, screen_words
from naoshi.ui.cli.confirm_words import told
from naoshi.ui.cli.output import Output, one_line

_STATUS = {Outcome.resolved: 0, Outcome.nothing_pending: 1, Outcome.unresolved: 3}


def beside(state: str, name: str) -> Path:
    """Return the log called *name* that lies beside the state; for a database, in `.naoshi`."""
    folder = Path(".naoshi") if "://" in state else Path(state).parent
    return folder / f"confirmation-{name}.jsonl"


def who(by: str) -> str:
    """Return the name in *by*, else that of the login."""
    try:
        return by.strip() or getpass.getuser()
    except (OSError, KeyError):
        return "unknown"


def confirmations_of(state: str, store: ConfirmationStore, *, ttl: timedelta = timedelta(hours=12)) -> Confirmations:
    """Return confirmations on *store* that write their events beside the state."""
    return Confirmations(store, ttl=ttl, on_event=JsonLinesEvents(beside(state, "events")))


def list_open(state: str, out: Output, *, language: str | None) -> int:
    """Show the open questions, the oldest first."""
    words = screen_words(language)
    now = datetime.now(UTC)
    found = [kept.pending for kept in open_confirmations(state).conversations()]
    pending = sorted(
        (question for question in found if question and not question.is_expired(now=now)),
        key=lambda question: question.created_at,
    )
    if pending:
        rows = [_row(question) for question in pending]
        out.table(words.open_columns, rows)
    else:
        out.say(words.none_open)
    out.result({"questions": pending})
    return 0


def show_conversation(state: str, conversation: str, out: Output, *, language: str | None) -> int:
    """Show all that is kept of the conversation.

    Raises:
        NotFoundError: nothing is kept of it.
    """
    words = screen_words(language)
    kept = open_confirmations(state).get(conversation)
    if kept is None:
        raise NotFoundError(f"nothing is kept of the conversation {conversation}", hint="`naoshi confirm list`")
    if kept.pending:
        expired = kept.pending.is_expired(now=datetime.now(UTC))
        title = words.expired if expired else words.open
        out.say(title, render_question(kept.pending), _asked(kept.pending, words), "")
    if kept.settled:
        chosen = ", ".join(kept.settled.confirmation.labels[number - 1] for number in kept.settled.choices)
        who_did = kept.settled.actor or words.someone
        told_so = words.settled.format(who=who_did, at=_time(kept.settled.at), chosen=chosen)
        out.say(told_so, render_question(kept.settled.confirmation), "")
    for claim in kept.claims:
        ended = words.ended[claim.state].format(at=_time(claim.ended_at)) if claim.ended_at else words.no_end
        out.say(words.begun.format(id=claim.confirmation_id, at=_time(claim.at), ended=ended))
    out.result(kept)
    return 0


def give_reply(state: str, conversation: str, text: str, out: Output, *, by: str, message_id: str) -> int:
    """Take in a person's reply, say what it did, and return the exit status.

    Raises:
        StoreError: the state cannot be used; nothing was decided.
    """
    confirmations = confirmations_of(state, open_confirmations(state))
    turn = confirmations.receive(conversation, text, actor=who(by), message_id=message_id or None)
    if turn.reason is Reason.store_error:
        raise StoreError("the state cannot be read or written, and nothing was decided")
    out.say(told(turn, when=_time(turn.settlement.at) if turn.settlement else ""))
    if turn.outcome is Outcome.unresolved and turn.confirmation:
        out.say(render_question(turn.confirmation))
    out.result(turn)
    return _STATUS[turn.outcome]


def put_question(
    state: str, conversation: str, question: str, labels: Sequence[str], out: Output, *, letters: bool, hours: float
) -> int:
    """Ask a question and show it as the person sees it."""
    store = open_confirmations(state, make=True)
    confirmations = confirmations_of(state, store, ttl=timedelta(hours=hours))
    asked = confirmations.ask(conversation, question, list(labels), style=Style.letters if letters else Style.numbers)
    out.say(render_question(asked), *(f"warning: {warning}" for warning in asked.warnings))
    out.result(asked)
    return 0


def _row(question: Confirmation) -> tuple[object, ...]:
    asked = one_line(question.question, most=60)
    return question.conversation_id, asked, question.ask_count, _time(question.updated_at), question.rule or ""


def _asked(question: Confirmation, words: ScreenWords) -> str:
    times = words.once if question.ask_count == 1 else words.times.format(count=question.ask_count)
    told_so = words.asked_by if question.rule else words.asked
    return told_so.format(times=times, rule=question.rule, at=_time(question.updated_at))


def _time(moment: datetime) -> str:
    return moment.astimezone().isoformat(sep=" ", timespec="seconds")
