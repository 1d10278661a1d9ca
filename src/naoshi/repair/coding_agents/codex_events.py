"""What `codex exec --json` prints, read as events."""

from pathlib import Path
from typing import Any

from naoshi.errors import CodingAgentError
from naoshi.repair.coding_agents.event_reader import EventLog, as_count, as_object, as_objects, as_text, event_of
from naoshi.repair.coding_agents.model_failure import model_failure

_TAIL_BYTES = 256 * 1024


class CodexEvents:
    """Reads the lines of one `codex exec --json`. ``ended`` says that the turn was told to be over."""

    def __init__(self, log: EventLog) -> None:
        self.tokens = 0
        self.error: CodingAgentError | None = None
        self.ended = False
        self._log = log

    def read(self, line: str) -> None:
        """Take *line* in. One that is no event is passed over."""
        event = event_of(line)
        match event.get("type"):
            case "item.completed":
                self._item(as_object(event.get("item")))
            case "turn.completed":
                self.ended = True
                usage = as_object(event.get("usage"))
                self.tokens = max(
                    self.tokens, sum(as_count(usage.get(name)) for name in ("input_tokens", "output_tokens"))
                )
            case "turn.failed":
                self.ended = True
                self._failed(as_text(as_object(event.get("error")).get("message")))
            case "error":
                self._failed(as_text(event.get("message")))
            case _:
                pass

    def _item(self, item: dict[str, Any]) -> None:
        match item.get("type"):
            case "agent_message":
                self._log.add("message", as_text(item.get("text")))
            case "command_execution":
                status = item.get("exit_code")
                self._log.add(
                    "command",
                    as_text(item.get("command")),
                    output=as_text(item.get("aggregated_output")),
                    status=status if isinstance(status, int) else None,
                )
            case "file_change":
                for change in as_objects(item.get("changes")):
                    self._log.add("edit", as_text(change.get("path")), output=as_text(change.get("kind")))
            case "mcp_tool_call" | "web_search":
                self._log.add("command", as_text(item.get("tool")) or as_text(item.get("query")) or str(item["type"]))
            case "error":
                self._log.add("problem", as_text(item.get("message")))
            case _:
                pass

    def _failed(self, told: str) -> None:
        """Keep what failed. A line about trying again may be followed by success; `turn.completed` settles that."""
        self._log.add("problem", told)
        self.error = model_failure(told)


def tokens_of_session(codex_home: Path) -> int:
    """Return how many tokens the sessions below *codex_home* have used, by the records that Codex writes meanwhile."""
    return sum(_last_count(path) for path in codex_home.glob("sessions/**/rollout-*.jsonl"))


def _last_count(path: Path) -> int:
    try:
        with path.open("rb") as stream:
            stream.seek(max(0, path.stat().st_size - _TAIL_BYTES))
            lines = stream.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return 0
    for line in reversed(lines):
        payload = as_object(event_of(line).get("payload")) if '"token_count"' in line else {}
        total = as_object(as_object(payload.get("info")).get("total_token_usage"))
        if total:
            return as_count(total.get("total_tokens"))
    return 0
