"""A hook command for Claude Code: what cannot be undone asks a person by number, and each yes lets one call through.

In ``.claude/settings.json``, for the events ``PreToolUse`` and ``UserPromptSubmit``::

    {"type": "command", "command": "python -m naoshi.integrations.claude_code_hook || exit 2"}

The person's next prompt is the reply. Whatever goes wrong, the call is blocked (exit status 2), never let through.
Claude Code lets a call through when its hook is missing, is killed or is slow: hence ``|| exit 2``, and the time limit.
"""

import argparse
import json
import os
import signal
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn, TextIO

from pydantic import BaseModel, Field, JsonValue, ValidationError

from naoshi.confirm import (
    ActionClass,
    ActionRule,
    Confirmations,
    ConfirmationStore,
    FileStore,
    Guard,
    Permit,
    PermitState,
    Policy,
    Reason,
    RulesFile,
    Turn,
    render_question,
    resolve_reply,
)
from naoshi.confirm.confirmations import utc_now
from naoshi.confirm.policy import PolicySource
from naoshi.errors import ConfigError, InputError, NaoshiError, StoreError
from naoshi.integrations.kept_values import KeptValues

BLOCKED = 2
"""The exit status with which Claude Code blocks what the hook was asked about."""

READING_TOOLS = (
    *("Read", "Glob", "Grep", "LS", "NotebookRead", "TodoRead", "TodoWrite", "TaskCreate", "TaskGet", "TaskList"),
    *("TaskOutput", "TaskStop", "TaskUpdate", "CronList", "CronDelete", "ToolSearch", "ReportFindings", "Agent"),
    *("AskUserQuestion", "EnterPlanMode", "ExitPlanMode"),
)
"""Tools of Claude Code that are not asked about where no rules file is given: they read, plan, or ask by themselves.

An ``Agent`` can do nothing but call tools, and the hook is asked about each of its calls.
"""

_SHOWN = frozenset({PermitState.asked, PermitState.waiting, PermitState.outcome_unknown})
# The model words this anew in each call; it changes nothing that is done, and a yes must not depend on it.
_REMARKS = {"Bash": ("description",)}
_SAYS = ("prompt", "message")
# Claude Code hands in its own notices as prompts too. No person wrote them, and they begin no turn of a person's.
_NOTICES = ("<task-notification>", "<system-reminder>")
_NUMBERS = ("",) * 99
_REPLIES = frozenset({Reason.resolved, Reason.out_of_range, Reason.ambiguous})
# Well below the 60 seconds after which Claude Code goes on without the hook's answer.
_SECONDS = 20


class HookInput(BaseModel):
    """What Claude Code writes to the hook, as far as it is used."""

    session_id: str
    hook_event_name: str
    prompt: str = ""
    tool_name: str = ""
    tool_input: dict[str, JsonValue] = Field(default_factory=dict)


class ClaudeCodeHook:
    """Answers hook events of Claude Code. A session is a conversation.

    A call that a rule asks about is denied with the question, and Claude Code waits for the person. Their prompt is
    taken in as the reply, and put before the model with what it settled. The same call, with the same arguments (what
    Bash is said to do aside), is then let through once. Two calls at once are asked about one after the other. The
    approval counts as used when the call is let through: what came of it is in Claude Code's own transcript.

    Claude Code does not say who wrote a prompt, and has tools by which a model writes one (``CronCreate``). A call that
    would put in a prompt what could be read as a reply is always denied.

    Args:
        store: keeps the questions.
        policy: the rules; without any, all tools but `READING_TOOLS` are asked about.
        confirmations: asks and takes in replies, on the same *store*; made from it where not given.
    """

    def __init__(
        self,
        *,
        store: ConfirmationStore,
        policy: PolicySource | None = None,
        confirmations: Confirmations | None = None,
    ) -> None:
        self._confirmations = confirmations or Confirmations(store)
        self._guard = Guard(self._confirmations, policy=policy or _reading_is_reversible())
        self._turns = KeptValues(store, name="claude-code-turn", clock=utc_now)

    def answer(self, event: HookInput) -> dict[str, JsonValue]:
        """Return what the hook prints for *event*, empty where it has nothing to say.

        Raises:
            InputError: the event cannot be judged.
            StoreError: the state cannot be read or written.
        """
        if event.hook_event_name == "UserPromptSubmit":
            return self._prompted(event)
        if event.hook_event_name == "PreToolUse":
            return self._called(event)
        return {}

    def _prompted(self, event: HookInput) -> dict[str, JsonValue]:
        if event.prompt.lstrip().startswith(_NOTICES):
            return {}
        turn = self._confirmations.receive(event.session_id, event.prompt, actor="claude-code")
        self._turns.put(event.session_id, turn.model_dump(mode="json"))
        if not turn.context:
            return {}
        return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": turn.context}}

    def _called(self, event: HookInput) -> dict[str, JsonValue]:
        if not event.tool_name:
            raise InputError("the event names no tool")
        if any(map(_could_answer, _said(event.tool_input))):
            return _decision("deny", "only the person may answer a question, and this could be read as an answer")
        permit = self._permit(event)
        if permit and permit.use is None:
            return {}
        if permit:
            with permit:
                return _decision("allow", f"approved by a person; {permit.ruling.why}")
        said = _decision("deny", permit.context or f"not permitted: {permit.state}")
        if permit.confirmation and permit.state in _SHOWN:
            said["systemMessage"] = render_question(permit.confirmation)
        return said

    def _permit(self, event: HookInput) -> Permit:
        kept = self._turns.get(event.session_id).value
        remarks = _REMARKS.get(event.tool_name, ())
        arguments = {name: value for name, value in event.tool_input.items() if name not in remarks}
        if kept is None:
            return self._guard(event.tool_name, arguments, conversation_id=event.session_id)
        try:
            turn = Turn.model_validate(kept)
        except ValidationError as error:
            raise StoreError("the latest turn of the session cannot be read") from error
        with self._guard.during(turn):
            return self._guard(event.tool_name, arguments)


