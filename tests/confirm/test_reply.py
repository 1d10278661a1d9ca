"""What a reply is read as."""

import json
import os
import random
import time
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from naoshi.confirm import Reason, Resolution, label_warnings, resolve_reply
from tests.confirm.replies import LABEL_SETS, random_reply
from tests.confirm.second_reading import POLITE, PREFIXES, SUFFIXES, second_reading

LABELS = ["この内容で登録する", "修正する", "やめる"]
CASES = Path(str(files("naoshi.confirm"))) / "reply_cases.tsv"
SHARED_ROWS = Path(__file__).resolve().parents[3] / "shared" / "confirm" / "replies.tsv"
RANDOM_REPLIES = int(os.environ.get("NAOSHI_CONFIRM_REPLIES", "100000"))
MARKS = ["1", "2", "3", "１", "２", "３", "①", "❷", "⑶", "2️⃣"]
GRAMMAR_WORDS = {
    word.strip() for word in (*PREFIXES, *SUFFIXES, *POLITE, "番", "番目", "ばん", "번", "我", "第", "please")
}

Row = tuple[str, list[str], int | None, str, str]


def rows_of(path: Path, columns: tuple[int, ...]) -> list[Row]:
    lines = path.read_text(encoding="utf-8").split("\n")[1:]
    found: list[Row] = []
    for line in filter(None, lines):
        cells = [line.split("\t")[column] for column in columns]
        choice = None if cells[2] == "-" else int(cells[2])
        found.append((json.loads(cells[0]), json.loads(cells[1]), choice, cells[3], cells[4]))
    return found


def differences(rows: list[Row]) -> list[str]:
    wrong: list[str] = []
    for reply, labels, choice, reason, why in rows:
        read = resolve_reply(reply, labels)
        if read.choice != choice or reason not in ("*", read.reason):
            wrong.append(f"{reply!a} ({why}): {read.choice} {read.reason}, not {choice} {reason}")
    return wrong


def test_own_cases_read_as_stated() -> None:
    """Protects every kind of reply that was thought of, resolved or not."""
    rows = rows_of(CASES, (0, 1, 2, 3, 4))
    assert len(rows) > 150
    assert not differences(rows)


def test_shared_rows_read_as_stated() -> None:
    """Protects the agreed table of readings."""
    if not SHARED_ROWS.exists():
        pytest.skip("there is no table ../shared/confirm/replies.tsv beside the repository")
    rows = rows_of(SHARED_ROWS, (1, 2, 3, 4, 5))
    assert len(rows) > 100
    assert not differences(rows)


@pytest.mark.slow
def test_random_replies_agree_with_a_second_reading() -> None:
    """Protects against a wrong resolution anywhere near the grammar; both ways of reading must agree."""
    source = random.Random(20260930)
    resolved = 0
    for _ in range(RANDOM_REPLIES):
        reply, labels = random_reply(source), source.choice(LABEL_SETS)
        read = resolve_reply(reply, labels)
        assert read.choice == second_reading(reply, labels), (ascii(reply), labels, read)
        resolved += read.choice is not None
    assert resolved > RANDOM_REPLIES // 25


@given(st.text(max_size=14), st.sampled_from(LABEL_SETS))
@example("\ud800", LABELS)
@example("1\x00", LABELS)
def test_any_text_agrees_with_a_second_reading(reply: str, labels: list[str]) -> None:
    """Protects totality, and that only the grammar resolves, over all of Unicode."""
    assert resolve_reply(reply, labels).choice == second_reading(reply, labels)


@given(
    st.text(),
    st.lists(st.text(), max_size=5),
    st.integers(-1, 40),
    st.booleans(),
    st.sampled_from(["numbers", "letters"]),
)
def test_reading_is_total(reply: str, labels: list[str], max_length: int, multiple: bool, style: str) -> None:
    """Protects the caller from an exception, and from a choice that does not exist, whatever comes in."""
    read = resolve_reply(reply, labels, max_length=max_length, multiple=multiple, style=style, yes=1, no=2)
    assert (read.reason is Reason.resolved) == bool(read.choices)
    assert all(1 <= choice <= len(labels) for choice in read.choices)
    if len(reply) > max_length:
        assert read == Resolution(reason=Reason.too_long)


@given(
    st.sampled_from(MARKS),
    st.text(st.characters(categories=("L", "N", "M")), min_size=1, max_size=8)
    | st.sampled_from(
        ["not", "以外", "じゃない", "円", "分", "かも", "?", "？", "…", "人", "but", "ではなく", "な", "安"]
    ),
    st.sampled_from(["", " ", "、"]),
)
def test_a_word_around_a_number_unresolves_it(mark: str, word: str, between: str) -> None:
    """Protects against reading a prefix or a part: a word beside the number makes it free text."""
    assume(word.strip().lower() not in GRAMMAR_WORDS and not word.isspace())
    assume(second_reading(word, LABELS) is None or between)
    before, after = word + between + mark, mark + between + word
    if second_reading(after, LABELS) is None:
        assert resolve_reply(after, LABELS).choice is None
    assert resolve_reply(after + "は", LABELS).choice is None
    assert resolve_reply(word + "は" + between + mark, LABELS).choice is None
    assert resolve_reply(before, LABELS).choice == second_reading(before, LABELS)


