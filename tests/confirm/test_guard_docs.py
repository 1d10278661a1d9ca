"""The how-to of the plain loop and the page on rules, run as they are written."""

import re
from pathlib import Path
from typing import Any

import pytest

from naoshi.confirm import Confirmations, FileStore
from tests.conftest import ROOT

PAGES = [ROOT / "docs" / "confirm-plain-loop.md", ROOT / "docs" / "ja" / "confirm-plain-loop.md"]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def program(page: Path, script: list[dict[str, Any]], sent: list[str]) -> dict[str, Any]:
    """Run the page's code with a model that follows *script*, and return its names."""
    names: dict[str, Any] = {
        "messages": [],
        "model": lambda messages: script.pop(0),
        "outbox": lambda to, body: sent.append(to) or "sent",
    }
    for block in blocks(page, "python"):
        exec(block, names)  # noqa: S102 - what the page tells people to write
    names["TOOLS"] = {"send_mail": names["send_mail"]}
    return names


@pytest.mark.parametrize("page", PAGES, ids=["en", "ja"])
def test_the_how_to_does_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects whoever copies the page: asked, restarted, answered, done once."""
    monkeypatch.chdir(tmp_path)
    sent: list[str] = []
    call = {"role": "assistant", "tool": "send_mail", "arguments": {"to": "mika@example.com", "body": "x"}}
    said = {"role": "assistant", "content": "ok"}
    names = program(page, [call, said], sent)
    answer = names["show"]("c", names["on_message"]("c", "send it"))
    assert "send_mail" in answer
    assert answer.split("\n")[-1].startswith("2. ")
    assert sent == []
    names = program(page, [said, call, call, said], sent)
    names["on_message"]("c", "先に説明して")
    turn = names["confirmations"].receive("c", "お願い")
    assert "1" in names["choose"](turn, 1)
    assert sent == []
    names["on_message"]("c", "①")
    assert sent == ["mika@example.com"]
    assert names["show"]("c", "ok") == "ok"


def test_both_languages_have_the_same_code() -> None:
    """Protects the translation from lagging: comments aside, the code is one."""
    english, japanese = (
        ["\n".join(line.partition("  #")[0] for line in block.splitlines()) for block in blocks(page, "python")]
        for page in PAGES
    )
    assert english == japanese


def test_the_rules_on_the_page_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Protects the page on what to ask: its rules load, and its code finds what it says."""
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "choosing-what-to-ask.md"
    (rules,) = blocks(page, "toml")
    Path("naoshi.toml").write_text(rules, encoding="utf-8")
    names: dict[str, Any] = {}
    (code,) = blocks(page, "python")
    exec(code, names)  # noqa: S102 - what the page tells people to write
    guard = names["guard"]
    assert guard("send_mail", {"to": "a@example.com", "size": 10}, conversation_id="c")
    assert not guard("send_mail", {"to": "a@example.com", "size": 10**6}, conversation_id="c")
    assert guard("read_mail", {}, conversation_id="c")
    pending = Confirmations(FileStore("agent-state")).pending("c")
    assert pending is not None
    assert pending.question.startswith('Send this to "a@example.com"?')
