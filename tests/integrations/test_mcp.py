"""The MCP server, through the official client: in this process, and over standard input and output."""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.server import MCPServer

from naoshi.confirm import Confirmations, FileStore
from naoshi.integrations.mcp import person_server

LABELS = ["Deploy it", "Leave it"]


def call(server: MCPServer, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """Return the results of tool calls, one after the other."""

    async def conversation() -> list[Any]:
        async with Client(server) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return asyncio.run(conversation())


def ask(conversation_id: str = "c", question: str = "Deploy version 2?") -> tuple[str, dict[str, Any]]:
    return "ask_person", {"conversation_id": conversation_id, "question": question, "choices": LABELS}


def look(asked: Any, conversation_id: str = "c", **more: Any) -> tuple[str, dict[str, Any]]:
    identifier = asked.structured_content["confirmation_id"]
    return "pending", {"conversation_id": conversation_id, "confirmation_id": identifier, **more}


def test_an_agent_asks_and_a_person_answers_elsewhere(store: FileStore) -> None:
    """Protects the main road: the agent sees the question wait, and then the settled choice with who made it."""
    server = person_server(store)
    (asked,) = call(server, ask())
    assert asked.structured_content["text"] == "Deploy version 2?\n1. Deploy it\n2. Leave it"
    (waiting,) = call(server, look(asked))
    assert waiting.structured_content["standing"] == "waiting"
    Confirmations(store).receive("mcp:c", "①", actor="mari")
    (settled,) = call(server, look(asked))
    found = settled.structured_content
    assert (found["standing"], found["choice"], found["label"]) == ("settled", 1, "Deploy it")
    assert found["decided_by"] == "mari"


def test_no_tool_lets_the_agent_answer(store: FileStore) -> None:
    """Protects the decision: the server offers nothing that takes a reply."""

    async def names() -> dict[str, Any]:
        async with Client(person_server(store)) as client:
            return {tool.name: set(tool.input_schema["properties"]) for tool in (await client.list_tools()).tools}

    assert asyncio.run(names()) == {
        "ask_person": {"conversation_id", "question", "choices"},
        "pending": {"conversation_id", "confirmation_id", "wait_seconds"},
    }


def test_the_answer_to_one_question_is_never_that_to_another(store: FileStore) -> None:
    """Protects against an agent that takes an old yes for the answer to what it asks now."""
    server = person_server(store)
    (first,) = call(server, ask())
    Confirmations(store).receive("mcp:c", "1")
    second, gone, other = call(server, ask(question="Delete version 1?"), look(first), look(first, "d"))
    assert second.structured_content["standing"] == "waiting"
    assert gone.structured_content["choice"] == 1
    assert other.structured_content["standing"] == "gone"
    (third,) = call(server, ask(question="Delete everything?"))
    (replaced,) = call(server, look(second))
    assert replaced.structured_content["standing"] == "gone"
    assert third.structured_content["standing"] == "waiting"


def test_an_expired_question_is_gone(store: FileStore) -> None:
    """Protects against an agent that waits for ever."""
    server = person_server(store, confirmations=Confirmations(store, ttl=timedelta(microseconds=1)))
    (asked,) = call(server, ask())
    (gone,) = call(server, look(asked))
    assert gone.structured_content["standing"] == "gone"


def test_an_agent_cannot_reach_the_questions_of_others(store: FileStore) -> None:
    """Protects the application's own conversations in the same store."""
    Confirmations(store).ask("c", "Ours?", ["yes", "no"])
    call(person_server(store), ask())
    pending = Confirmations(store).pending("c")
    assert pending is not None
    assert pending.question == "Ours?"


def test_waiting_ends_when_the_person_answers(store: FileStore) -> None:
    """Protects the agent's turn: it may wait instead of asking again and again, and gets the answer at once."""

    async def conversation() -> Any:
        async with Client(person_server(store)) as client:
            asked = await client.call_tool(*ask())
            waiting = asyncio.create_task(client.call_tool(*look(asked, wait_seconds=30.0)))
            await asyncio.sleep(0.3)
            assert not waiting.done()
            await asyncio.to_thread(Confirmations(store).receive, "mcp:c", "2")
            return await asyncio.wait_for(waiting, 5)

    assert asyncio.run(conversation()).structured_content["choice"] == 2


@pytest.mark.parametrize("choices", [[], [" "]])
def test_a_question_that_cannot_be_asked_is_an_error_of_one_line(store: FileStore, choices: list[str]) -> None:
    """Protects the agent from a question that nobody can answer, and the server from its input."""
    asked = ("ask_person", {"conversation_id": "c", "question": "Deploy?", "choices": choices})
    (result,) = call(person_server(store), asked)
    assert result.is_error
    assert "naoshi: input-invalid" in result.content[0].text


def test_a_broken_store_is_an_error_and_never_an_answer(store: FileStore) -> None:
    """Protects against "nothing waits" where the store cannot be read."""
    server = person_server(store)
    (asked,) = call(server, ask())
    store.path("mcp:c").write_text("{")
    (result,) = call(server, look(asked))
    assert result.is_error
    assert "naoshi: store-failed" in result.content[0].text


def test_the_command_serves_over_standard_input_and_output(tmp_path: Path) -> None:
    """Protects the way in which agents start it."""
    words = ["-m", "naoshi.integrations.mcp", "--store", str(tmp_path), "--scope", "team"]

    async def conversation() -> None:
        async with Client(stdio_client(StdioServerParameters(command=sys.executable, args=words))) as client:
            asked = await client.call_tool(*ask())
            Confirmations(FileStore(tmp_path)).receive("team:c", "1")
            settled = await client.call_tool(*look(asked))
            assert settled.structured_content["standing"] == "settled"

    asyncio.run(conversation())