@pytest.mark.parametrize(
    "word", ["じゃない", "以外", "円", "人", "つ", "分", "?", "？", "かも", "か", "号", "nd", " days", "안", "…"]
)
@pytest.mark.parametrize("mark", MARKS)
def test_negation_doubt_units_and_questions_stay_free_text(mark: str, word: str) -> None:
    """Protects the words that turn a number around from ever being dropped."""
    assert resolve_reply(mark + word, LABELS).reason is Reason.free_text


@pytest.mark.parametrize("unit", ["1", " ", "1,", "①", "1と", "(", "1番で", "２", "\u200b", "1 and ", "でお願い"])
def test_reading_takes_linear_time(unit: str) -> None:
    """Protects the entry of the loop from a reply built to be slow, even where the limit was raised."""
    for multiple in (False, True):
        reply = unit * (50_000 // len(unit)) + "?"
        began = time.process_time()
        resolve_reply(reply, LABELS, max_length=10**9, multiple=multiple)
        assert time.process_time() - began < 2.0


def test_reading_stops_at_the_limit() -> None:
    """Protects the entry of the loop from a huge reply: past the limit nothing of it is looked at."""
    reply = " " * 50_000_000 + "1"
    began = time.process_time()
    assert resolve_reply(reply, LABELS).reason is Reason.too_long
    assert time.process_time() - began < 0.005


def test_reading_is_quick() -> None:
    """Protects the budget of 10 µs a reply (five times that here, for a machine that does other things too)."""
    replies = ["1", "２", "①", "1番で", "１番でお願いします", "No.1", "やめて", "先に説明して", "1,3", "(2)。", "5", ""]
    times: list[float] = []
    for _ in range(300):
        for reply in replies:
            began = time.perf_counter()
            resolve_reply(reply, LABELS)
            times.append(time.perf_counter() - began)
    assert sorted(times)[len(times) // 2] < 50e-6


@pytest.mark.parametrize(
    ("reply", "choice"),
    [("A", 1), ("b", 2), ("Ｃ", 3), ("(B)", 2), ("Bで", 2), ("Ⓒ", 3), ("option A", 1), ("1", None), ("D", None),
     ("AB", None), ("A?", None), ("А", None), ("not A", None), ("A, B", None), ("", None)],
)  # fmt: skip
def test_letters_alone_resolve_where_choices_are_lettered(reply: str, choice: int | None) -> None:
    """Protects lettered questions, which exist because numbers would be mistaken."""
    assert resolve_reply(reply, ["2人", "3人", "4人"], style="letters").choice == choice


def test_a_label_that_is_a_letter_contradicts_it() -> None:
    """Protects lettered questions from labels that are letters themselves."""
    assert resolve_reply("A", ["B", "A"], style="letters").reason is Reason.ambiguous
    assert resolve_reply("B", ["Keep", "A new file"], style="letters").choice == 2
    assert resolve_reply("A", ["Keep", "A new file"], style="letters").choice == 1
    for labels in (
        ["Plan B", "Plan A"],
        ["B案", "A案"],
        ["プランB", "プランA"],
        ["Option Ⓑ", "Option Ⓐ"],
        ["ホールBへ", "ホールAへ"],
    ):
        assert resolve_reply("A", labels, style="letters").reason is Reason.ambiguous
        assert len(label_warnings(labels, style="letters")) == 2
    assert resolve_reply("A", ["Plan A", "Plan B"], style="letters").choice == 1


@pytest.mark.parametrize(
    ("reply", "choices"),
    [("1,3", (1, 3)), ("１、３", (1, 3)), ("①③", (1, 3)), ("3 1", (1, 3)), ("1と2", (1, 2)), ("1番と3番で", (1, 3)),
     ("2", (2,)), ("1️⃣2️⃣", (1, 2)), ("1, 2 and 3", (1, 2, 3)), ("1・2です", (1, 2))],
)  # fmt: skip
def test_several_choices_resolve_where_asked_for(reply: str, choices: tuple[int, ...]) -> None:
    """Protects questions that take several answers."""
    read = resolve_reply(reply, LABELS, multiple=True)
    assert read.choices == choices
    assert read.choice == (choices[0] if len(choices) == 1 else None)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("1,4", "out_of_range"), ("1,1", "ambiguous"), ("1-3", "ambiguous"), ("1,2?", "free_text"),
        ("1か2", "ambiguous"), ("1 or 2", "ambiguous"), ("13", "out_of_range"), ("1.2", "ambiguous"),
        ("01,2", "ambiguous"), ("1,2以外", "free_text"), ("1,200", "out_of_range"), ("1,", "resolved"),
        ("not 1,2", "free_text"),
    ],
)  # fmt: skip
def test_what_is_no_plain_list_does_not_resolve(reply: str, reason: str) -> None:
    """Protects questions that take several answers from ranges, alternatives and half a list."""
    assert resolve_reply(reply, LABELS, multiple=True).reason == reason


