"""Files that are on the disk before anybody needs them, so that the first state of a conversation is one quick sync.

To make a file durable takes a commit of the file system's journal, which waits for whatever else is written on the
machine. What is written in place into a file that is there already waits for its own content alone.
"""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from naoshi.errors import StoreError
from naoshi.system.files import sync_folder, write_all

_BATCH = 8
_MAKING = "making-"
_LOCK = "lock"


class BlankFiles:
    """Hands out files that all hold *content* and are durable, made eight at a time.

    They are shared by all processes: whoever moves one to its place first has it. A power cut may undo that move, but
    not what was written since; `written` finds such files.

    Args:
        folder: where they lie until they are taken. It is made when the first ones are.
        content: what each of them holds.
        syncs_names: whether the sync of a new file makes its name durable too.
    """

    def __init__(self, folder: Path, *, content: bytes, syncs_names: bool) -> None:
        self._folder = folder
        self._content = content
        self._syncs_names = syncs_names
        self._names: list[str] = []

    def take(self, place: str) -> None:
        """Move one of the files to *place*, over what may be there. The move itself is not synced.

        Raises:
            OSError: the disk or the rights do not allow it.
        """
        while True:
            try:
                name = self._names.pop()
            except IndexError:
                self._names = self._there() or self._made()
                continue
            with suppress(FileNotFoundError):
                os.rename(f"{self._folder}/{name}", place)  # noqa: PTH104 - making paths takes longer than the rename
                return

    def written(self) -> Iterator[Path]:
        """Yield the files that hold something else: what was taken and written to before the power went.

        Raises:
            StoreError: one cannot be read.
        """
        try:
            for name in os.listdir(self._folder):  # noqa: PTH208 - a store is opened by every call of a command
                path = self._folder / name
                with suppress(FileNotFoundError):
                    if name != _LOCK and not self._content.startswith(path.read_bytes()):
                        yield path
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"cannot read {self._folder}: {error.strerror or error}") from error

    def _there(self) -> list[str]:
        try:
            names = os.listdir(self._folder)  # noqa: PTH208
        except FileNotFoundError:
            return []
        return [name for name in names if name != _LOCK and not is_being_made(name) and self._is_ours(name)]

    def _is_ours(self, name: str) -> bool:
        """Return whether the file is as we made it, as far as that is seen from outside, and ours to write to."""
        try:
            found = (self._folder / name).stat()
        except FileNotFoundError:
            return False
        return found.st_size == len(self._content) and found.st_uid == os.geteuid()

    def _made(self) -> list[str]:
        self._folder.mkdir(exist_ok=True)
        descriptor = os.open(self._folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            # Whoever held the lock meanwhile made enough for all.
            return self._there() or self._make()
        finally:
            os.close(descriptor)

    def _make(self) -> list[str]:
        # What a maker left that was killed; with the lock held, nobody is making any.
        for left in self._folder.glob(f"{_MAKING}*"):
            left.unlink()
        names = [secrets.token_hex(8) for _ in range(_BATCH)]
        opened: list[int] = []
        try:
            for name in names:
                path = self._folder / f"{_MAKING}{name}"
                opened.append(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
                write_all(opened[-1], self._content)
            for descriptor in opened:
                _begin_writing(descriptor)
            for descriptor in opened:
                os.fsync(descriptor)
        finally:
            for descriptor in opened:
                os.close(descriptor)
        for name in names:
            (self._folder / f"{_MAKING}{name}").rename(self._folder / name)
        if not self._syncs_names:
            sync_folder(self._folder)
        return names


def is_being_made(name: str) -> bool:
    """Return whether a file of this name is not made yet, as far as the disk knows.

    What was written to one later is whole, for that was synced. All else in it is of a maker that was cut off, which
    the next one clears away.
    """
    return name.startswith(_MAKING)


def _begin_writing(descriptor: int) -> None:
    """Have the system start to write the file out, so that the syncs of several wait for one commit of the journal."""
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
