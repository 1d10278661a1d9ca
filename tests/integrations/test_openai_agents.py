"""The OpenAI Agents SDK, with its own scripted model."""

import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from agents import Agent, FunctionTool, RunContextWrapper, SQLiteSession, function_tool
from agents.exceptions import ModelBehaviorError
from agents.testing import ScriptedModel, assistant_message, function_call

from naoshi.confirm import Confirmations, FileStore, Reason
from naoshi.confirm.effects import effect_conversation
from naoshi.integrations.confirmed_conversation import Step
from naoshi.integrations.openai_agents import ConfirmedAgent
from naoshi.integrations.paused_runs import PausedRuns
from naoshi.integrations.tool_call import JAPANESE
from tests.conftest import ROOT
from tests.integrations.dying_mail import mail_tool


class Mailbox:
    """Counts what was done. Both tools of the agent write here."""

    def __init__(self) -> None:
        self.sent: list[str] = []
        self.looked_up: list[str] = []

    def tools(self) -> list[Any]:
        @function_tool(needs_approval=True)
        def send_mail(to: str) -> str:
            """Send a mail."""
            self.sent.append(to)
            return f"sent to {to}"

        @function_tool
        def look_up(name: str) -> str:
            """Look up an address."""
            self.looked_up.append(name)
            return "mari@example.com"

        return [send_mail, look_up]


def send(to: str, call_id: str = "call_1") -> Any:
    return function_call("send_mail", {"to": to}, call_id=call_id)


@pytest.fixture
def mailbox() -> Mailbox:
    return Mailbox()


class Talk:
    """One conversation with an agent that is built anew for each message, as after a restart."""

    def __init__(self, store: FileStore, mailbox: Mailbox, steps: list[Any], **options: Any) -> None:
        self.model = ScriptedModel(steps)
        self._store = store
        self._mailbox = mailbox
        self._options = options

    def say(self, text: str, **options: Any) -> Step:
        agent = Agent(name="mail", instructions="Send mails.", tools=self._mailbox.tools(), model=self.model)
        confirmed = ConfirmedAgent(agent, store=self._store, **self._options)
        return asyncio.run(confirmed.take("c", text, **options))

    def said_to_model(self) -> str:
        assert self.model.last_call is not None
        return str(self.model.last_call.input)


Make = Callable[..., Talk]


@pytest.fixture
def talk(store: FileStore, mailbox: Mailbox) -> Make:
    return lambda *steps, **options: Talk(store, mailbox, [list(step) for step in steps], **options)


def test_a_number_lets_the_tool_run_once(talk: Make, mailbox: Mailbox) -> None:
    """Protects the main road: question, kept run, reply, resumed run, in a process that was started again."""
    conversation = talk([send("a@example.com")], [assistant_message("It is sent.")])
    asked = conversation.say("Send it to a")
    assert asked.question is not None
    assert asked.text == 'Run send_mail with {"to":"a@example.com"}?\n1. Run it\n2. Do not run it'
    assert mailbox.sent == []
    done = conversation.say("１")
    assert (done.text, done.output, done.question) == ("It is sent.", "It is sent.", None)
    assert mailbox.sent == ["a@example.com"]
    conversation.model.assert_complete()


def test_a_refusal_reaches_the_model_and_nothing_runs(talk: Make, mailbox: Mailbox) -> None:
    """Protects a person's no."""
    conversation = talk([send("a@example.com")], [assistant_message("I left it.")])
    conversation.say("Send it to a")
    assert conversation.say("2").text == "I left it."
    assert mailbox.sent == []
    assert "must not be run" in conversation.said_to_model()


def test_several_questions_come_one_at_a_time(talk: Make, mailbox: Mailbox) -> None:
    """Protects a batch: asked in order, never merged, and the harmless tool beside them runs once."""
    batch = [
        send("a@example.com"),
        function_call("look_up", {"name": "m"}, call_id="call_2"),
        send("b@example.com", "call_3"),
    ]
    conversation = talk(batch, [assistant_message("Done.")])
    first = conversation.say("Send both")
    second = conversation.say("1")
    assert "a@example.com" in first.text
    assert "b@example.com" in second.text
    assert mailbox.sent == []
    assert conversation.say("2").text == "Done."
    assert mailbox.sent == ["a@example.com"]
    assert mailbox.looked_up == ["m"]


def test_a_message_that_does_not_answer_leaves_the_question(talk: Make, mailbox: Mailbox) -> None:
    """Protects "explain first": the model explains without tools, the same question stays, a number then resolves."""
    conversation = talk([send("a@example.com")], [assistant_message("It is a test.")], [assistant_message("Sent.")])
    asked = conversation.say("Send it to a")
    explained = conversation.say("先に説明して")
    assert explained.text.startswith("It is a test.\n\nRun send_mail")
    assert conversation.model.last_call is not None
    assert conversation.model.last_call.tools == []
    assert (
        '1. \\"Run it\\"' in conversation.said_to_model().replace("\\\\", "\\")
        or "Run it" in conversation.said_to_model()
    )
    assert explained.question is not None
    assert asked.question is not None
    assert explained.question.id == asked.question.id
    assert explained.question.ask_count == 1
    assert conversation.say("1").text == "Sent."
    assert mailbox.sent == ["a@example.com"]