@pytest.mark.parametrize("word", ["はい", "yes", "YES", "Yes.", "はい。", "네", "是", "ＹＥＳ！"])
def test_polarity_resolves_only_where_declared(word: str) -> None:
    """Protects against guessing what a yes means."""
    assert resolve_reply(word, LABELS).reason is Reason.free_text
    assert resolve_reply(word, LABELS, no=3).reason is Reason.free_text
    assert resolve_reply(word, LABELS, yes=2).choice == 2
    assert resolve_reply(word + "?", LABELS, yes=2).choice is None
    assert resolve_reply(word + "、でも", LABELS, yes=2).choice is None


def test_polarity_gives_way_to_a_label() -> None:
    """Protects against a yes that is the text of another choice than the declared one."""
    assert resolve_reply("はい", ["いいえ", "はい"], yes=1).reason is Reason.ambiguous
    assert resolve_reply("no", LABELS, yes=1, no=3).choice == 3
    for labels in (
        ["No, keep it", "Yes, delete it"],
        ["いいえ、残す", "はい、消す"],
        ["消す", "はい（消す）"],
        ["いいえ", "消す"],
    ):
        for word in ("yes", "はい"):
            assert resolve_reply(word, labels, yes=1).reason is Reason.ambiguous
        assert label_warnings(labels, yes=1) == ("yes does not choose: the texts say otherwise",)
    for labels in (["はい、消す", "いいえ"], ["Yes", "Not now"], ["예약하기", "네, 삭제"], ["No. を消す", "消す"]):
        place = 2 if labels[0].startswith("예") else 1
        assert resolve_reply("はい", labels, yes=place).choice == place
        assert label_warnings(labels, yes=place) == ()


def test_warnings_name_what_cannot_be_typed() -> None:
    """Protects the asker from a question that can never be answered by number."""
    assert label_warnings(LABELS) == ()
    assert [warning.split()[0] for warning in label_warnings(["2人", "3人", "4人"])] == ["2", "3"]
    assert label_warnings(["2人", "3人", "4人"], style="letters") == ()
    assert label_warnings(["同じ", "同じ"]) == ("choices 1, 2 have the same text",)


@settings(max_examples=60)
@given(st.lists(st.text(max_size=8), min_size=1, max_size=6))
def test_a_choice_without_a_warning_can_be_typed(labels: list[str]) -> None:
    """Protects the promise of the warnings: a number without one always resolves to its own choice."""
    warned = {warning.split()[0] for warning in label_warnings(labels)}
    for number in range(1, len(labels) + 1):
        read = resolve_reply(str(number), labels)
        assert (read.choice == number) or (str(number) in warned)
        assert (str(number) in warned) == (read.reason is Reason.ambiguous)


@pytest.mark.parametrize(
    ("label", "number"),
    [
        ("2人", 2), ("２人", 2), ("② 送る", 2), ("(2) 送る", 2), ("「2」", 2), ("No.2", 2), ("№2", 2),
        ("#2", 2), ("- 2人", 2), ("¥2", 2), ("約2時間", None), ("二人", 2), ("二", 2), ("二、三日", 2),
        ("Two people", 2), ("two", 2), ("Ⅱ案", 2), ("1,200円", None), ("1.5倍", None), ("1,2と3", 1),
        ("1/2に縮小", 1), ("1〜3日", 1), ("10:30", 10), ("2️⃣ 送る", 2), ("02", 2), ("٢", 2),
        ("一部だけ", None), ("一番安い", None), ("一番", 1), ("一覧を見る", None), ("twofold", None),
        ("One-off", None), ("", None), ("送る", None), ("½", None), ("\u200b2人", 2),
    ],
)  # fmt: skip
def test_what_number_a_label_begins_with(label: str, number: int | None) -> None:
    """Protects against missing a label that contradicts, and against seeing one where there is none."""
    labels = [label, *["送る"] * 11]
    contradicted = [typed for typed in range(2, 13) if resolve_reply(str(typed), labels).reason is Reason.ambiguous]
    assert contradicted == ([number] if number and number > 1 else [])
    if number == 1:
        assert resolve_reply("1", ["送る", label]).reason is Reason.ambiguous
    elif number is None:
        assert resolve_reply("1", ["送る", label]).choice == 1
