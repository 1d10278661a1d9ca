"""A receipt as the OCR gives it: text lines with their places, read from a CSV file."""

import statistics
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_COORDINATES = 8
_SAME_ROW = 0.5
_LARGEST_FILE = 4_000_000


class DocumentError(Exception):
    """A document cannot be read; the message says why, in words for the person who sent it."""


@dataclass(frozen=True, kw_only=True)
class TextLine:
    """One piece of text. ``number`` is its 1-based line in the file; the edges are in the image's pixels."""

    number: int
    text: str
    left: int
    top: int
    right: int
    bottom: int

    @property
    def middle(self) -> float:
        """The height in the image of the line's middle, in pixels from the top."""
        return (self.top + self.bottom) / 2


@dataclass(frozen=True)
class Document:
    """The text lines of one receipt. ``path`` is relative to the data root."""

    path: str
    lines: tuple[TextLine, ...]

    @cached_property
    def rows(self) -> tuple[tuple[TextLine, ...], ...]:
        """The lines by visual row, from top to bottom, and in a row from left to right."""
        rows: list[list[TextLine]] = []
        for line in sorted(self.lines, key=lambda line: (line.middle, line.left, line.number)):
            if rows and _on_row(rows[-1], line):
                rows[-1].append(line)
            else:
                rows.append([line])
        return tuple(tuple(sorted(row, key=lambda line: (line.left, line.number))) for row in rows)

    @cached_property
    def reading_order(self) -> tuple[TextLine, ...]:
        """The lines as a person reads them: row by row."""
        return tuple(line for row in self.rows for line in row)

    @cached_property
    def usual_height(self) -> float:
        """The median height of a line, in pixels."""
        return statistics.median(line.bottom - line.top for line in self.lines)


def read_document(root: Path, path: str) -> Document:
    """Read the document at *path*, which must lie inside *root*.

    Raises:
        DocumentError: the path leads out of the root, there is no such file, it is empty, is not UTF-8, or
            has a line that is not eight whole numbers and a text.
    """
    try:
        place = _place(root, path)
        if place.stat().st_size > _LARGEST_FILE:
            raise DocumentError(f"the document {path!r} is larger than {_LARGEST_FILE} bytes")
        text = place.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DocumentError(f"the document {path!r} is not UTF-8: {error.reason}") from error
    except OSError as error:
        raise DocumentError(f"the document {path[:200]!r} cannot be read: {error.strerror}") from error
    return parse_document(path, text)


def parse_document(path: str, text: str) -> Document:
    """Read a document's CSV text: ``x1,y1,x2,y2,x3,y3,x4,y4,text`` on each line; the text may have commas.

    Raises:
        DocumentError: there is no line with text, or a line has another form.
    """
    lines: list[TextLine] = []
    for number, raw in enumerate(text.split("\n"), start=1):
        if raw.strip():
            lines.append(_parse_line(path, number, raw.rstrip("\r")))
    if not any(line.text for line in lines):
        raise DocumentError(f"the document {path!r} has no text")
    return Document(path, tuple(line for line in lines if line.text))


def _place(root: Path, path: str) -> Path:
    base = root.resolve()
    try:
        place = (base / path).resolve()
    except ValueError as error:
        raise DocumentError(f"{path[:200]!r} is no path: {error}") from error
    if not place.is_relative_to(base) or place == base:
        raise DocumentError(f"the path {path[:200]!r} leads out of the data root")
    if not place.is_file():
        raise DocumentError(f"there is no document {path[:200]!r}")
    return place


def _parse_line(path: str, number: int, raw: str) -> TextLine:
    parts = raw.split(",", _COORDINATES)
    if len(parts) <= _COORDINATES:
        raise DocumentError(f"line {number} of {path!r} has {len(parts)} columns instead of 9")
    try:
        edges = [int(part) for part in parts[:_COORDINATES]]
    except ValueError as error:
        raise DocumentError(f"line {number} of {path!r} has a coordinate that is no whole number") from error
    across, down = edges[0::2], edges[1::2]
    return TextLine(
        number=number,
        text=parts[_COORDINATES].strip(),
        left=min(across),
        top=min(down),
        right=max(across),
        bottom=max(down),
    )


def _on_row(row: list[TextLine], line: TextLine) -> bool:
    first = row[0]
    height = max(1, min(first.bottom - first.top, line.bottom - line.top))
    return line.middle - first.middle < height * _SAME_ROW
