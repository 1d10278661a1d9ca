"""Events as JSON lines: a writer, and readers that no bad line ends."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from naoshi.confirm.action_event import ActionEvent
from naoshi.confirm.confirmation_event import ConfirmationEvent
from naoshi.errors import InputError, MissingPathError
from naoshi.records.base import Record
from naoshi.records.confirmation import Turn

R = TypeVar("R", bound=Record)


class JsonLinesEvents:
    """Appends each event to a file as one line; give it to `Confirmations` as ``on_event``.

    Give one of its own to `Confirmations` as ``on_turn``, or to `Guard` as ``on_action``, to keep what `mine_rows` and
    `what_if` read. Those hold what people typed and what tools were called with.

    Each line is one write to a file opened for appending, so that the lines of several processes never mix. It is
    not synced: the log tells what happened, and the store alone says what holds.

    Args:
        path: the file. Its folder is made when it is not there.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._path.parent.mkdir(parents=True, exist_ok=True)

    def __call__(self, event: Record) -> None:
        """Append *event*.

        Raises:
            OSError: the file cannot be written.
        """
        line = json.dumps(event.model_dump(mode="json", exclude_defaults=True)) + "\n"
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            os.write(descriptor, line.encode("ascii"))
        finally:
            os.close(descriptor)


def read_events(path: str | os.PathLike[str]) -> tuple[Sequence[ConfirmationEvent], Sequence[int]]:
    """Return the events in the file, and the 1-based numbers of the lines that hold none.

    Raises:
        MissingPathError: there is no such file.
        InputError: it cannot be read.
    """
    return _read(path, ConfirmationEvent)


def read_actions(path: str | os.PathLike[str]) -> tuple[Sequence[ActionEvent], Sequence[int]]:
    """Return the guard's events in the file, and the 1-based numbers of the lines that hold none.

    Raises:
        MissingPathError: there is no such file.
        InputError: it cannot be read.
    """
    return _read(path, ActionEvent)


def read_turns(path: str | os.PathLike[str]) -> tuple[Sequence[Turn], Sequence[int]]:
    """Return the turns in the file, and the 1-based numbers of the lines that hold none.

    Raises:
        MissingPathError: there is no such file.
        InputError: it cannot be read.
    """
    return _read(path, Turn)


def _read(path: str | os.PathLike[str], kind: type[R]) -> tuple[Sequence[R], Sequence[int]]:
    try:
        lines = Path(path).read_bytes().split(b"\n")
    except FileNotFoundError as error:
        raise MissingPathError(f"there is no file {path}") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    found: list[R] = []
    unread: list[int] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found.append(kind.model_validate(json.loads(line)))
        except (ValidationError, ValueError, RecursionError):
            unread.append(number)
    return found, unread
