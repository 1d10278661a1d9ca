"""Pydantic AI, with a scripted model of its own kind."""

import asyncio
import os
from typing import Any

import pytest
from pydantic_ai import Agent, CallDeferred, DeferredToolRequests, ToolReturnPart
from pydantic_ai.conversation_store import InMemoryConversationStore
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from naoshi.confirm import Claim, ConversationState, FileStore, Reason
from naoshi.confirm.confirmations import utc_now
from naoshi.confirm.effects import effect_conversation
from naoshi.errors import StoreError
from naoshi.integrations.confirmed_conversation import Step
from naoshi.integrations.paused_runs import PausedRuns
from naoshi.integrations.pydantic_ai import ConfirmedAgent
from naoshi.integrations.tool_call import JAPANESE


def send(to: str, call_id: str = "call_1") -> ToolCallPart:
    return ToolCallPart("send_mail", {"to": to}, tool_call_id=call_id)


class Talk:
    """One conversation with an agent that is built anew for each message, as after a restart."""

    def __init__(self, store: FileStore, *steps: list[Any], **options: Any) -> None:
        self.sent: list[str] = []
        self.looked_up: list[str] = []
        self.seen: list[tuple[list[ModelMessage], AgentInfo]] = []
        self._steps = list(steps)
        self._store = store
        self._options = options

    def say(self, text: str, **options: Any) -> Step:
        confirmed = ConfirmedAgent(self._agent(), store=self._store, **self._options)
        return asyncio.run(confirmed.take("c", text, **options))

    def _agent(self) -> Agent[Any, Any]:
        agent: Agent[Any, Any] = Agent(FunctionModel(self._answer))

        @agent.tool_plain(requires_approval=True)
        def send_mail(to: str) -> str:
            """Send a mail."""
            self.sent.append(to)
            return f"sent to {to}"

        @agent.tool_plain
        def look_up(name: str) -> str:
            """Look up an address."""
            self.looked_up.append(name)
            return "mari@example.com"

        @agent.tool_plain
        def outside(name: str) -> str:
            """Be answered elsewhere."""
            raise CallDeferred(metadata={"name": name})

        return agent

    def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        self.seen.append((messages, info))
        return ModelResponse(parts=self._steps.pop(0))

    def results(self) -> list[Any]:
        """What the tools gave, as the model sees it in its latest call."""
        messages, _ = self.seen[-1]
        return [part.content for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]


def text(said: str) -> list[Any]:
    return [TextPart(said)]


def test_a_number_lets_the_tool_run_once(store: FileStore) -> None:
    """Protects the main road: deferred tool, question, kept conversation, reply, resumed run."""
    talk = Talk(store, [send("a@example.com")], text("It is sent."))
    asked = talk.say("Send it to a")
    assert asked.text == 'Run send_mail with {"to":"a@example.com"}?\n1. Run it\n2. Do not run it'
    assert talk.sent == []
    done = talk.say("１")
    assert (done.text, done.output, done.question) == ("It is sent.", "It is sent.", None)
    assert talk.sent == ["a@example.com"]


def test_a_refusal_reaches_the_model_and_nothing_runs(store: FileStore) -> None:
    """Protects a person's no."""
    talk = Talk(store, [send("a@example.com")], text("I left it."))
    talk.say("Send it to a")
    assert talk.say("2").text == "I left it."
    assert talk.sent == []
    assert "must not be run" in str(talk.results())


def test_several_questions_come_one_at_a_time(store: FileStore) -> None:
    """Protects a batch: asked in order, never merged, and the harmless tool beside them runs once."""
    batch = [
        send("a@example.com"),
        ToolCallPart("look_up", {"name": "m"}, tool_call_id="2"),
        send("b@example.com", "3"),
    ]
    talk = Talk(store, batch, text("Done."))
    assert "a@example.com" in talk.say("Send both").text
    assert "b@example.com" in talk.say("2").text
    assert talk.say("1").text == "Done."
    assert talk.sent == ["b@example.com"]
    assert talk.looked_up == ["m"]


def test_a_message_that_does_not_answer_leaves_the_question(store: FileStore) -> None:
    """Protects "explain first": the model explains without tools, the same question stays, a number then resolves."""
    talk = Talk(store, [send("a@example.com")], text("It is a test."), text("Sent."))
    asked = talk.say("Send it to a")
    explained = talk.say("先に説明して")
    assert explained.text.startswith("It is a test.\n\nRun send_mail")
    _, info = talk.seen[-1]
    assert info.function_tools == []
    assert "Do not run it" in str(info.instructions)
    assert explained.question == asked.question
    assert talk.say("1").text == "Sent."
    assert talk.sent == ["a@example.com"]


