"""Asking the person at the terminal."""

import io

import pytest

from naoshi.flow.people import Question
from naoshi.records.language import Language
from naoshi.ui.cli.terminal_people import TerminalPeople


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def question(**more: object) -> Question:
    facts: dict[str, object] = {
        "conversation_id": "triage/1",
        "kind": "triage",
        "text": "合計　10.00 → 9.45",
        "labels": ("欠陥", "判断", "雑音"),
    }
    return Question.model_validate(facts | more)


def people(typed: str, screen: io.StringIO, language: Language = "ja") -> TerminalPeople:
    return TerminalPeople(stdin=io.StringIO(typed), stdout=screen, actor="hana", language=language)


@pytest.mark.parametrize("screen", [io.StringIO(), Terminal()], ids=["file", "terminal"])
def test_the_person_sees_question_and_numbers_and_their_line_comes_back_as_typed(screen: io.StringIO) -> None:
    """What is read as a choice is for the grammar to say; here it is only shown and read."""
    answer = people("②\n", screen).answer(question())
    assert answer is not None
    assert (answer.reply, answer.actor) == ("②", "hana")
    shown = screen.getvalue()
    for text in ("合計　10.00 → 9.45", "1. ", "欠陥", "3. ", "雑音", "番号: "):
        assert text in shown


def test_the_end_of_input_is_no_answer() -> None:
    """Nobody there means the question stays open, never a choice."""
    screen = io.StringIO()
    assert people("", screen).answer(question()) is None
    assert "未回答" in screen.getvalue()


@pytest.mark.parametrize(
    ("typed", "english", "japanese"),
    [
        ("\n", "Nothing was typed", "何も入力されていません"),
        ("9\n", "type 1 to 3", "1から3"),
        ("1か2\n", "more than one way", "複数の意味"),
        ("yes\n", "not the number of a choice", "番号ではありません"),
        ("1. この内容で登録してください\n", "too long", "長すぎて"),
        ("1\n", "asked again", "もう一度"),
    ],
)
def test_what_did_not_settle_is_asked_again_with_the_reason(typed: str, english: str, japanese: str) -> None:
    """The caller puts the question again; the person reads in plain words why, without the whole question anew."""
    for language, reason in (("en", english), ("ja", japanese)):
        screen = io.StringIO()
        asked = people(typed + "1\n", screen, language)
        assert asked.answer(question()) is not None
        before = len(screen.getvalue())
        answer = asked.answer(question())
        assert answer is not None
        assert answer.reply == "1"
        again = screen.getvalue()[before:]
        assert reason in again
        assert "欠陥" not in again


def test_another_question_is_shown_in_full_and_without_a_reason() -> None:
    """A reason belongs to the question it is about."""
    screen = io.StringIO()
    asked = people("いや\n1\n", screen)
    asked.answer(question())
    before = len(screen.getvalue())
    asked.answer(question(conversation_id="triage/2", labels=("はい", "いいえ")))
    assert "番号ではありません" not in screen.getvalue()[before:]
    assert "いいえ" in screen.getvalue()[before:]


@pytest.mark.parametrize("screen", [io.StringIO(), Terminal()], ids=["file", "terminal"])
def test_hostile_text_cannot_steer_the_terminal(screen: io.StringIO) -> None:
    """Values of documents are shown, not obeyed: neither control codes nor Rich's markup."""
    people("1\n", screen).answer(question(text="a\x1b]0;title\x07b [bold]c[/bold]", labels=("x\x1b[2J", "[red]y")))
    shown = screen.getvalue()
    assert "\x1b]" not in shown
    assert "\x1b[2J" not in shown
    assert "\x07" not in shown
    assert "[bold]c[/bold]" in shown
    assert "[red]y" in shown


def test_bytes_that_are_no_text_are_an_answer_that_settles_nothing() -> None:
    """A keyboard in another encoding gets the question again, not a traceback."""
    stdin = io.TextIOWrapper(io.BytesIO(b"\xff\xfe\n"), encoding="utf-8")
    answer = TerminalPeople(stdin=stdin, stdout=io.StringIO(), actor="hana", language="en").answer(question())
    assert answer is not None
    assert answer.reply == "\N{REPLACEMENT CHARACTER}"


def test_half_characters_do_not_reach_the_store() -> None:
    """A lone surrogate, as Python reads odd bytes, could not be saved."""
    answer = people("\udcff1\n", io.StringIO()).answer(question())
    assert answer is not None
    answer.reply.encode("utf-8")
