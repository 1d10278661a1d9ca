"""Appending to a trace file that other processes append to at the same time."""

import fcntl
import os
import stat
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from naoshi.errors import StoreError


class TraceFileWriter:
    """Appends whole lines to the file at *path*, which is made at once so that a wrong path shows before the run.

    Raises:
        StoreError: the file cannot be made or written, or is something other than a file.
    """

    def __init__(self, *, path: Path) -> None:
        self._path = path
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
        self.append([], durable=False)

    def append(self, lines: Sequence[str], *, durable: bool) -> None:
        """Add *lines* in one piece, or none of them; *durable* waits until the disk has them.

        Raises:
            StoreError: the disk or the rights do not allow it; the file is as it was.
        """
        data = "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace")
        with self._explained():
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                _append(descriptor, data, durable=durable)
            finally:
                os.close(descriptor)

    @contextmanager
    def _explained(self) -> Generator[None]:
        try:
            yield
        except OSError as error:
            raise StoreError(
                f"cannot write the trace file {self._path}: {error.strerror or error}",
                hint="check the path (NAOSHI_TRACE_FILE), the disk and the rights",
            ) from error


def _append(descriptor: int, data: bytes, *, durable: bool) -> None:
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode):
        raise OSError("it is not a file")
    if not data:
        return
    if found.st_size and os.pread(descriptor, 1, found.st_size - 1) != b"\n":
        # A process was killed while it wrote: its torn line must not swallow ours.
        data = b"\n" + data
    try:
        written = 0
        while written < len(data):
            written += os.write(descriptor, data[written:])
    except OSError:
        os.ftruncate(descriptor, found.st_size)
        raise
    if durable:
        os.fsync(descriptor)
