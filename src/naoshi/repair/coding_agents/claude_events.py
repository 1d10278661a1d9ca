"""What `claude -p --output-format stream-json` prints, read as events."""

from typing import Any

from naoshi.errors import CodingAgentError, CodingAgentRefusalError
from naoshi.repair.coding_agents.event_reader import EventLog, as_count, as_object, as_objects, as_text, event_of
from naoshi.repair.coding_agents.model_failure import model_failure

_USAGE = ("input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_EDITS = ("Edit", "Write", "MultiEdit", "NotebookEdit")


class ClaudeEvents:
    """Reads the lines of one run. ``ended`` says that the result was told."""

    def __init__(self, log: EventLog) -> None:
        self.tokens = 0
        self.error: CodingAgentError | None = None
        self.ended = False
        self._log = log
        self._used: dict[str, int] = {}
        self._asked: dict[str, tuple[str, str]] = {}

    def read(self, line: str) -> None:
        """Take *line* in. One that is no event is passed over."""
        event = event_of(line)
        match event.get("type"):
            case "assistant":
                self._assistant(event)
            case "user":
                self._given_back(as_object(event.get("message")))
            case "result":
                self._result(event)
            case "system" if event.get("subtype") == "api_retry":
                status, error = event.get("error_status"), as_text(event.get("error"))
                self._log.add("problem", f"the provider answered {status}: {error}; it tries again")
            case _:
                pass

    def _assistant(self, event: dict[str, Any]) -> None:
        message = as_object(event.get("message"))
        self._used[as_text(message.get("id"))] = _counted(as_object(message.get("usage")))
        self.tokens = max(self.tokens, sum(self._used.values()))
        for block in as_objects(message.get("content")):
            if block.get("type") == "text":
                self._log.add("problem" if event.get("error") else "message", as_text(block.get("text")))
            elif block.get("type") == "tool_use":
                self._asked[as_text(block.get("id"))] = _asking(block)

    def _given_back(self, message: dict[str, Any]) -> None:
        for block in as_objects(message.get("content")):
            asked = self._asked.pop(as_text(block.get("tool_use_id")), None)
            if asked is not None:
                name, text = asked
                kind = "edit" if name in _EDITS else "command"
                status = 1 if block.get("is_error") is True else 0
                self._log.add(kind, text, output=as_text(block.get("content")), status=status)

    def _result(self, event: dict[str, Any]) -> None:
        self.ended = True
        self.tokens = max(self.tokens, _counted(as_object(event.get("usage"))))
        told = as_text(event.get("result")) or as_text(event.get("subtype"))
        if event.get("stop_reason") == "refusal":
            self.error = CodingAgentRefusalError(f"its model refused: {' '.join(told.split())[:300]}")
        elif event.get("is_error") is True:
            status = event.get("api_error_status")
            self.error = model_failure(f"{status} {told}" if isinstance(status, int) else told)


def _counted(usage: dict[str, Any]) -> int:
    return sum(as_count(usage.get(name)) for name in _USAGE)


def _asking(block: dict[str, Any]) -> tuple[str, str]:
    """Return the tool's name, and what it is asked to do in one text."""
    name, wanted = as_text(block.get("name")), as_object(block.get("input"))
    if name == "Bash":
        return name, as_text(wanted.get("command"))
    place = as_text(wanted.get("file_path")) or as_text(wanted.get("pattern")) or as_text(wanted.get("path"))
    return name, place if name in _EDITS else f"{name} {place}".strip()