def main(arguments: Sequence[str] | None = None, *, given: TextIO | None = None, out: TextIO | None = None) -> int:
    """Read one event from standard input, print the answer, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m naoshi.integrations.claude_code_hook", description="A Claude Code hook that asks by number."
    )
    project = Path(os.environ.get("CLAUDE_PROJECT_DIR", "."))
    parser.add_argument("--store", type=Path, default=project / ".naoshi" / "confirmations", help="folder of questions")
    parser.add_argument("--rules", type=Path, help="TOML file with a section [confirm]; else naoshi.toml if it has one")
    parser.add_argument("--seconds", type=float, default=_SECONDS, help="after which the call is blocked")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGALRM, _too_slow)
    signal.setitimer(signal.ITIMER_REAL, options.seconds)
    try:
        event = HookInput.model_validate(_json((given or sys.stdin).read()))
        policy = _policy(options.rules, project / "naoshi.toml", keep=options.store.parent / "rules")
        answer = ClaudeCodeHook(store=FileStore(options.store), policy=policy).answer(event)
    except ValidationError:
        sys.stderr.write("naoshi: input-invalid: the hook's input is not an event of Claude Code; nothing was run\n")
        return BLOCKED
    except NaoshiError as error:
        sys.stderr.write(f"{error.line()}\n")
        return BLOCKED
    except Exception as error:  # noqa: BLE001 - any other exit status than 2 would let the call through
        sys.stderr.write(f"naoshi: error: {type(error).__name__}: {' '.join(str(error).split())}; nothing was run\n")
        return BLOCKED
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    if answer:
        (out or sys.stdout).write(json.dumps(answer) + "\n")
    return 0


def _said(value: JsonValue) -> Iterator[str]:
    """Yield what a tool's input would have said as a prompt or a message."""
    items: list[tuple[str, JsonValue]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = [("", item) for item in value]
    for name, item in items:
        if isinstance(item, str) and name in _SAYS:
            yield item
        elif isinstance(item, dict | list):
            yield from _said(item)


def _could_answer(text: str) -> bool:
    return resolve_reply(text, _NUMBERS, no=2).reason in _REPLIES


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _policy(named: Path | None, usual: Path, *, keep: Path) -> PolicySource | None:
    if named is not None:
        return RulesFile(named, keep=keep)
    if not usual.is_file():
        return None
    try:
        has_rules = "confirm" in tomllib.loads(usual.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ConfigError(f"{usual} is not TOML: {error}") from error
    return RulesFile(usual, keep=keep) if has_rules else None


def _reading_is_reversible() -> Policy:
    return Policy.of(ActionRule(tool=tool, action_class=ActionClass.reversible) for tool in READING_TOOLS)


def _decision(decision: str, reason: str) -> dict[str, JsonValue]:
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": decision,
            "permissionDecisionReason": reason,
        }
    }


def _too_slow(*_: object) -> NoReturn:
    raise TimeoutError("the state was not free in time")


if __name__ == "__main__":
    sys.exit(main())
