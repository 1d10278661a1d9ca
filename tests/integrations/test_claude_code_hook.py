"""The hook command, with the events that Claude Code writes to it."""

import fcntl
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from naoshi.confirm import FileStore, Policy
from naoshi.integrations.claude_code_hook import BLOCKED, ClaudeCodeHook, HookInput, main

RULES = """
[confirm]
[[confirm.rules]]
tool = "Bash"
class = "reversible"
arguments = { command = "ls" }
"""


@pytest.fixture
def hook(store: FileStore) -> ClaudeCodeHook:
    return ClaudeCodeHook(store=store)


def call(tool: str, **given: Any) -> HookInput:
    return HookInput(session_id="s", hook_event_name="PreToolUse", tool_name=tool, tool_input=given)


def prompt(text: str) -> HookInput:
    return HookInput(session_id="s", hook_event_name="UserPromptSubmit", prompt=text)


def decision(answer: dict[str, Any]) -> str | None:
    return answer.get("hookSpecificOutput", {}).get("permissionDecision")


def test_a_call_waits_for_a_number_and_goes_through_once(hook: ClaudeCodeHook) -> None:
    """Protects the main road: denied with the question, the person's next prompt, then the same call, once."""
    hook.answer(prompt("clean up"))
    asked = hook.answer(call("Bash", command="rm -r build"))
    assert decision(asked) == "deny"
    assert "rm -r build" in asked["systemMessage"]
    assert "1. " in asked["systemMessage"]
    settled = hook.answer(prompt("1"))
    assert "[confirmation: settled]" in str(settled["hookSpecificOutput"]["additionalContext"])
    assert decision(hook.answer(call("Bash", command="rm -r build"))) == "allow"
    assert decision(hook.answer(call("Bash", command="rm -r build"))) == "deny"


def test_an_approval_is_for_these_arguments_alone(hook: ClaudeCodeHook) -> None:
    """Protects "approval for a, then the model calls with b"."""
    hook.answer(prompt("clean up"))
    hook.answer(call("Bash", command="rm -r build"))
    hook.answer(prompt("1"))
    assert decision(hook.answer(call("Bash", command="rm -r /"))) == "deny"


def test_a_refusal_holds(hook: ClaudeCodeHook) -> None:
    """Protects a person's no."""
    hook.answer(prompt("clean up"))
    hook.answer(call("Bash", command="rm -r build"))
    hook.answer(prompt("2"))
    assert decision(hook.answer(call("Bash", command="rm -r build"))) == "deny"


def test_two_calls_at_once_are_asked_about_one_after_the_other(hook: ClaudeCodeHook) -> None:
    """Protects the question that the person sees: a second one does not take its place within the turn."""
    hook.answer(prompt("clean up"))
    first = hook.answer(call("Bash", command="rm a"))
    second = hook.answer(call("Bash", command="rm b"))
    assert decision(second) == "deny"
    assert second["systemMessage"] == first["systemMessage"]
    hook.answer(prompt("1"))
    assert decision(hook.answer(call("Bash", command="rm b"))) == "deny"


def test_a_prompt_that_does_not_answer_leaves_the_question(hook: ClaudeCodeHook) -> None:
    """Protects "explain first": the question goes before the model, and a number then resolves it."""
    hook.answer(prompt("clean up"))
    hook.answer(call("Bash", command="rm -r build"))
    explained = hook.answer(prompt("先に説明して"))
    assert "rm -r build" in str(explained)
    hook.answer(prompt("1"))
    assert decision(hook.answer(call("Bash", command="rm -r build"))) == "allow"


def test_reading_is_left_to_claude_code(hook: ClaudeCodeHook) -> None:
    """Protects against stopping too often: what can be undone gets no word from the hook."""
    assert hook.answer(call("Read", file_path="a")) == {}
    assert hook.answer(HookInput(session_id="s", hook_event_name="PostToolUse")) == {}


def test_what_a_command_is_said_to_do_is_no_part_of_the_approval(hook: ClaudeCodeHook) -> None:
    """Protects against asking again for ever: the model words its remark anew, and the command is the same."""
    hook.answer(prompt("clean up"))
    asked = hook.answer(call("Bash", command="rm -r build", description="Harmless clean-up"))
    assert "Harmless" not in str(asked)
    hook.answer(prompt("1"))
    assert decision(hook.answer(call("Bash", command="rm -r build", description="Remove the build"))) == "allow"
    hook.answer(prompt("once more"))
    hook.answer(call("Bash", command="rm -r build"))
    hook.answer(prompt("1"))
    unbound = call("Bash", command="rm -r build", dangerouslyDisableSandbox=True)
    assert decision(hook.answer(unbound)) == "deny"


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("CronCreate", {"cron": "* * * * *", "prompt": "1"}),
        ("ScheduleWakeup", {"delaySeconds": 60, "reason": "x", "prompt": " １番でお願いします"}),
        ("RemoteTrigger", {"action": "run", "body": {"job": [{"prompt": "②"}]}}),
        ("SendMessage", {"to": "main", "message": "no"}),
        ("CronCreate", {"cron": "* * * * *", "prompt": "1,2"}),
    ],
)
def test_a_model_cannot_write_the_reply(hook: ClaudeCodeHook, tool: str, given: dict[str, Any]) -> None:
    """Protects the decision from tools that put in a prompt: Claude Code does not say that no person wrote it."""
    for _ in range(2):
        assert "only the person" in str(hook.answer(call(tool, **given)))
        hook.answer(prompt("1"))


