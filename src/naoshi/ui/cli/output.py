"""What a command prints: text for people, or one JSON document for programs."""

import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from typing import Any, TextIO, cast

_CLEAR_LINE = "\r\x1b[2K"


@dataclass(kw_only=True)
class Output:
    """Where a command prints. With ``as_json`` one JSON document goes to stdout and people's text to stderr."""

    as_json: bool
    _passing: bool = field(default=False, init=False)

    @property
    def people(self) -> TextIO:
        """The stream that people's text goes to."""
        return sys.stderr if self.as_json else sys.stdout

    @property
    def colour(self) -> bool:
        """Whether people's text may be coloured: on a terminal, unless NO_COLOR is set."""
        return self.people.isatty() and not os.environ.get("NO_COLOR")

    def say(self, *lines: str, raw: bool = False) -> None:
        """Print *lines* for people, control characters of hostile values made visible unless they are our own."""
        self.clear()
        for line in lines:
            print(line if raw else visible(line), file=self.people, flush=True)

    def progress(self, line: str) -> None:
        """Print one line about work under way, always on stderr."""
        self.clear()
        print(visible(line), file=sys.stderr, flush=True)

    def passing(self, line: str) -> None:
        """Show *line* in place of the last passing line, on a terminal only; the next print wipes it away."""
        if not sys.stderr.isatty():
            return
        shown = _cut(" ".join(visible(line).split()), shutil.get_terminal_size().columns - 1)
        sys.stderr.write(f"{_CLEAR_LINE}{shown}")
        sys.stderr.flush()
        self._passing = True

    def passing_or_line(self, line: str) -> None:
        """Show *line* as a passing line on a terminal, and print it as a line of its own elsewhere."""
        if sys.stderr.isatty():
            self.passing(line)
        else:
            self.progress(line)

    def clear(self) -> None:
        """Wipe a passing line away."""
        if self._passing:
            sys.stderr.write(_CLEAR_LINE)
            sys.stderr.flush()
            self._passing = False

    def table(self, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Print a table with columns aligned as a terminal shows them (wide characters count two)."""
        cells = [list(head), *([visible(one_line(str(value))) for value in row] for row in rows)]
        widths = [max(cell_width(row[column]) for row in cells) for column in range(len(head))]
        for row in cells:
            padded = (text + " " * (width - cell_width(text)) for text, width in zip(row, widths, strict=True))
            self.say("  ".join(padded).rstrip())

    def result(self, document: Any) -> None:
        """Print *document* (records and data classes allowed) as the one JSON document, if that was asked for."""
        self.clear()
        if self.as_json:
            text = json.dumps(_plain(document), ensure_ascii=False, indent=2)
            # A lone surrogate, which no UTF-8 can hold, becomes its escape, which JSON reads back.
            print(text.encode("utf-8", "backslashreplace").decode("utf-8"), flush=True)


def visible(text: str) -> str:
    """Return *text* with control characters (line breaks, tabs and wide spaces aside) written as escapes."""
    return "".join(
        mark if mark in "\n\t\u3000" or mark.isprintable() else mark.encode("unicode_escape").decode() for mark in text
    )


def one_line(text: str, *, most: int = 160) -> str:
    """Return *text* on one line, cut to *most* characters."""
    joined = " ".join(text.split())
    return joined if len(joined) <= most else f"{joined[: most - 1]}…"


def counted(number: int, one: str, many: str = "") -> str:
    """Return *number* with its noun, as in ``1 case`` and ``2 cases``."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def cell_width(text: str) -> int:
    """Return how many columns of a terminal *text* takes."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len  # rich is slow to load, and most text needs none of it

    return cell_len(text)


def _cut(text: str, width: int) -> str:
    while text and cell_width(text) > width:
        text = text[: max(0, len(text) - max(1, (cell_width(text) - width) // 2))]
    return text


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("Sequence[Any]", value)]
    return value
