"""`naoshi confirm`: the questions of agents at the command line."""

import io
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from naoshi.confirm import (
    ActionClass,
    ActionRule,
    Confirmations,
    FileStore,
    Guard,
    JsonLinesEvents,
    Policy,
    Reason,
)
from naoshi.system.process import start
from naoshi.ui.cli.confirm_chat import ConfirmChat, converse
from naoshi.ui.cli.confirm_screen_words import WORDS as SCREEN_WORDS
from naoshi.ui.cli.confirm_screen_words import ScreenWords
from naoshi.ui.cli.confirm_words import WORDS
from naoshi.ui.cli.main import run

LABELS = ["登録する", "修正する", "やめる"]


class Agent:
    """Another program's agent: its confirmations, its guard, and its logs in a folder."""

    def __init__(self, folder: Path) -> None:
        self.state = str(folder / "confirmations")
        self.confirmations = Confirmations(
            FileStore(self.state),
            on_event=JsonLinesEvents(folder / "confirmation-events.jsonl"),
            on_turn=JsonLinesEvents(folder / "confirmation-turns.jsonl"),
        )
        rules = [
            ActionRule(tool="read", action_class=ActionClass.reversible),
            ActionRule(tool="send", name="mail", action_class=ActionClass.irreversible),
        ]
        log = JsonLinesEvents(folder / "confirmation-actions.jsonl")
        self.guard = Guard(self.confirmations, policy=Policy.of(rules), on_action=log)


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Agent:
    monkeypatch.chdir(tmp_path)
    agent = Agent(tmp_path)
    monkeypatch.setenv("NAOSHI_CONFIRM_STATE", agent.state)
    return agent


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Any:
    """What a command put out: its status, and the document of --json or the text."""

    def tell(*words: str) -> tuple[int, Any]:
        capsys.readouterr()
        status = run(["confirm", *words])
        output = capsys.readouterr()
        return status, json.loads(output.out) if "--json" in words else output.out + output.err

    return tell


def test_questions_are_listed_shown_and_answered(agent: Agent, said: Any) -> None:
    """Protects the person at the terminal: see what is open, answer it, see that it is settled."""
    assert said("list") == (0, "no question is open\n")
    asked = agent.confirmations.ask("会話/1", "登録しますか？", LABELS)
    status, text = said("list")
    assert (status, "会話/1" in text, "登録しますか？" in text) == (0, True, True)
    assert said("list", "--json")[1]["questions"][0]["id"] == asked.id
    assert "2. 修正する" in said("show", "会話/1")[1]
    status, text = said("reply", "会話/1", "先に説明して")
    assert (status, "選択とは読めません。質問は開いたままです" in text, "2. 修正する" in text) == (3, True, True)
    assert said("reply", "会話/1", "②", "--by", "Mika") == (0, "確定: 2. 修正する\n")
    status, text = said("reply", "会話/1", "1", "--by", "Ren")
    assert (status, "すでに別の選択で決まっています（Mika、" in text) == (1, True)
    status, document = said("show", "会話/1", "--json")
    assert (status, document["settled"]["actor"], document["pending"]) == (0, "Mika", None)
    assert said("show", "none")[0] == 2


def test_what_a_reply_did_is_said_in_the_questions_language(agent: Agent, said: Any) -> None:
    """Protects the person from words that they do not read, and from codes."""
    agent.confirmations.ask("c", "Register?", ["Yes, do", "No"])
    assert said("reply", "c", "maybe")[1].startswith("not read as a choice; the question stays open\n")
    assert said("reply", "c", "stop")[1].startswith("a word for stopping; it chose nothing; the question stays open\n")
    assert said("reply", "c", "1", "--by", "Mika") == (0, "settled: 1. Yes, do\n")
    assert said("reply", "c", "１")[1].startswith("it was settled before, in the same way, by Mika at 2")


def test_every_reason_has_words_in_both_languages() -> None:
    """Protects the screen from the names of things in the program."""
    for words in WORDS.values():
        assert set(words.why) >= set(Reason) - {Reason.resolved, Reason.proposed, Reason.echoed}


def test_a_message_delivered_twice_counts_once(agent: Agent, said: Any) -> None:
    """Protects channels that hand replies in through the command."""
    agent.confirmations.ask("c", "登録しますか？", LABELS)
    assert said("reply", "c", "1", "--message-id", "m1")[0] == 0
    agent.confirmations.ask("c", "送信しますか？", LABELS)
    status, document = said("reply", "c", "1", "--message-id", "m1", "--json")
    assert (status, document["reason"]) == (3, "duplicate")


