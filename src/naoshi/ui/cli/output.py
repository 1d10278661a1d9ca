"""What a command prints: text for people, or one JSON document for programs."""

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from pydantic import BaseModel


@dataclass(frozen=True, kw_only=True)
class Output:
    """Where a command prints. With ``as_json`` one JSON document goes to stdout and people's text to stderr."""

    as_json: bool

    @property
    def people(self) -> TextIO:
        """The stream that people's text goes to."""
        return sys.stderr if self.as_json else sys.stdout

    def say(self, *lines: str) -> None:
        """Print *lines* for people, control characters of hostile values made visible."""
        for line in lines:
            print(visible(line), file=self.people, flush=True)

    def progress(self, line: str) -> None:
        """Print one line about work under way, always on stderr."""
        print(visible(line), file=sys.stderr, flush=True)

    def table(self, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Print a table with columns aligned as a terminal shows them (wide characters count two)."""
        from rich.cells import cell_len  # rich is slow to load, and `--help` needs none of it

        cells = [list(head), *([visible(str(value)) for value in row] for row in rows)]
        widths = [max(cell_len(row[column]) for row in cells) for column in range(len(head))]
        for row in cells:
            padded = (text + " " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True))
            print("  ".join(padded).rstrip(), file=self.people)

    def result(self, document: Any) -> None:
        """Print *document* (records allowed) as the one JSON document, if that was asked for."""
        if self.as_json:
            print(json.dumps(_plain(document), ensure_ascii=False, indent=2))


def visible(text: str) -> str:
    """Return *text* with control characters (line breaks, tabs and wide spaces aside) written as escapes."""
    return "".join(
        mark if mark in "\n\t\u3000" or mark.isprintable() else mark.encode("unicode_escape").decode() for mark in text
    )


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value
