"""Replies that were not read, as rows that the grammar might get."""

from pathlib import Path

import pytest

from naoshi.confirm import (
    Confirmations,
    JsonLinesEvents,
    MemoryStore,
    Turn,
    mine_rows,
    read_reply_rows,
    read_turns,
    resolve_reply,
)
from naoshi.errors import InputError, MissingPathError
from tests.confirm.conftest import Clock

LABELS = ["登録する", "修正する", "やめる"]
ROWS = read_reply_rows()


class Talk:
    """Conversations, and the log of their turns."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.turns: list[Turn] = []
        self.confirmations = Confirmations(MemoryStore(), clock=self.clock, on_turn=self.turns.append)

    def hold(self, *replies: str, read_as: int | None = None) -> None:
        """Ask, and answer with *replies* in turn; a model reads the first unread one as *read_as*."""
        conversation = f"c{len(self.turns)}"
        self.confirmations.ask(conversation, "登録しますか？", LABELS, irreversible=[1, 2, 3])
        for reply in replies:
            self.clock.move(seconds=5)
            turn = self.confirmations.receive(conversation, reply)
            if read_as is not None and turn.choice is None:
                self.confirmations.propose(turn, read_as)


def test_what_was_read_back_and_confirmed_by_number_is_a_row() -> None:
    """Protects the way in for natural replies: only where the person's own number bore the reading out."""
    talk = Talk()
    for _ in range(3):
        talk.hold("ぜひ登録で頼みます", "1", read_as=1)
    (row,) = mine_rows(talk.turns, ROWS)
    assert (row.reply, row.labels, row.choice) == ("ぜひ登録で頼みます", tuple(LABELS), 1)
    assert (row.seen, row.conversations, row.checked, row.against, row.is_free) == (3, 3, len(ROWS), (), True)


def test_a_number_in_words_is_one_form_for_all_numbers() -> None:
    """Protects against a row for each number, and takes the next reply as proof only where the unread one named it."""
    talk = Talk()
    talk.hold("1号案でどうぞ", "1")
    talk.hold("2号案でどうぞ", "2")
    (row,) = mine_rows(talk.turns, ROWS)
    assert (row.seen, row.is_free) == (2, True)


def test_what_the_table_leaves_unread_stays_so() -> None:
    """Protects the grammar's decisions: each row of the table that would change is named."""
    talk = Talk()
    for number in "123":
        talk.hold(f"{number}でいい", number)
    (row,) = mine_rows(talk.turns, ROWS)
    assert not row.is_free
    assert all(resolve_reply(item.reply, item.labels).choice is None for item in row.against)


@pytest.mark.parametrize(
    "replies",
    [
        ("先に説明して", "1"),
        ("明日の天気は？", "1"),
        ("1か2で迷う", "1"),
        ("2かな", "1"),
        ("やっぱり登録する修正する", "1"),
    ],
)
def test_what_came_before_a_number_by_chance_is_no_meaning(replies: tuple[str, str]) -> None:
    """Protects against learning "explain first" as the first choice."""
    talk = Talk()
    for _ in range(5):
        talk.hold(*replies)
    assert mine_rows(talk.turns, ROWS) == ()


def test_a_reading_that_the_person_did_not_bear_out_is_no_meaning() -> None:
    """Protects against the model's own mistakes."""
    talk = Talk()
    for _ in range(5):
        talk.hold("それで頼みます", "2", read_as=1)
    assert mine_rows(talk.turns, ROWS) == ()


def test_words_that_meant_one_thing_and_another_are_not_free() -> None:
    """Protects against rows that hold most of the time."""
    talk = Talk()
    for _ in range(3):
        talk.hold("それで頼みます", "1", read_as=1)
    talk.hold("それで頼みます", "2", read_as=1)
    (row,) = mine_rows(talk.turns, ROWS)
    assert (row.otherwise, row.is_free) == (1, False)


def test_once_is_not_enough() -> None:
    """Protects the grammar from a single slip."""
    talk = Talk()
    talk.hold("ぜひ登録で頼みます", "1", read_as=1)
    assert mine_rows(talk.turns, ROWS) == ()
    assert len(mine_rows(talk.turns, ROWS, fewest=1)) == 1


def test_the_table_that_comes_with_naoshi_is_the_grammars() -> None:
    """Protects the proof: the rows held against are read by the grammar as they say."""
    assert len(ROWS) > 150
    for row in ROWS:
        assert resolve_reply(row.reply, row.labels).choice == row.choice


def test_turns_are_kept_as_lines_and_tables_are_checked(tmp_path: Path) -> None:
    """Protects the log and the person who hands in a table of their own."""
    log = tmp_path / "turns.jsonl"
    confirmations = Confirmations(MemoryStore(), clock=Clock(), on_turn=JsonLinesEvents(log))
    confirmations.ask("c", "登録しますか？", LABELS)
    confirmations.receive("c", "\ud800 うん")
    turns, unread = read_turns(log)
    assert [turn.reply for turn in turns] == ["\ud800 うん"]
    assert list(unread) == []
    with pytest.raises(MissingPathError):
        read_reply_rows(tmp_path / "none.tsv")
    bad = tmp_path / "bad.tsv"
    bad.write_text('reply\tlabels\tchoice\n"1"\t["a"]\t1\nno json\t[]\t-\n')
    with pytest.raises(InputError, match="line 3"):
        read_reply_rows(bad)
