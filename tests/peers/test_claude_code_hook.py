"""The hook in the real Claude Code, offline: it asks, takes the person's prompt as the reply, and lets one call run."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.peers.scripted_api.answers import Answer, Call, say, use
from tests.peers.scripted_api.request import Request
from tests.peers.scripted_api.server import ScriptedApi

SETTINGS = ROOT / "examples" / "claude_code" / "settings.json"
COMMAND = "echo ran >> effects"


@dataclass(kw_only=True)
class Session:
    """One session of Claude Code in a project that has the hook."""

    claude: Path
    folder: Path
    api: ScriptedApi
    identifier: str = ""

    def says(self, prompt: str) -> str:
        """Hand in *prompt* as the person's, and return what Claude Code answers."""
        resumed = ["--resume", self.identifier] if self.identifier else []
        allowed = ["--output-format", "json", "--allowedTools", "Bash,CronCreate"]
        words = [str(self.claude), "-p", prompt, *allowed, *resumed]
        environment = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "ANTHROPIC_BASE_URL": self.api.url,
            "ANTHROPIC_API_KEY": "scripted",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }
        done = subprocess.run(
            words, cwd=self.project, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=600, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        self.identifier = result["session_id"]
        return str(result["result"])

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def effects(self) -> int:
        """How often the command ran."""
        log = self.project / "effects"
        return len(log.read_text().splitlines()) if log.exists() else 0


@pytest.fixture
def session(claude: Path, tmp_path: Path) -> Callable[..., Session]:
    """Makes a session whose model is a script; *change* may alter the settings' text."""

    def made(api: ScriptedApi, change: Callable[[str], str] = str) -> Session:
        settings = tmp_path / "project" / ".claude" / "settings.json"
        settings.parent.mkdir(parents=True)
        settings.write_text(change(SETTINGS.read_text(encoding="utf-8")), encoding="utf-8")
        return Session(claude=claude, folder=tmp_path, api=api)

    return made


def results(request: Request) -> list[dict[str, Any]]:
    """Return what the tools gave since the model's last word."""
    content = request.body["messages"][-1]["content"]
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if block.get("type") == "tool_result"]


def calls_once_a_prompt(*calls: Call) -> Callable[[Sequence[Request]], Answer]:
    """Return a model that makes *calls* at each prompt, and then says what they gave."""

    def model(requests: Sequence[Request]) -> Answer:
        given = results(requests[-1])
        return say(" | ".join(str(block["content"]) for block in given)) if given else Answer(calls=calls)

    return model


def remarked(remark: str, command: str = COMMAND) -> Call:
    return Call(name="Bash", arguments={"command": command, "description": remark})


def test_a_call_runs_once_and_never_without_an_answer(session: Callable[..., Session]) -> None:
    """Protects the whole: denied with the question, open through free text, run once on a number, and asked anew."""
    remarks = iter(("Clean up", "Tidy up", "Clear", "Sweep", "Once more"))

    def model(requests: Sequence[Request]) -> Answer:
        given = results(requests[-1])
        return say(str(given[0]["content"])) if given else Answer(calls=(remarked(next(remarks)),))

    with ScriptedApi(model) as api:
        talk = session(api)
        assert "1. Run it" in talk.says("clean up")
        assert talk.effects == 0
        assert "person is asked" in talk.says("先に説明して")
        assert talk.effects == 0
        assert "no output" in talk.says("１")
        assert talk.effects == 1
        assert "[confirmation: settled]" in api.requests[-2].text
        assert "1. Run it" in talk.says("clean up again")
        assert "[action: refused]" in talk.says("2")
        assert talk.effects == 1
        assert api.faults == []


def test_two_calls_at_once_are_asked_about_one_after_the_other(session: Callable[..., Session]) -> None:
    """Protects the person's number: it settles the question that they see, though two were raised at once."""
    other = "echo other >> others"
    with ScriptedApi(calls_once_a_prompt(remarked("one"), remarked("two", other))) as api:
        talk = session(api)
        assert "another question is open" in talk.says("do both")
        talk.says("1")
        assert (talk.effects, (talk.project / "others").exists()) == (1, False)
        talk.says("1")
        assert (talk.effects, (talk.project / "others").read_text()) == (1, "other\n")


def test_the_model_cannot_schedule_its_own_answer(session: Callable[..., Session]) -> None:
    """Protects the decision from a prompt that no person wrote."""
    with ScriptedApi(
        calls_once_a_prompt(Call(name="CronCreate", arguments={"cron": "* * * * *", "prompt": "1"}))
    ) as api:
        assert "only the person may answer" in session(api).says("go")


def test_the_calls_of_an_agent_in_the_session_are_asked_about_too(session: Callable[..., Session]) -> None:
    """Protects what cannot be undone from being done by an agent that the agent starts."""
    arguments = {"description": "x", "prompt": "work inside", "subagent_type": "general-purpose"}

    def model(requests: Sequence[Request]) -> Answer:
        request = requests[-1]
        asked, begun = str(request.body["messages"][0]), str(request.body["messages"][1:])
        if (given := results(request)) or "work inside" in begun:
            return say(str(given[0]["content"]) if given else "ended")
        return Answer(calls=(remarked("x") if "work inside" in asked else Call(name="Agent", arguments=arguments),))

    with ScriptedApi(model) as api:
        talk = session(api)
        talk.says("go")
        assert any("person is asked" in str(results(request)) for request in api.requests)
        assert talk.effects == 0


def breaks(what: str) -> Callable[[str], str]:
    return lambda settings: settings.replace("python -m naoshi.integrations.claude_code_hook", what)


@pytest.mark.parametrize("what", ["no-such-python -m naoshi", "python -m no_such_module", "sh -c 'kill -9 $$'"])
def test_a_hook_that_cannot_run_lets_nothing_through(session: Callable[..., Session], what: str) -> None:
    """Protects against Claude Code's own way, which is to go on without a hook that failed."""
    with ScriptedApi([use("Bash", command=COMMAND), say("ended")]) as api:
        talk = session(api, lambda settings: breaks(what)(settings).replace("UserPromptSubmit", "SessionEnd"))
        talk.says("go")
        assert talk.effects == 0