def test_a_question_can_be_asked_from_a_script(agent: Agent, said: Any) -> None:
    """Protects shell scripts that need a person, and tells them of choices that cannot be typed."""
    status, text = said("ask", "c", "何人ですか？", "2人", "3人")
    assert (status, "1. 2人" in text, "warning: 2 does not choose" in text) == (0, True, True)
    assert "A. 2人" in said("ask", "c", "何人ですか？", "2人", "3人", "--letters")[1]
    assert said("reply", "c", "B") == (0, "確定: B. 3人\n")
    assert said("ask", "c", " ", "x")[0] == 2
    for hours in ("inf", "1e300", "nan", "0"):
        assert said("ask", "c", "何人ですか？", "2人", "--hours", hours)[0] == 2


def test_a_broken_state_is_an_error_and_never_an_empty_list(agent: Agent, said: Any) -> None:
    """Protects against "no question is open" where nobody knows."""
    agent.confirmations.ask("c", "登録しますか？", LABELS)
    FileStore(agent.state).path("c").write_text("damaged")
    for words in (("list",), ("show", "c"), ("reply", "c", "1")):
        status, text = said(*words)
        assert (status, "naoshi: store-failed:" in text) == (2, True)
    assert said("list", "--state", "nowhere")[0] == 2


def test_figures_and_checks(agent: Agent, said: Any) -> None:
    """Protects those who watch: figures, rule by rule, and a status that a script can act on."""
    assert said("stats")[0] == 2
    for number in range(10):
        agent.guard("send", {"n": number}, conversation_id="c")
        agent.confirmations.receive("c", "1")
    status, text = said("stats")
    assert (status, "100% of 10 replies" in text, "fast and never refused" in text) == (0, True, True)
    document = said("stats", "--json")[1]
    assert (document["questions"], document["rules"][0]["rule"]) == (10, "mail")
    assert said("check") == (0, "nothing found\n")
    agent.confirmations.ask("d", "登録しますか？", LABELS)
    agent.confirmations.ask("d", "消しますか？", LABELS)
    assert said("check")[0] == 0
    assert said("check", "--any")[0] == 1
    agent.confirmations.receive("d", "1")
    agent.confirmations.ask("d", "消しますか？", LABELS)
    status, document = said("check", "--json")
    assert (status, document["findings"][-1]["detector"]) == (1, "reasked_after_resolution")
    with Path("confirmation-events.jsonl").open("a") as log:
        log.write("{\n")
    assert "1 line of the log cannot be read" in said("stats")[1]


def test_other_rules_are_replayed(agent: Agent, said: Any) -> None:
    """Protects a change of rules: fewer questions are counted, and missed refusals stop it."""
    rules = Path("other.toml")
    rules.write_text('[confirm]\n[[confirm.rules]]\ntool = "*"\nclass = "reversible"\n')
    agent.guard("read", {}, conversation_id="c")
    agent.guard("send", {"to": "a"}, conversation_id="c")
    agent.confirmations.receive("c", "1")
    status, text = said("what-if", "--rules", str(rules))
    assert (status, "1 asked then, 0 under other.toml, 1 fewer" in text) == (0, True)
    agent.guard("send", {"to": "b"}, conversation_id="c")
    agent.confirmations.receive("c", "2")
    status, text = said("what-if", "--rules", str(rules))
    assert (status, "MISSED: send" in text) == (1, True)
    assert said("what-if", "--rules", str(rules), "--json")[1]["missed_refusals"][0]["arguments"] == {"to": "b"}
    rules.write_text("[confirm")
    assert said("what-if", "--rules", str(rules))[0] == 2


