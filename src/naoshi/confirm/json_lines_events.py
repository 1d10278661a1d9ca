"""A writer of events as JSON lines."""

import json
import os
from pathlib import Path

from naoshi.confirm.confirmation_event import ConfirmationEvent


class JsonLinesEvents:
    """Appends each event to a file as one line; give it to `Confirmations` as ``on_event``.

    Each line is one write to a file opened for appending, so that the lines of several processes never mix. It is
    not synced: the log tells what happened, and the store alone says what holds.

    Args:
        path: the file. Its folder is made when it is not there.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._path.parent.mkdir(parents=True, exist_ok=True)

    def __call__(self, event: ConfirmationEvent) -> None:
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