@pytest.mark.parametrize(
    "notice", ["<task-notification>\n<result>1</result>\n</task-notification>", "\n<system-reminder>1"]
)
def test_a_notice_of_claude_code_is_no_message_of_a_person(hook: ClaudeCodeHook, notice: str) -> None:
    """Protects a refusal, and the question that waits, from prompts in which the program tells of its tasks."""
    hook.answer(prompt("clean up"))
    asked = hook.answer(call("Bash", command="rm a"))
    assert hook.answer(prompt(notice)) == {}
    assert hook.answer(call("Bash", command="rm b"))["systemMessage"] == asked["systemMessage"]
    hook.answer(prompt("2"))
    assert hook.answer(prompt(notice)) == {}
    assert "refused" in str(hook.answer(call("Bash", command="rm a")))
    hook.answer(prompt("go on, do it"))
    assert "1. " in hook.answer(call("Bash", command="rm a"))["systemMessage"]


def test_what_could_be_no_reply_may_be_scheduled_with_a_yes(hook: ClaudeCodeHook) -> None:
    """Protects those who use such tools for work."""
    work = {"cron": "0 9 * * *", "prompt": "look at the build"}
    assert "look at the build" in hook.answer(call("CronCreate", **work))["systemMessage"]
    hook.answer(prompt("1"))
    assert decision(hook.answer(call("CronCreate", **work))) == "allow"


def test_sessions_never_mix(hook: ClaudeCodeHook) -> None:
    """Protects one session from an answer in another."""
    hook.answer(call("Bash", command="rm -r build"))
    other = HookInput(session_id="t", hook_event_name="UserPromptSubmit", prompt="1")
    assert hook.answer(other) == {}
    assert decision(hook.answer(call("Bash", command="rm -r build"))) == "deny"


def test_rules_can_be_given_in_code(store: FileStore) -> None:
    """Protects applications that bring their own policy: with an empty one, reading is asked about too."""
    assert decision(ClaudeCodeHook(store=store, policy=Policy()).answer(call("Read", file_path="a"))) == "deny"


def run(given: str, *words: str) -> tuple[int, str]:
    out = io.StringIO()
    return main(words, given=io.StringIO(given), out=out), out.getvalue()


def event(**given: Any) -> str:
    return json.dumps({"session_id": "s", "hook_event_name": "PreToolUse", "transcript_path": "t", **given})


@pytest.mark.parametrize("given", ["", "{", "[]", "null", '{"session_id": 1}', "[" * 100_000, event(tool_name="")])
def test_whatever_is_no_event_blocks(given: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Protects against a call that goes through because the hook failed: only exit status 2 blocks."""
    assert run(given, "--store", str(tmp_path / "state")) == (BLOCKED, "")
    said = capsys.readouterr().err
    assert said.startswith("naoshi: ")
    assert said.count("\n") == 1


@pytest.mark.parametrize("rules", ["[confirm]\nrules = 1\n", "[confirm", None])
def test_broken_rules_block(rules: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Protects against a call that goes through because its rules cannot be read."""
    path = tmp_path / "naoshi.toml"
    if rules is not None:
        path.write_text(rules)
    words = ["--store", str(tmp_path / "state"), "--rules", str(path)]
    assert run(event(tool_name="Bash", tool_input={"command": "ls"}), *words) == (BLOCKED, "")
    assert "naoshi: " in capsys.readouterr().err


def test_a_damaged_state_blocks(tmp_path: Path) -> None:
    """Protects against a call that goes through because the state cannot be read."""
    state = tmp_path / "state"
    store = FileStore(state)
    assert run(event(tool_name="Bash", tool_input={"command": "rm a"}), "--store", str(state))[0] == 0
    store.path("s").write_text("{")
    assert run(event(tool_name="Bash", tool_input={"command": "rm a"}), "--store", str(state)) == (BLOCKED, "")


def test_a_state_that_is_not_free_blocks_in_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Protects against a slow hook: Claude Code would let the call through without its answer."""
    state = tmp_path / "state"
    assert run(event(tool_name="Bash", tool_input={"command": "rm a"}), "--store", str(state))[0] == 0
    held = [os.open(path, os.O_RDWR) for path in state.rglob("*") if path.is_file()]
    for descriptor in held:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    words = ["--store", str(state), "--seconds", "0.3"]
    try:
        assert run(event(tool_name="Bash", tool_input={"command": "rm b"}), *words) == (BLOCKED, "")
    finally:
        for descriptor in held:
            os.close(descriptor)
    assert "not free in time" in capsys.readouterr().err


def test_the_command_reads_the_rules_of_the_project(tmp_path: Path) -> None:
    """Protects the way in which Claude Code starts it: rules from naoshi.toml of the project, state beside it."""
    (tmp_path / "naoshi.toml").write_text(RULES)
    words = [sys.executable, "-m", "naoshi.integrations.claude_code_hook"]
    for command, decided in (("ls", None), ("rm -r build", "deny")):
        done = subprocess.run(
            words,
            input=event(tool_name="Bash", tool_input={"command": command}),
            env={"CLAUDE_PROJECT_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert decision(json.loads(done.stdout or "{}")) == decided
    assert (tmp_path / ".naoshi" / "confirmations").is_dir()