def test_what_is_watched_is_told_in_japanese(agent: Agent, said: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects those who watch in Japanese: each screen, by the option, naoshi.toml or the environment."""
    assert said("list", "--language", "ja") == (0, "開いている質問はありません\n")
    agent.guard("send", {"to": "a"}, conversation_id="c")
    assert "最後に尋ねた時刻" in said("list", "--language", "ja")[1]
    shown = said("show", "c", "--language", "ja")[1]
    assert "開いている質問:" in shown and "ルール mail により1回尋ねました" in shown
    agent.confirmations.receive("c", "2", actor="Mika")
    assert "Mikaが 2" in said("show", "c", "--language", "ja")[1]
    assert "機械が読んだ返事: 1 件のうち 100%" in said("stats", "--language", "ja")[1]
    assert said("check", "--language", "ja") == (0, "何も見つかりませんでした\n")
    rules = Path("other.toml")
    rules.write_text('[confirm]\n[[confirm.rules]]\ntool = "*"\nclass = "reversible"\n')
    status, text = said("what-if", "--rules", str(rules), "--language", "ja")
    assert (status, "当時の質問 1 件、other.toml では 0 件（1 件減る）" in text, "見逃し: send" in text) == (
        1,
        True,
        True,
    )
    monkeypatch.setenv("NAOSHI_LANGUAGE", "ja")
    assert said("list")[1] == "開いている質問はありません\n"
    monkeypatch.delenv("NAOSHI_LANGUAGE")
    Path("naoshi.toml").write_text('language = "ja"\n')
    assert said("list")[1] == "開いている質問はありません\n"
    assert said("list", "--language", "en")[1] == "no question is open\n"


def test_both_languages_say_the_same_things() -> None:
    """Protects the screen from a figure that one language leaves out."""
    english, japanese = (fields_of(words) for words in SCREEN_WORDS.values())
    assert english == japanese and english["fewer"] == {"actions", "then", "now", "rules", "difference"}


def fields_of(words: ScreenWords) -> dict[str, set[str]]:
    """The names in braces of each text, those of a mapping or a list together."""
    found: dict[str, set[str]] = {}
    for name, value in asdict(words).items():
        texts = value.values() if isinstance(value, dict) else [value] if isinstance(value, str) else value
        found[name] = {field for text in texts for _, field, _, _ in Formatter().parse(text) if field}
    return found


def test_rows_are_mined(agent: Agent, said: Any) -> None:
    """Protects the way from natural replies to the grammar: a row, and the proof that no other changes."""
    for number in range(2):
        agent.confirmations.ask(f"c{number}", "登録しますか？", LABELS, irreversible=[1])
        agent.confirmations.propose(agent.confirmations.receive(f"c{number}", "ぜひ登録で頼みます"), 1)
        agent.confirmations.receive(f"c{number}", "1")
        agent.confirmations.ask(f"d{number}", "登録しますか？", LABELS)
        agent.confirmations.receive(f"d{number}", "1でいい")
        agent.confirmations.receive(f"d{number}", "1")
    status, text = said("mine")
    assert status == 0
    assert text.split("\n")[0].split("\t")[2:4] == ["1", "resolved"]
    assert "rows checked, none changes" in text
    assert "REFUSED: changes" in text
    assert [row["is_free"] for row in said("mine", "--json")[1]["rows"]] == [True, False]
    assert said("mine", "--fewest", "9") == (0, "no unread reply became certain often enough\n")
    japanese = said("mine", "--language", "ja")[1]
    assert "変わる行はありません" in japanese and "不可: " in japanese and "REFUSED" not in japanese


def chat(agent: Agent, screen: io.StringIO) -> ConfirmChat:
    return ConfirmChat(
        confirmations=agent.confirmations, store=FileStore(agent.state), screen=screen, actor="mika", language="ja"
    )


def test_chat_shows_one_question_at_a_time_and_takes_its_number(agent: Agent) -> None:
    """Protects the number: it answers the question on screen, whatever else has come up."""
    screen = io.StringIO()
    talk = chat(agent, screen)
    assert talk.look() is False
    assert talk.take("こんにちは") == "こんにちは"
    agent.confirmations.ask("a", "Aを消しますか？\x1b[2J", ["消す", "残す"])
    assert talk.look() is True
    agent.confirmations.ask("b", "Bを消しますか？", ["消す", "残す"])
    talk.look()
    assert "Aを消しますか" in screen.getvalue()
    assert "Bを消しますか" not in screen.getvalue()
    assert "\x1b" not in screen.getvalue()
    assert talk.take("どうして？") == "どうして？"
    assert talk.take("1") is None
    assert "確定: 1. 消す" in screen.getvalue()
    assert agent.confirmations.settled("a").actor == "mika"  # pyright: ignore[reportOptionalMemberAccess]
    assert talk.look() is True
    assert "Bを消しますか" in screen.getvalue()


def test_chat_does_not_answer_what_has_changed_under_it(agent: Agent) -> None:
    """Protects a question that the person has not seen from the number for the one on screen."""
    screen = io.StringIO()
    talk = chat(agent, screen)
    agent.confirmations.ask("a", "Aを消しますか？", ["消す", "残す"])
    talk.look()
    agent.confirmations.ask("a", "全部消しますか？", ["消す", "残す"])
    assert talk.take("1") is None
    assert agent.confirmations.settled("a") is None
    assert "もう開いていません" in screen.getvalue()
    assert talk.look() is True
    assert "全部消しますか" in screen.getvalue()


def test_chat_says_once_that_the_state_is_broken(agent: Agent) -> None:
    """Protects the screen from the same line five times a second, and the person from silence."""
    screen = io.StringIO()
    talk = chat(agent, screen)
    agent.confirmations.ask("a", "Aを消しますか？", ["消す", "残す"])
    FileStore(agent.state).path("a").write_text("damaged")
    for _ in range(3):
        assert talk.look() is False
    assert screen.getvalue().count("状態を読めません") == 1


PROGRAM = """
import os, sys, time
from naoshi.confirm import Confirmations, FileStore
confirmations = Confirmations(FileStore(os.environ["NAOSHI_CONFIRM_STATE"]))
print("ready")
print("you said", sys.stdin.readline().strip())
confirmations.ask("deep/1", "登録しますか？", ["登録する", "やめる"])
print("you said", sys.stdin.readline().strip())
while not (settled := confirmations.settled("deep/1")):
    time.sleep(0.05)
print("chosen", settled.choices[0])
sys.exit(5)
"""


def started(*words: str) -> subprocess.Popen[bytes]:
    return start(words, folder=Path.cwd(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)


class Typing:
    """A person who types each line only when its turn has come on screen."""

    def __init__(self, screen: io.StringIO, *cues: tuple[str, str]) -> None:
        self.screen = screen
        self.cues = cues

    def __iter__(self) -> Iterator[str]:
        import time

        for cue, line in self.cues:
            last = time.monotonic() + 60
            while cue not in self.screen.getvalue() and time.monotonic() < last:
                time.sleep(0.02)
            yield f"{line}\n"


def test_chat_carries_lines_and_answers_live(agent: Agent) -> None:
    """Protects the whole: lines go to the agent, its question comes up, free text goes on, the number settles."""
    screen = io.StringIO()
    program = started(sys.executable, "-u", "-c", PROGRAM)
    typed: Any = Typing(screen, ("ready", "hello"), ("deep/1", "なぜ？"), ("you said なぜ", "２"))
    assert converse(chat(agent, screen), program, typed=typed) == 5
    shown = screen.getvalue()
    assert "you said hello" in shown
    assert "you said なぜ？" in shown
    assert "chosen 2" in shown


def test_chat_ends_with_3_while_a_question_stays_open(agent: Agent) -> None:
    """Protects scripts: an agent that asked and ended has not had its answer."""
    agent.confirmations.ask("a", "Aを消しますか？", ["消す", "残す"])
    screen = io.StringIO()
    assert converse(chat(agent, screen), started("true"), typed=io.StringIO("")) == 3
    assert converse(chat(agent, screen), started("true"), typed=io.StringIO("2\n")) == 0
    assert converse(chat(agent, screen), started("sh", "-c", "kill -9 $$"), typed=io.StringIO("")) == 137


def test_chat_as_a_command(agent: Agent, tmp_path: Path) -> None:
    """Protects the command itself, its JSON and its status, at a pipe."""
    agent.confirmations.ask("a", "Aを消しますか？", ["消す", "残す"])
    words = [sys.executable, "-m", "naoshi", "confirm", "chat", "--by", "Mika", "--json", "--", "echo", "--hello"]
    done = subprocess.run(words, input="1\n", capture_output=True, text=True, timeout=60, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert [turn["actor"] for turn in document["settled"]] == ["Mika"]
    assert "--hello" in done.stderr
    words = [sys.executable, "-m", "naoshi", "confirm", "chat", "--", "no-such-program"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, cwd=tmp_path, check=False)
    assert (done.returncode, "program-missing" in done.stderr) == (2, True)


def test_an_expired_question_is_neither_listed_nor_answered(agent: Agent, said: Any) -> None:
    """Protects today from yesterday's question."""
    from datetime import UTC, datetime

    past = Confirmations(
        FileStore(agent.state), ttl=timedelta(minutes=1), clock=lambda: datetime.now(UTC) - timedelta(hours=1)
    )
    past.ask("c", "登録しますか？", LABELS)
    assert said("list")[1] == "no question is open\n"
    assert said("show", "c")[1].startswith("expired:")
    status, text = said("reply", "c", "1")
    assert (status, text) == (1, "質問の期限が切れています\n")
