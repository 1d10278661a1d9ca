"""Replies that were not read, and whose meaning became certain later, as rows that the grammar might get. Pure."""

import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from naoshi.confirm.label_numbers import fold_text
from naoshi.confirm.reply import resolve_reply
from naoshi.errors import InputError
from naoshi.records.base import Record
from naoshi.records.confirmation import Confirmation, Outcome, Reason, Style, Turn
from naoshi.system.files import read_text

_UNREAD = frozenset({Reason.free_text, Reason.too_long, Reason.ambiguous})
_DIGITS = re.compile(r"[0-9]+", re.ASCII)


class ReplyRow(Record):
    """One row of the table of readings: how *reply* is read under *labels*; ``choice`` is None where it is not."""

    reply: str
    labels: tuple[str, ...]
    choice: int | None


class MinedRow(Record):
    """A row that the grammar might get.

    ``seen`` is how many questions were so answered, ``conversations`` in how many conversations. ``against`` are the
    rows of the table that a reading of this form would change, out of ``checked``; where it is empty, no row changes.
    ``otherwise`` is how often the same reply turned out to mean something else.
    """

    reply: str
    labels: tuple[str, ...]
    choice: int
    seen: int
    conversations: int
    checked: int
    against: tuple[ReplyRow, ...] = ()
    otherwise: int = 0

    @property
    def is_free(self) -> bool:
        """Whether nothing speaks against the row."""
        return not self.against and not self.otherwise


@dataclass(frozen=True, kw_only=True)
class _Meaning:
    """A reply, and the choice that the person then made by number. ``form`` has ``#`` for the choice's number."""

    turn: Turn
    question: Confirmation
    choice: int
    certain: bool

    @property
    def form(self) -> str:
        return _form(self.turn.reply, self.choice)


def read_reply_rows(path: str | os.PathLike[str] | None = None) -> tuple[ReplyRow, ...]:
    """Return the rows of the table at *path*; without one, of the table that the grammar is tested with.

    The table has a line of column names, then ``reply`` and ``labels`` as JSON, ``choice`` (``-``: none), and more.

    Raises:
        MissingPathError: there is no such file.
        InputError: it is no such table; the line is named.
    """
    home = Path(str(files("naoshi.confirm"))) / "reply_cases.tsv"
    lines = read_text(Path(path) if path else home).split("\n")
    rows: list[ReplyRow] = []
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip():
            continue
        try:
            reply, labels, choice, *_ = line.split("\t")
            rows.append(
                ReplyRow(
                    reply=json.loads(reply), labels=json.loads(labels), choice=None if choice == "-" else int(choice)
                )
            )
        except (ValueError, RecursionError) as error:
            raise InputError(f"line {number} of {path or home.name} is no row of readings") from error
    return tuple(rows)


def mine_rows(turns: Iterable[Turn], rows: Sequence[ReplyRow], *, fewest: int = 2) -> tuple[MinedRow, ...]:
    """Return the replies that were not read though their meaning became certain, the most frequent first.

    It is certain where a model's reading was put back to the person, who then typed that number; or where the
    person's next reply was the number that the unread one named. What a person merely chose some time after saying
    something else is no meaning of what they said.

    Args:
        turns: of `Confirmations` (``on_turn``), in any order.
        rows: the table that must not change; each mined row is held against all of it.
        fewest: in how many questions a reply must have been so answered.
    """
    meanings = _meanings(sorted(turns, key=lambda turn: turn.at))
    groups: dict[tuple[str, int], list[_Meaning]] = {}
    for meaning in meanings:
        if meaning.certain:
            groups.setdefault((meaning.form, 0 if "#" in meaning.form else meaning.choice), []).append(meaning)
    mined = [_row(group, meanings, rows) for group in groups.values()]
    wanted = [row for row in mined if row.seen >= fewest]
    return tuple(sorted(wanted, key=lambda row: (not row.is_free, -row.seen, row.reply)))


def _meanings(ordered: Sequence[Turn]) -> list[_Meaning]:
    by_question: dict[str, list[Turn]] = {}
    for turn in ordered:
        question = turn.confirmation
        if question and question.style is Style.numbers and not question.multiple:
            by_question.setdefault(question.id, []).append(turn)
    return [meaning for story in by_question.values() for meaning in _of_question(story)]


def _of_question(story: Sequence[Turn]) -> Iterable[_Meaning]:
    """Yield what the unread replies to one question turned out to mean, if it was settled by number."""
    end = next((place for place, turn in enumerate(story) if _settles(turn)), None)
    if end is None or story[end].choice is None:
        return
    choice = story[end].choice
    echoed = [turn for turn in story[:end] if turn.reason is Reason.echoed]
    unread = [turn for turn in story[:end] if turn.outcome is Outcome.unresolved and turn.reason in _UNREAD]
    for place, turn in enumerate(unread):
        question = turn.confirmation
        if question is None or choice is None:
            continue
        put_back = any(item.reply == turn.reply and item.message_id == turn.message_id for item in echoed)
        named = place == len(unread) - 1 and _names(turn.reply, question, choice)
        yield _Meaning(
            turn=turn, question=question, choice=choice, certain=named or (put_back and _agrees(echoed, choice))
        )


def _settles(turn: Turn) -> bool:
    return turn.outcome is Outcome.resolved and turn.reason is Reason.resolved


def _agrees(echoed: Sequence[Turn], choice: int) -> bool:
    return all(turn.confirmation is not None and turn.confirmation.echoed == choice for turn in echoed)


def _names(reply: str, question: Confirmation, choice: int) -> bool:
    """Return whether *reply* names the choice: its number and no other, or all of its text and no other's."""
    folded = fold_text(reply)
    numbers = set(_DIGITS.findall(folded))
    if numbers:
        return numbers == {str(choice)}
    inside = [item.number for item in question.choices if fold_text(item.label) in folded]
    return inside == [choice]


def _form(reply: str, choice: int) -> str:
    return _DIGITS.sub(lambda found: "#" if found[0] == str(choice) else found[0], fold_text(reply))


def _row(group: Sequence[_Meaning], meanings: Sequence[_Meaning], rows: Sequence[ReplyRow]) -> MinedRow:
    first = group[0]
    return MinedRow(
        reply=first.turn.reply,
        labels=first.question.labels,
        choice=first.choice,
        seen=len({meaning.question.id for meaning in group}),
        conversations=len({meaning.turn.conversation_id for meaning in group}),
        checked=len(rows),
        against=tuple(row for row in rows if _changes(row, first)),
        otherwise=sum(_is_otherwise(meaning, first) for meaning in meanings),
    )


def _changes(row: ReplyRow, mined: _Meaning) -> bool:
    """Return whether the table's *row* would be read otherwise if the grammar had the mined form too."""
    read = resolve_reply(row.reply, row.labels).choice
    if read is not None:
        return False
    found = _DIGITS.findall(fold_text(row.reply))
    number = int(found[0][:9]) if "#" in mined.form and found else mined.choice
    return _form(row.reply, number) == mined.form and number <= len(row.labels)


def _is_otherwise(meaning: _Meaning, mined: _Meaning) -> bool:
    """Return whether the same words were once followed by another choice."""
    said = fold_text(meaning.turn.reply) == fold_text(mined.turn.reply)
    return said and meaning.choice != mined.choice
