"""The pages and the examples do what they say."""

import ast
import asyncio
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
from agents import Agent, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

from examples.pydantic_ai_deploy import scripted
from naoshi.confirm import Confirmations, FileStore, Guard, read_policy
from naoshi.integrations.langgraph import ask_person
from tests.conftest import ROOT

PAGES = ROOT / "docs" / "integrations"
EXAMPLES = ROOT / "examples"


def blocks(page: str, language: str) -> list[str]:
    text = (PAGES / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def compiled(source: str) -> CodeType:
    return compile(source, "page", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)


def run(source: str, names: dict[str, Any]) -> dict[str, Any]:
    """Run the lines of a page, awaits included."""

    async def running() -> None:
        came = eval(compiled(source), names)  # noqa: S307 - the text is our own page
        if inspect.isawaitable(came):
            await came

    asyncio.run(running())
    return names


def five_lines(page: str, place: int = 0) -> str:
    source = blocks(page, "python")[place]
    assert len([line for line in source.splitlines() if line.strip()]) <= 5
    return source


def openai_agent() -> Agent[Any]:
    @function_tool(needs_approval=True)
    def send_mail(to: str) -> str:
        return "sent"

    call = function_call("send_mail", {"to": "a@example.com"}, call_id="1")
    return Agent(name="mail", model=ScriptedModel([[call], [assistant_message("Sent.")]]), tools=[send_mail])


def pydantic_agent() -> Any:
    from pydantic_ai import Agent as PydanticAgent

    agent: Any = PydanticAgent(scripted())
    agent.tool_plain(requires_approval=True)(deploy)
    return agent


def deploy(version: str) -> str:
    return f"deployed {version}"


def graph() -> Any:
    names = run(blocks("langgraph.md", "python")[0], {"ask_person": ask_person})
    made = StateGraph(MessagesState).add_node("review", names["review"]).add_edge(START, "review")
    return made.compile(checkpointer=InMemorySaver())


@pytest.mark.parametrize(
    ("page", "place", "given", "last"),
    [
        ("openai-agents.md", 0, {"agent": openai_agent}, "Sent."),
        ("pydantic-ai.md", 0, {"agent": pydantic_agent}, "Done."),
        ("langgraph.md", 1, {"graph": graph}, "Sent."),
    ],
)
def test_the_five_lines_of_a_page_ask_and_go_on(
    page: str, place: int, given: dict[str, Any], last: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Protects the reader who copies the lines: the first message asks, a number goes on."""
    monkeypatch.chdir(tmp_path)
    made = {name: make() for name, make in given.items()}
    for text in ("Do it", "1"):
        run(five_lines(page, place), {**made, "text": text})
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == last
    assert [line[:2] for line in lines[-3:-1]] == ["1.", "2."]


def test_the_lines_about_effects_do_a_thing_once(store: FileStore) -> None:
    """Protects the reader who copies the lines on effects."""
    sent: list[int] = []
    for _ in range(2):
        run(blocks("langgraph.md", "python")[2], {"store": store, "send": sent.append, "report": 7})
    assert sent == [7]


def test_the_lines_of_the_plain_loop_wait_for_a_number(store: FileStore) -> None:
    """Protects the reader who copies the lines into a loop of their own."""
    deleted: list[str] = []
    given = {"confirmations": Confirmations(store), "Guard": Guard, "delete_file": deleted.append, "path": "a"}
    first = run(five_lines("plain-loop.md"), {**given, "text": "delete it"})
    assert first["asked"] is not None
    assert deleted == []
    run(five_lines("plain-loop.md"), {**given, "text": "1"})
    assert deleted == ["a"]


def test_the_person_s_side_of_the_mcp_page_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects the reader who copies the lines on the person's channel, and the configuration of the server."""
    monkeypatch.chdir(tmp_path)
    words = json.loads(blocks("mcp.md", "json")[0])["mcpServers"]["person"]["args"]
    Confirmations(FileStore(words[words.index("--store") + 1])).ask("mcp:deploy", "Deploy?", ["Deploy it", "Leave it"])
    assert run(five_lines("mcp.md"), {"text": "1"})["turn"].choice == 1


def test_the_settings_for_claude_code_are_those_of_the_example() -> None:
    """Protects the reader who copies the settings: they are JSON, and name both events and the command."""
    settings = json.loads(blocks("claude-code.md", "json")[0])
    assert settings == json.loads((EXAMPLES / "claude_code" / "settings.json").read_text(encoding="utf-8"))
    commands = {hook["command"] for event in settings["hooks"].values() for entry in event for hook in entry["hooks"]}
    assert commands == {"python -m naoshi.integrations.claude_code_hook || exit 2"}
    assert set(settings["hooks"]) == {"PreToolUse", "UserPromptSubmit"}


def test_the_rules_for_claude_code_are_read(tmp_path: Path) -> None:
    """Protects the reader who copies the rules: they are taken, and let pass what the page says."""
    (tmp_path / "rules.toml").write_text(blocks("claude-code.md", "toml")[0], encoding="utf-8")
    policy = read_policy(tmp_path / "rules.toml")
    assert not policy.ruling("Edit", {"file_path": "a"}).asks
    assert not policy.ruling("Bash", {"command": "git status"}).asks
    assert policy.ruling("Bash", {"command": "git push"}).asks


@pytest.mark.parametrize(
    ("words", "said", "last"),
    [
        (["openai_agents_mail.py", "--scripted"], "Send it\n１\n", "It is sent."),
        (["pydantic_ai_deploy.py", "--scripted"], "Deploy it\n1\n", "Done."),
        (["langgraph_refund.py"], "17\nfirst explain\n1\n", "Refunded."),
        (["mcp_deploy.py"], "hm?\n②\n", "The agent sees: 2, Leave it"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_an_example_runs(words: list[str], said: str, last: str, tmp_path: Path) -> None:
    """Protects the examples: each runs without a model, asks, and goes on after a number."""
    command = [sys.executable, str(EXAMPLES / words[0]), *words[1:]]
    done = subprocess.run(command, input=said, cwd=tmp_path, capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1] == last
    assert any(line.startswith("1. ") for line in lines)
