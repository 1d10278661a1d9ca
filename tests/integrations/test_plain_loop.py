"""The loop without a framework, with the official client and a model that is a script behind it."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from openai import OpenAI

from examples.plain_loop import answer
from naoshi.confirm import Confirmations, FileStore
from tests.conftest import ROOT


class Model:
    """Answers the client's requests with the messages of a script."""

    def __init__(self, *script: dict[str, Any]) -> None:
        self.requests: list[dict[str, Any]] = []
        self._script = list(script)
        transport = httpx2.MockTransport(self._answer)
        self.client = OpenAI(api_key="none", http_client=httpx2.Client(transport=transport), max_retries=0)

    def _answer(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(json.loads(request.content))
        message = {"role": "assistant", "content": None, **self._script.pop(0)}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        body = {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}
        return httpx2.Response(200, json=body)


def delete(*paths: Path) -> dict[str, Any]:
    functions = [{"name": "delete_file", "arguments": json.dumps({"path": str(path)})} for path in paths]
    calls = [
        {"id": f"call_{number}", "type": "function", "function": function} for number, function in enumerate(functions)
    ]
    return {"tool_calls": calls}


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "target"
    path.write_text("x")
    return path


def test_the_file_goes_only_after_a_number(store: FileStore, target: Path) -> None:
    """Protects the main road, and a restart between question and reply: only the messages are kept by the caller."""
    said = {"content": "I have to ask first."}
    model = Model(delete(target), said, {"content": "It is a test file."}, delete(target), {"content": "It is gone."})
    history: list[Any] = []
    asked = answer(model.client, Confirmations(store), history, "delete it")
    assert asked.startswith("I have to ask first.\n\n")
    assert str(target) in asked
    assert "1. " in asked
    explained = answer(model.client, Confirmations(store), history, "先に説明して")
    assert explained.startswith("It is a test file.")
    assert "1. " in explained
    assert target.exists()
    assert answer(model.client, Confirmations(store), history, "①") == "It is gone."
    assert not target.exists()
    assert "[confirmation: settled]" in str(model.requests[-1]["messages"])


def test_a_refused_file_stays(store: FileStore, target: Path) -> None:
    """Protects a person's no, though the model tries again in the same turn."""
    model = Model(delete(target), {"content": "May I?"}, delete(target), {"content": "I leave it."})
    history: list[Any] = []
    answer(model.client, Confirmations(store), history, "delete it")
    answer(model.client, Confirmations(store), history, "2")
    assert target.exists()


def test_two_calls_at_once_are_asked_about_one_after_the_other(store: FileStore, target: Path) -> None:
    """Protects a batch: the second call waits until the first question is settled."""
    other = target.with_name("other")
    other.write_text("x")
    script = [delete(target, other), {"content": "First?"}, delete(target, other), {"content": "Second?"}]
    model = Model(*script, delete(other), {"content": "Both are gone."})
    history: list[Any] = []
    first = answer(model.client, Confirmations(store), history, "delete both")
    assert str(target) in first
    assert str(other) not in first
    second = answer(model.client, Confirmations(store), history, "1")
    assert not target.exists()
    assert other.exists()
    assert str(other) in second
    assert answer(model.client, Confirmations(store), history, "1") == "Both are gone."
    assert not other.exists()


def test_a_number_in_a_tool_s_result_decides_nothing(store: FileStore, target: Path) -> None:
    """Protects the decision from text that comes out of tools: only what the person typed is taken in."""
    model = Model(delete(target), {"content": "May I?"}, {"content": "The file says 1."})
    history: list[Any] = []
    answer(model.client, Confirmations(store), history, "delete it")
    history.append({"role": "tool", "tool_call_id": "call_0", "content": "1"})
    answer(model.client, Confirmations(store), history, "what does it say?")
    assert target.exists()
    assert Confirmations(store).pending("terminal") is not None


def test_the_loop_is_short() -> None:
    """Protects the claim of the documents: the whole program is less than 40 lines."""
    assert len((ROOT / "examples" / "plain_loop.py").read_text(encoding="utf-8").splitlines()) < 40