def test_a_kept_conversation_that_is_restored_twice_runs_the_tool_once(store: FileStore) -> None:
    """Protects the effect from a backup that is played back, or a process that died before it wrote the end."""
    talk = Talk(store, [send("a@example.com")], text("Sent."), text("Sent, as I said."))
    talk.say("Send it to a")
    runs = PausedRuns(store)
    saved = runs.get("c").run
    talk.say("1")
    runs.put("c", saved, after=runs.get("c").revision)
    assert talk.say("1").text == "Sent, as I said."
    assert talk.results() == ["sent to a@example.com"]
    assert talk.sent == ["a@example.com"]


@pytest.mark.parametrize(("found", "sent"), [("1", []), ("2", ["a@example.com"])], ids=["it happened", "it did not"])
def test_a_tool_that_a_process_died_in_is_a_question_for_a_person(
    store: FileStore, found: str, sent: list[str]
) -> None:
    """Protects the effect whose outcome nobody knows: asked about in the conversation, in the words of the call."""
    talk = Talk(store, [send("a@example.com")], text("Done."), wording=JAPANESE)
    talk.say("Send it to a")
    run = PausedRuns(store).get("c").run
    assert run is not None
    effect = effect_conversation(run.effect_key("call_1"))
    claim = Claim(confirmation_id="ef_1", action_hash="x", owner=f"{os.uname().nodename}:4194304:1", at=utc_now())
    store.save(ConversationState(conversation_id=effect, claims=(claim,)))
    asked = talk.say("1")
    assert asked.question is not None
    assert asked.text.startswith('send_mail {"to":"a@example.com"} は')
    assert (talk.sent, asked.question.conversation_id) == ([], effect)
    assert talk.say(found).text == "Done."
    assert talk.sent == sent


def test_a_call_that_has_an_old_identifier_is_asked_about_again(store: FileStore) -> None:
    """Protects "approval for a, then the model calls with b" where the model numbers its calls from zero each time."""
    talk = Talk(store, [send("a@example.com")], [send("b@example.com")], [send("b@example.com")], text("All sent."))
    talk.say("Send it")
    second = talk.say("1")
    assert "b@example.com" in second.text
    third = talk.say("1")
    assert third.question is not None
    assert second.question is not None
    assert third.question.id != second.question.id
    assert talk.say("2").text == "All sent."
    assert talk.sent == ["a@example.com", "b@example.com"]


def test_the_framework_s_memory_goes_on_after_a_question(store: FileStore) -> None:
    """Protects what was said before: the framework's own store has the whole conversation."""
    memory = InMemoryConversationStore()
    talk = Talk(store, text("Hello."), [send("a@example.com")], text("Sent."), text("To a."), conversations=memory)
    talk.say("Hello")
    talk.say("Send it to a")
    talk.say("1")
    assert talk.say("To whom?").text == "To a."
    messages, _ = talk.seen[-1]
    assert "Send it to a" in str(messages)
    assert "Hello." in str(messages)


def test_calls_that_wait_for_something_else_are_left_to_the_caller(store: FileStore) -> None:
    """Protects external tools: they are no question of ours."""
    step = Talk(store, [ToolCallPart("outside", {"name": "m"}, tool_call_id="1")]).say("Go")
    assert step.question is None
    assert isinstance(step.output, DeferredToolRequests)
    assert step.output.calls[0].tool_name == "outside"


def test_a_message_that_is_delivered_twice_does_nothing_twice(store: FileStore) -> None:
    """Protects against a channel that delivers again."""
    talk = Talk(store, [send("a@example.com")], [send("b@example.com", "call_2")])
    talk.say("Send it", message_id="m1")
    second = talk.say("1", message_id="m2")
    again = talk.say("1", message_id="m2")
    assert again.turn.reason is Reason.duplicate
    assert again.question == second.question
    assert talk.sent == ["a@example.com"]


def test_a_damaged_conversation_fails_closed(store: FileStore) -> None:
    """Protects against a run that goes on from something else than what was kept."""
    talk = Talk(store, [send("a@example.com")])
    talk.say("Send it to a")
    runs = PausedRuns(store)
    kept = runs.get("c")
    assert kept.run is not None
    runs.put("c", kept.run.model_copy(update={"state": "{"}), after=kept.revision)
    with pytest.raises(StoreError, match="cannot be read"):
        talk.say("1")
    assert talk.sent == []
