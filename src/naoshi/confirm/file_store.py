"""A store of one file a conversation, durable and safe between processes on one machine."""

import fcntl
import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from naoshi.confirm.blank_files import BlankFiles, is_being_made
from naoshi.confirm.latest_reads import LatestReads
from naoshi.confirm.own_actions import with_own_actions
from naoshi.confirm.state_file import (
    HINT,
    SLOT,
    SUPERSEDED,
    StateFile,
    blank_file,
    first_file,
    mark_of,
    new_file,
    read_state_file,
    slot_of,
)
from naoshi.errors import StoreError
from naoshi.records.confirmation import ConversationState, Settlement
from naoshi.system.file_systems import syncs_new_names
from naoshi.system.files import sync_folder, write_all

_LOCKS = 64
_STRAY = "a power cut left it under this name; move it to another folder, and ask again what may have been asked in it"
_READ_SIZE = 1 << 16
_KEPT = ".json"
_NEXT = ".next"
_AS_WE_ARE = os.access in os.supports_effective_ids
# macOS has no fdatasync.
_sync_content = getattr(os, "fdatasync", os.fsync)


class FileStore:
    """Keeps each conversation in its own file below *folder*.

    A file's name is the SHA-256 of the conversation's identifier, so that any identifier is safe and no two meet.
    A change is one sync. It goes into the half of the file that is not in force (see `naoshi.confirm.state_file`),
    under a lock that the system lets go when its process dies. The first state goes into a blank file that is on the
    disk already (see `naoshi.confirm.blank_files`); opening the folder puts back in place what a power cut left under
    a blank file's name. A state that has no room is written to a file beside it that ends in ``.next``, synced with
    its name, and renamed over it. What is whole in a ``.next`` that a crash left is the new state, and whoever comes
    next puts it in place; what is not whole was never promised to anyone. So the old state is there or the new one.
    Each half carries a checksum, and a file that is damaged, cut short, or of another conversation raises
    `StoreError`.

    Args:
        folder: where the files live. It is made when it is not there.

    Raises:
        StoreError: the folder cannot be made, or what a power cut left in it cannot be put in place.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        self._root = str(self._folder)
        try:
            _make_locks(self._folder / ".locks")
        except OSError as error:
            raise _failed("make", self._folder, error) from error
        self._syncs_names = syncs_new_names(self._folder)
        self._latest = LatestReads()
        self._blanks = BlankFiles(self._folder / ".blank", content=blank_file(), syncs_names=self._syncs_names)
        for path in self._blanks.written():
            self._put_back(path)

    def path(self, conversation_id: str) -> Path:
        """Return the file of the conversation, whether it is there or not."""
        return Path(self._place(_digest(conversation_id)))

    def save(self, state: ConversationState, *, after: int | None = None) -> bool:
        """Keep *state* durably; see `ConfirmationStore.save`."""
        digest = _digest(state.conversation_id)
        with self._locked(digest):
            kept = self._current(digest)
            revision = kept.state.revision if kept else 0
            if after is not None and revision != after:
                return False
            if state.revision != revision + 1:
                state = state.changed(revision=revision + 1)
            self._write(digest, state, kept)
            return True

    def get(self, conversation_id: str) -> ConversationState | None:
        """Return the state, or None where nothing was ever kept.

        Raises:
            StoreError: the file or the folder cannot be read, is damaged, or belongs to something else.
        """
        digest = _digest(conversation_id)
        if os.access(self._next(digest), os.F_OK):
            with self._locked(digest):
                kept = self._current(digest)
        else:
            kept = self._kept_unlocked(digest)
        return with_own_actions(kept.state) if kept else None

    def clear(
        self,
        conversation_id: str,
        *,
        confirmation_id: str | None = None,
        settlement: Settlement | None = None,
    ) -> bool:
        """Take away the pending question; see `ConfirmationStore.clear`."""
        digest = _digest(conversation_id)
        with self._locked(digest):
            kept = self._current(digest)
            if kept is None or not kept.state.has_pending(confirmation_id):
                return False
            self._write(digest, kept.state.without_question(settlement), kept)
            return True

    def conversations(self) -> Iterator[ConversationState]:
        """Yield the state of every conversation, in no order.

        Raises:
            StoreError: a file or the folder cannot be read. Its name is in the message.
        """
        try:
            digests = {path.stem for path in self._folder.iterdir() if path.suffix in {_KEPT, _NEXT}}
        except OSError as error:
            raise _failed("read", self._folder, error) from error
        for digest in digests:
            with self._locked(digest):
                kept = self._current(digest)
            if kept is not None:
                yield with_own_actions(kept.state)

    def quarantine(self, conversation_id: str) -> Path | None:
        """Move the conversation's file aside, whatever is in it, and return where it is now; None if there was none.

        Raises:
            StoreError: it cannot be moved.
        """
        digest = _digest(conversation_id)
        aside = self._folder / f"{digest}.quarantine-{secrets.token_hex(6)}"
        with self._locked(digest):
            with suppress(StoreError):
                self._finish(digest)
            with suppress(FileNotFoundError):
                Path(self._next(digest)).rename(aside.with_name(f"{aside.name}{_NEXT}"))
            try:
                Path(self._place(digest)).rename(aside)
            except FileNotFoundError:
                return None
            sync_folder(self._folder)
        return aside

    def _place(self, digest: str) -> str:
        return f"{self._root}/{digest}{_KEPT}"

    def _next(self, digest: str) -> str:
        return f"{self._root}/{digest}{_NEXT}"

    def _current(self, digest: str) -> StateFile | None:
        """Return what is in place, what a crash left unfinished put in place first. The lock is held."""
        if os.access(self._next(digest), os.F_OK):
            self._finish(digest)
        return self._kept(digest)

    def _kept_unlocked(self, digest: str) -> StateFile | None:
        """Return what is in place, or was while somebody else was writing."""
        try:
            return self._kept(digest)
        except StoreError:
            # The halves may be of two moments, which then do not fit together.
            with self._locked(digest):
                return self._kept(digest)

    def _kept(self, digest: str) -> StateFile | None:
        """Return what is in place."""
        path = self._place(digest)
        try:
            data = _read_all(path)
        except FileNotFoundError as error:
            # Where the file is not there, the folder may be gone too, as with a disk that is not mounted.
            if not os.access(self._root, os.F_OK):
                raise _failed("read", self._folder, error) from error
            return None
        except OSError as error:
            raise _failed("read", path, error) from error
        kept = self._latest.read(data, path)
        if kept is not None and _digest(kept.state.conversation_id) != digest:
            raise StoreError(f"the state file {path} belongs to another conversation", hint=HINT)
        return kept

    def _locked(self, digest: str) -> "_Locked":
        # The state file itself is replaced by each write, so a lock on it would guard a file that is gone.
        return _Locked(self._root, f"{self._root}/.locks/{int(digest[:4], 16) % _LOCKS:02d}")

    def _write(self, digest: str, state: ConversationState, kept: StateFile | None) -> None:
        if not os.access(self._root, os.W_OK, effective_ids=_AS_WE_ARE):
            raise StoreError(f"cannot write in {self._root}: it is read-only")
        slot = slot_of(state, size=kept.size if kept else SLOT)
        if slot is None:
            self._write_file(digest, new_file(state))
        elif kept:
            self._write_slot(digest, slot, at=kept.place, mark=kept.mark)
        else:
            self._blanks.take(self._place(digest))
            if not self._syncs_names:
                sync_folder(self._folder)
            self._write_slot(digest, slot, at=0, mark=mark_of(1, size=SLOT))
            self._latest.remember(
                first_file(slot), self._place(digest), StateFile(state=with_own_actions(state), slot=0, size=SLOT)
            )

    def _write_slot(self, digest: str, slot: bytes, *, at: int, mark: int) -> None:
        """Write *slot* in place, synced, and then the *mark* that what was in force before it is superseded."""
        descriptor = os.open(self._place(digest), os.O_WRONLY | os.O_CLOEXEC)
        try:
            try:
                write_all(descriptor, slot, at=at)
                _sync_content(descriptor)
            except OSError:
                # Whoever asked is told that it failed; the state must then not be there at the next reading.
                with suppress(OSError):
                    os.pwrite(descriptor, b" ", at)
                raise
            os.pwrite(descriptor, SUPERSEDED, mark)
        finally:
            os.close(descriptor)

    def _write_file(self, digest: str, data: bytes) -> None:
        beside = self._next(digest)
        try:
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                write_all(descriptor, data)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            if not self._syncs_names:
                sync_folder(self._folder)
            os.replace(beside, self._place(digest))  # noqa: PTH105 - making paths takes longer than the rename
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise

    def _finish(self, digest: str) -> None:
        """Put in place what a crash left beside it, or take it away where it is not whole or not newer."""
        beside = Path(self._next(digest))
        try:
            data = beside.read_bytes()
        except FileNotFoundError:
            return
        state = _whole(data, str(beside))
        kept = self._kept(digest)
        if (
            state is None
            or _digest(state.conversation_id) != digest
            or (kept and kept.state.revision >= state.revision)
        ):
            beside.unlink()
            return
        self._move_in(beside, digest)

    def _put_back(self, path: Path) -> None:
        """Put in place what was written to a blank file whose move a power cut undid.

        Another process may have moved the file meanwhile; then all is well.
        """
        with suppress(FileNotFoundError):
            try:
                found = read_state_file(path.read_bytes(), str(path))
            except StoreError as error:
                if is_being_made(path.name):
                    return
                raise StoreError(str(error), hint=_STRAY) from error
            if found is None:
                path.unlink()
                return
            digest = _digest(found.state.conversation_id)
            with self._locked(digest):
                kept = self._current(digest)
                if kept and kept.state.revision >= found.state.revision:
                    path.unlink()
                else:
                    self._move_in(path, digest)

    def _move_in(self, path: Path, digest: str) -> None:
        with path.open("rb") as stream:
            os.fsync(stream.fileno())
        path.replace(self._place(digest))
        sync_folder(self._folder)


class _Locked:
    """Holds a lock among threads and processes; what the system refuses meanwhile becomes a `StoreError`."""

    def __init__(self, root: str, lock: str) -> None:
        self._root = root
        self._lock = lock
        self._descriptor = -1

    def __enter__(self) -> None:
        try:
            self._descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        except OSError as error:
            self._let_go()
            raise _failed("lock", self._lock, error) from error
        except BaseException:
            self._let_go()
            raise

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        self._let_go()
        if isinstance(error, OSError):
            raise _failed("write", self._root, error) from error

    def _let_go(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)


def _make_locks(folder: Path) -> None:
    """Make the folder of the locks, with all of them, so that no asker has to make one; what is there stays."""
    if folder.is_dir():
        return
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(_LOCKS):
        (folder / f"{number:02d}").touch(mode=0o600)


@lru_cache(maxsize=1024)
def _digest(conversation_id: str) -> str:
    return hashlib.sha256(conversation_id.encode("utf-8", "surrogatepass")).hexdigest()


def _failed(act: str, path: Path | str, error: OSError) -> StoreError:
    return StoreError(f"cannot {act} {path}: {error.strerror or error}")


def _read_all(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = os.read(descriptor, _READ_SIZE)
        while len(data) % _READ_SIZE == 0 and (part := os.read(descriptor, _READ_SIZE)):
            data += part
        return data
    finally:
        os.close(descriptor)


def _whole(data: bytes, path: str) -> ConversationState | None:
    try:
        found = read_state_file(data, path)
    except StoreError:
        return None
    return found.state if found else None
