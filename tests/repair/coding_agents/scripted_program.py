"""Programs that print what Codex and Claude Code print, and do what a test says. The events are of our own making."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from naoshi.repair import ClaudeAgent, ClaudeSettings, CodexAgent, CodexSettings, Limits

PROGRAM = """\
#!{python} -IS
import json, os, pathlib, shutil, sys, time
asked = sys.stdin.read()
assert "task.md" in asked
for name, value in json.loads({steps!r}):
    if name == "line":
        print(value, flush=True)
    elif name == "complain":
        print(value, file=sys.stderr, flush=True)
    elif name == "edit":
        place = pathlib.Path("harness/labels.json")
        known = json.loads(place.read_text())
        known[value[0]].append(value[1])
        place.write_text(json.dumps(known, indent=1) + "\\n")
    elif name == "write":
        pathlib.Path(value).write_text("x" * 200000)
    elif name == "replace":
        here = pathlib.Path.cwd()
        here.rename(here.with_name("elsewhere"))
        here.mkdir()
    elif name == "child":
        import subprocess
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
        pathlib.Path(value).write_text(str(child.pid))
    elif name == "tokens":
        folder = pathlib.Path(os.environ["CODEX_HOME"], "sessions", "2026", "01", "05")
        folder.mkdir(parents=True)
        total = {{"total_token_usage": {{"total_tokens": value}}}}
        line = json.dumps({{"type": "event_msg", "payload": {{"type": "token_count", "info": total}}}})
        (folder / "rollout-1.jsonl").write_text(line + "\\n")
    elif name == "flood":
        for _ in range(value):
            print("y" * 1000)
    elif name == "sleep":
        time.sleep(value)
    elif name == "exit":
        sys.exit(value)
"""

Step = tuple[str, Any]


def write_program(place: Path, steps: Sequence[Step]) -> Path:
    """Write the program that does *steps* to *place*."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(PROGRAM.format(python=sys.executable, steps=json.dumps(list(steps))))
    place.chmod(0o755)
    return place


class Codex:
    """What Codex prints, and the agent that reads it."""

    variable = "OPENAI_API_KEY"

    def agent(self, program: Path, *, key: str | None = "sk-of-a-test", **limits: float) -> CodexAgent:
        settings = CodexSettings(program=str(program), model="scripted")
        return CodexAgent(settings=settings, key=key, limits=Limits(**{"timeout": 30, **limits}))

    def says(self, text: str) -> Step:
        return self._item({"type": "agent_message", "text": text})

    def ran(self, command: str, output: str, status: int) -> Step:
        return self._item({"type": "command_execution", "command": command, "aggregated_output": output,
                           "exit_code": status, "status": "completed"})  # fmt: skip

    def ends(self, *, tokens: int = 100) -> list[Step]:
        usage = {"input_tokens": tokens - 10, "cached_input_tokens": 5, "output_tokens": 10}
        return [_line({"type": "turn.completed", "usage": usage})]

    def fails(self, told: str) -> list[Step]:
        return [
            _line({"type": "error", "message": told}),
            _line({"type": "turn.failed", "error": {"message": told}}),
            ("exit", 1),
        ]

    def tries_again(self, told: str) -> Step:
        return _line({"type": "error", "message": f"Reconnecting... 1/4 ({told})"})

    def refuses(self) -> list[Step]:
        return self.fails("invalid_prompt: this request was flagged by our usage policy")

    def burns(self, tokens: int) -> list[Step]:
        return [("tokens", tokens), ("sleep", 20)]

    def _item(self, item: dict[str, Any]) -> Step:
        return _line({"type": "item.completed", "item": {"id": "item_0", **item}})


class Claude:
    """What Claude Code prints, and the agent that reads it."""

    variable = "ANTHROPIC_API_KEY"

    def __init__(self) -> None:
        self._number = 0

    def agent(self, program: Path, *, key: str | None = "sk-of-a-test", **limits: float) -> ClaudeAgent:
        settings = ClaudeSettings(program=str(program), model="scripted")
        return ClaudeAgent(settings=settings, key=key, limits=Limits(**{"timeout": 30, **limits}))

    def says(self, text: str) -> Step:
        return self._assistant({"type": "text", "text": text})

    def ran(self, command: str, output: str, status: int) -> Step:
        used = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": command}}
        given = {"type": "tool_result", "tool_use_id": "toolu_1", "content": output, "is_error": status != 0}
        back = {"type": "user", "message": {"role": "user", "content": [given]}}
        return ("line", f"{self._assistant(used)[1]}\n{json.dumps(back)}")

    def ends(self, *, tokens: int = 100) -> list[Step]:
        usage = {"input_tokens": tokens - 10, "output_tokens": 10}
        return [_line({"type": "result", "subtype": "success", "is_error": False, "result": "done", "usage": usage})]

    def fails(self, told: str) -> list[Step]:
        event = {"type": "result", "subtype": "success", "is_error": True, "result": f"API Error: {told}"}
        return [_line(event), ("exit", 1)]

    def tries_again(self, told: str) -> Step:
        return _line({"type": "system", "subtype": "api_retry", "error_status": 429, "error": told})

    def refuses(self) -> list[Step]:
        event = {"type": "result", "subtype": "success", "is_error": False, "stop_reason": "refusal", "result": "no"}
        return [_line(event)]

    def burns(self, tokens: int) -> list[Step]:
        message = {"id": "msg_9", "usage": {"input_tokens": tokens, "output_tokens": 0}, "content": []}
        return [_line({"type": "assistant", "message": message}), ("sleep", 20)]

    def _assistant(self, block: dict[str, Any]) -> Step:
        self._number += 1
        message = {"id": f"msg_{self._number}", "role": "assistant", "content": [block],
                   "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip
        return _line({"type": "assistant", "message": message})


def _line(event: dict[str, Any]) -> Step:
    return ("line", json.dumps(event))