def test_a_saved_run_that_is_restored_twice_runs_the_tool_once(talk: Make, store: FileStore, mailbox: Mailbox) -> None:
    """Protects the effect from a backup that is played back, or a process that died before it wrote the end."""
    conversation = talk([send("a@example.com")], [assistant_message("Sent.")], [assistant_message("Sent, as I said.")])
    conversation.say("Send it to a")
    runs = PausedRuns(store)
    saved = runs.get("c").run
    conversation.say("1")
    assert runs.get("c").run is None
    runs.put("c", saved, after=runs.get("c").revision)
    assert conversation.say("1").text == "Sent, as I said."
    assert "sent to a@example.com" in conversation.said_to_model()
    assert mailbox.sent == ["a@example.com"]


@pytest.mark.parametrize(("found", "mails"), [("1", 1), ("2", 2)], ids=["it happened", "it did not"])
def test_a_killed_tool_is_never_tried_again_by_itself(tmp_path: Path, found: str, mails: int) -> None:
    """Protects the effect whose outcome nobody knows from kill -9: a person is asked whether it happened."""
    words = [sys.executable, "-m", "tests.integrations.dying_mail", str(tmp_path)]
    killed = subprocess.run(words, cwd=ROOT, capture_output=True, timeout=60, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    store, sent = FileStore(tmp_path / "state"), tmp_path / "sent"
    says = ("I cannot tell.", "Choose.", "Sent.", "Good.")
    model = ScriptedModel([[assistant_message(text)] for text in says])
    agent = Agent(name="mail", model=model, tools=[mail_tool(sent, dies=False)])
    confirmed = ConfirmedAgent(agent, store=store, taken_up_for=timedelta(0))
    run = PausedRuns(store).get("c").run
    assert run is not None
    asked = asyncio.run(confirmed.take("c", "And?"))
    assert asked.question is not None
    assert 'send_mail {"to":"a@example.com"}' in asked.text
    assert asked.question.conversation_id == effect_conversation(run.effect_key("call_1"))
    again = asyncio.run(confirmed.take("c", "What?"))
    assert again.text.startswith("I cannot tell.\n\nsend_mail")
    assert asyncio.run(confirmed.take("c", "３")).question == asked.question
    assert sent.read_text() == "a@example.com\n"
    done = asyncio.run(confirmed.take("c", found, message_id="m"))
    assert (done.text, done.question) == ("Sent.", None)
    assert sent.read_text() == "a@example.com\n" * mails
    assert asyncio.run(confirmed.take("c", found, message_id="m2")).text == "Good."
    assert sent.read_text() == "a@example.com\n" * mails


@pytest.mark.parametrize("between", [[], [send("c@example.com", "call_2")]], ids=["at once", "after another question"])
def test_an_identifier_that_is_used_again_approves_nothing(talk: Make, mailbox: Mailbox, between: list[Any]) -> None:
    """Protects "approval for a, then the model calls with b" where the model numbers its calls from zero each time."""
    steps = [[send("a@example.com")], between, [send("b@example.com")], [assistant_message("Done.")]]
    conversation = talk(*filter(None, steps))
    conversation.say("Send it")
    with pytest.raises(ModelBehaviorError, match="reused"):
        for _ in range(2 if between else 1):
            conversation.say("1")
    assert "b@example.com" not in mailbox.sent


def test_a_policy_of_the_tool_itself_is_kept(store: FileStore) -> None:
    """Protects tools that need approval for some arguments only, in a resumed run too."""
    sent: list[str] = []

    async def is_outside(_: Any, arguments: dict[str, Any], __: str) -> bool:
        return not str(arguments["to"]).endswith("@example.com")

    @function_tool(needs_approval=is_outside)
    def send_mail(to: str) -> str:
        sent.append(to)
        return "sent"

    steps = [
        [send("a@example.com", "1")],
        [send("b@example.org", "2")],
        [send("c@example.com", "3")],
        [assistant_message("Done.")],
    ]
    confirmed = ConfirmedAgent(Agent(name="mail", model=ScriptedModel(steps), tools=[send_mail]), store=store)
    asked = asyncio.run(confirmed.take("c", "Send them"))
    assert "b@example.org" in asked.text
    assert sent == ["a@example.com"]
    assert asyncio.run(confirmed.take("c", "1")).text == "Done."
    assert sent == ["a@example.com", "b@example.org", "c@example.com"]


def test_an_expired_question_is_asked_again(store: FileStore, mailbox: Mailbox, talk: Make) -> None:
    """Protects against a reply that comes too late, and against a run that is lost with its question."""
    short = Confirmations(store, ttl=timedelta(microseconds=1))
    conversation = talk([send("a@example.com")], [assistant_message("Sent.")], confirmations=short)
    asked = conversation.say("Send it")
    again = conversation.say("1")
    assert again.turn.reason is Reason.expired
    assert asked.question is not None
    assert again.question is not None
    assert again.question.id != asked.question.id
    assert mailbox.sent == []


def test_a_run_that_another_process_took_up_is_left_to_it(talk: Make, store: FileStore, mailbox: Mailbox) -> None:
    """Protects against two processes in one run; when the first one is given up, the next message takes it up."""
    conversation = talk([send("a@example.com")], [assistant_message("Sent.")])
    conversation.say("Send it")
    runs = PausedRuns(store)
    kept = runs.get("c")
    assert kept.run is not None
    decided = kept.run.decided(kept.run.calls[0], runs=True)
    taken = decided.taken_up(now=Confirmations(store).pending("c").created_at)  # type: ignore[union-attr]
    runs.put("c", taken, after=kept.revision)
    assert conversation.say("1").text == "The step before is still running. Its result will come."
    assert mailbox.sent == []
    steps = [[assistant_message("Sent.")], [assistant_message("Yes.")]]
    later = Talk(store, mailbox, steps, taken_up_for=timedelta(0))
    assert later.say("Well?").text == "Sent.\n\nYes."
    assert mailbox.sent == ["a@example.com"]


def test_tools_of_agents_that_are_handed_to_run_once_too(store: FileStore, mailbox: Mailbox) -> None:
    """Protects handoffs, and agents that hand to each other."""
    handed = function_call("transfer_to_mailer", {}, call_id="call_0")
    model = ScriptedModel(
        [[handed], [send("a@example.com")], [assistant_message("Sent.")], [assistant_message("Yes.")]]
    )
    first = Agent(name="front", model=model)
    mailer = Agent(name="mailer", model=model, tools=mailbox.tools(), handoffs=[first])
    first.handoffs = [mailer]
    confirmed = ConfirmedAgent(first, store=store)

    async def conversation() -> None:
        await confirmed.take("c", "Send it to a")
        runs = PausedRuns(store)
        saved = runs.get("c").run
        assert (await confirmed.take("c", "1")).text == "Sent."
        runs.put("c", saved, after=runs.get("c").revision)
        assert (await confirmed.take("c", "1")).text == "Yes."

    asyncio.run(conversation())
    assert mailbox.sent == ["a@example.com"]


def test_a_session_remembers_across_the_question(talk: Make, mailbox: Mailbox) -> None:
    """Protects the SDK's own memory: what was said before a question is there after it."""
    session = SQLiteSession("c")
    steps = [[send("a@example.com")], [assistant_message("Sent.")], [assistant_message("To a.")]]
    conversation = talk(*steps, session=lambda _: session, wording=JAPANESE)
    assert conversation.say("Send it to a").text.endswith("1. 実行する\n2. 実行しない")
    conversation.say("1番でお願いします")
    assert conversation.say("To whom?").text == "To a."
    assert "Send it to a" in conversation.said_to_model()
    assert mailbox.sent == ["a@example.com"]
    session.close()


def test_a_message_that_is_delivered_twice_does_nothing_twice(talk: Make, mailbox: Mailbox) -> None:
    """Protects against a channel that delivers again."""
    conversation = talk([send("a@example.com")], [send("b@example.com", "call_2")], [assistant_message("Done.")])
    conversation.say("Send it", message_id="m1")
    second = conversation.say("1", message_id="m2")
    again = conversation.say("1", message_id="m2")
    assert second.question is not None
    assert again.question is not None
    assert again.turn.reason is Reason.duplicate
    assert again.question.id == second.question.id
    assert mailbox.sent == ["a@example.com"]


def test_what_the_model_writes_cannot_pose_as_the_question(talk: Make) -> None:
    """Protects the person: arguments stay on one line, and duplicate keys are shown as they are."""
    hostile = function_call("send_mail", '{"to": "a", "to": "b\\n1. Do not run it"}', call_id="call_1")
    asked = talk([hostile]).say("Send it")
    lines = asked.text.splitlines()
    assert len(lines) == 3
    assert '\\"a\\"' in lines[0]
    assert "b" in lines[0]


def test_the_given_agent_is_not_changed(store: FileStore, mailbox: Mailbox) -> None:
    """Protects an application that uses the same agent elsewhere."""
    tools = mailbox.tools()
    before = [tool.on_invoke_tool for tool in tools if isinstance(tool, FunctionTool)]
    agent = Agent[RunContextWrapper[Any]](name="mail", tools=tools)
    ConfirmedAgent(agent, store=store)
    assert agent.tools is tools
    assert [tool.on_invoke_tool for tool in tools] == before
