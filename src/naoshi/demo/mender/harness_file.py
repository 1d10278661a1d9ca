"""Reading and writing the harness as files: one rule a line, in an order that depends on the rules alone."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

from naoshi.demo.agent.receipts_agent.harness import FILES, HarnessError
from naoshi.system.files import write_durably

_KEY_ORDER: Final = ("name", "where", "text", "pattern", "identify", "company", "address", "score", "support")

HarnessFiles = dict[str, Any]


def read_files(folder: Path) -> HarnessFiles:
    """Return the decoded content of each file of the harness in *folder*.

    Raises:
        HarnessError: a file is missing or is not JSON.
    """
    found: HarnessFiles = {}
    for name in FILES:
        try:
            found[name] = json.loads((folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise HarnessError(f"{name}: {error}") from error
    return found


def write_files(folder: Path, files: HarnessFiles) -> list[str]:
    """Write the files whose content differs from what stands in *folder*; return their names."""
    changed: list[str] = []
    for name, content in sorted(files.items()):
        text = file_text(content)
        path = folder / name
        if path.read_text(encoding="utf-8") != text:
            write_durably(path, text)
            changed.append(name)
    return changed


def file_text(content: Any) -> str:
    """Return *content* as JSON in which each rule (an object without objects in it) is one line."""
    return _text(content, 0) + "\n"


def _text(value: Any, depth: int) -> str:
    pad = "  " * (depth + 1)
    if isinstance(value, dict):
        entries = cast("dict[str, Any]", value)
        nested = any(isinstance(part, dict | list) for part in entries.values())
        if not entries or "identify" in entries or (depth and not nested):
            return _line(entries)
        parts = [
            f"{pad}{json.dumps(key, ensure_ascii=False)}: {_text(part, depth + 1)}" for key, part in entries.items()
        ]
        return "{\n" + ",\n".join(parts) + "\n" + "  " * depth + "}"
    if isinstance(value, list) and value:
        rows = [pad + _text(part, depth + 1) for part in cast("list[Any]", value)]
        return "[\n" + ",\n".join(rows) + "\n" + "  " * depth + "]"
    return json.dumps(value, ensure_ascii=False)


def _line(entries: Mapping[str, Any]) -> str:
    known = [key for key in _KEY_ORDER if key in entries]
    ordered = [*known, *(key for key in entries if key not in _KEY_ORDER)]
    return json.dumps({key: entries[key] for key in ordered}, ensure_ascii=False)
