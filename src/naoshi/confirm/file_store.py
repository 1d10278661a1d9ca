"""A store of one file a conversation, durable and safe between processes on one machine."""

import errno
import fcntl
import hashlib
import json
import os
import secrets
import time
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from naoshi.errors import StoreError
from naoshi.records.confirmation import ConversationState, Settlement

_FORMAT = "naoshi.confirm/1"
_HINT = "nothing was changed; `FileStore.quarantine` moves the file aside, and then the question can be asked again"
_PLAIN = {"format", "sha256"}
_SLOT = {*_PLAIN, "slot", "revision"}
# One page: the system copies and writes it back whole, so that a kill cannot cut a slot in two.
_ROOM = 4096
_LOCKS = 64
_ABANDONED_AFTER = 3600.0
_READ_SIZE = 1 << 16
# macOS has no fdatasync.
_sync = getattr(os, "fdatasync", os.fsync)


class FileStore:
    """Keeps each conversation in its own file below *folder*.

    A file's name is the SHA-256 of the conversation's identifier, so that any identifier is safe and no two meet.
    A file has two slots of one page, each with its number, the state's revision and a checksum, under a lock that
    the system lets go when its process dies. A change overwrites the slot of the older state and is synced: after a
    crash of the process the old state is there or the new one. The first state of a conversation, and one that is
    too long for a slot, is written beside the file, synced, and renamed over it, and the folder is synced.

    A file that is damaged in either slot, cut short, or of another conversation raises `StoreError`; the older state
    never stands in for a newer one that cannot be read. So does a slot that a power cut caught half written, on a
    disk that does not write a page whole.

    Args:
        folder: where the files live. It is made when it is not there.

    Raises:
        StoreError: the folder cannot be made.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        self._root = str(self._folder)
        try:
            for name in (".locks", ".parts"):
                (self._folder / name).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _failed("make", self._folder, error) from error
        self._sweep()

    def path(self, conversation_id: str) -> Path:
        """Return the file of the conversation, whether it is there or not."""
        return self._folder / f"{_digest(conversation_id)}.json"

    def save(self, state: ConversationState, *, after: int | None = None) -> bool:
        """Keep *state* durably; see `ConfirmationStore.save`."""
        with self._locked(_digest(state.conversation_id)):
            kept = self._kept(state.conversation_id)
            revision = kept.state.revision if kept else 0
            if after is not None and revision != after:
                return False
            self._write(state.model_copy(update={"revision": revision + 1}), kept)
            return True

    def get(self, conversation_id: str) -> ConversationState | None:
        """Return the state, or None where nothing was ever kept.

        Raises:
            StoreError: the file or the folder cannot be read, is damaged, or belongs to something else.
        """
        try:
            kept = self._kept(conversation_id)
        except _DamagedSlotsError:
            # A slot that is being written can look damaged to who reads without the lock.
            with self._locked(_digest(conversation_id)):
                kept = self._kept(conversation_id)
        return kept.state if kept else None

    def clear(
        self,
        conversation_id: str,
        *,
        confirmation_id: str | None = None,
        settlement: Settlement | None = None,
    ) -> bool:
        """Take away the pending question; see `ConfirmationStore.clear`."""
        with self._locked(_digest(conversation_id)):
            kept = self._kept(conversation_id)
            if kept is None or not kept.state.has_pending(confirmation_id):
                return False
            self._write(kept.state.without_question(settlement), kept)
            return True

    def conversations(self) -> Iterator[ConversationState]:
        """Yield the state of every conversation, in no order.

        Raises:
            StoreError: a file cannot be read. Its name is in the message.
        """
        for path in self._folder.glob("*.json"):
            try:
                kept = _read(str(path))
            except _DamagedSlotsError:
                with self._locked(path.stem):
                    kept = _read(str(path))
            except OSError as error:
                raise _failed("read", path, error) from error
            yield kept.state

    def quarantine(self, conversation_id: str) -> Path | None:
        """Move the conversation's file aside, whatever is in it, and return where it is now; None if there was none.

        Raises:
            StoreError: it cannot be moved.
        """
        path = self.path(conversation_id)
        aside = path.with_name(f"{path.stem}.quarantine-{secrets.token_hex(6)}")
        with self._locked(_digest(conversation_id)):
            try:
                path.rename(aside)
            except FileNotFoundError:
                return None
            self._sync_folder()
        return aside

    def _sweep(self) -> None:
        """Remove the unfinished files that killed processes left behind."""
        before = time.time() - _ABANDONED_AFTER
        for part in (self._folder / ".parts").iterdir():
            with suppress(OSError):
                if part.stat().st_mtime < before:
                    part.unlink()

    @contextmanager
    def _locked(self, stem: str) -> Generator[None]:
        # The state file itself can be replaced by a write, so a lock on it would guard a file that is gone.
        lock = f"{self._root}/.locks/{zlib.crc32(os.fsencode(stem)) % _LOCKS:02d}"
        try:
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise _failed("lock", lock, error) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        except OSError as error:
            raise _failed("write", self._folder, error) from error
        finally:
            os.close(descriptor)

    def _kept(self, conversation_id: str) -> "_Kept | None":
        path = f"{self._root}/{_digest(conversation_id)}.json"
        try:
            kept = _read(path)
        except FileNotFoundError as error:
            if not self._folder.is_dir():
                raise _failed("read", self._folder, error) from error
            return None
        except OSError as error:
            raise _failed("read", path, error) from error
        if kept.state.conversation_id != conversation_id:
            raise StoreError(f"the state file {path} belongs to another conversation", hint=_HINT)
        return kept

    def _write(self, state: ConversationState, kept: "_Kept | None") -> None:
        path = f"{self._root}/{_digest(state.conversation_id)}.json"
        body = _body(state)
        if kept is not None and kept.older is not None:
            record = _slot(body, kept.older, state.revision)
            if record is not None:
                self._overwrite(path, kept.older, record)
                return
        first = _slot(body, 0, state.revision)
        self._replace(path, _line(body) if first is None else first + _BEFORE_THE_FIRST)

    def _overwrite(self, path: str, slot: int, record: bytes) -> None:
        if not os.access(self._root, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            before = os.pread(descriptor, _ROOM, slot * _ROOM)
            written = os.pwrite(descriptor, record, slot * _ROOM)
            if written != _ROOM:
                os.pwrite(descriptor, before[:written], slot * _ROOM)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            _sync(descriptor)
        finally:
            os.close(descriptor)

    def _replace(self, path: str, data: bytes) -> None:
        beside = f"{self._root}/.parts/{secrets.token_hex(16)}"
        try:
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                _write_all(descriptor, data)
                _sync(descriptor)
            finally:
                os.close(descriptor)
            os.replace(beside, path)  # noqa: PTH105 - a Path takes longer to make than the file to rename
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
        self._sync_folder()

    def _sync_folder(self) -> None:
        descriptor = os.open(self._root, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


class _Kept(NamedTuple):
    """A state that was read, and the slot with the one before it; None where the file has no slots."""

    state: ConversationState
    older: int | None


class _DamagedSlotsError(StoreError):
    """A file of the length of two slots cannot be read, perhaps because it is being written."""


@lru_cache(maxsize=1024)
def _digest(conversation_id: str) -> str:
    return hashlib.sha256(conversation_id.encode("utf-8", "surrogatepass")).hexdigest()


def _failed(act: str, path: Path | str, error: OSError) -> StoreError:
    return StoreError(f"cannot {act} {path}: {error.strerror or error}")


def _read_all(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts: list[bytes] = []
        while part := os.read(descriptor, _READ_SIZE):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(descriptor)


def _read(path: str) -> _Kept:
    data = _read_all(path)
    try:
        return _parse(data, path)
    except StoreError as error:
        if len(data) == 2 * _ROOM:
            raise _DamagedSlotsError(str(error), hint=_HINT) from error
        raise


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _body(state: ConversationState) -> bytes:
    try:
        return state.model_dump_json().encode()
    except PydanticSerializationError:
        # Half a surrogate pair has no UTF-8; as an escape in ASCII it keeps.
        return json.dumps(state.model_dump(mode="json"), separators=(",", ":")).encode("ascii")


def _line(body: bytes) -> bytes:
    """Return a line that names the format and the checksum, and a line with the state as JSON."""
    return f'{{"format":"{_FORMAT}","sha256":"{hashlib.sha256(body).hexdigest()}"}}\n'.encode() + body + b"\n"


def _slot(body: bytes, slot: int, revision: int) -> bytes | None:
    """Return the same two lines for a slot, filled up with spaces; None where they do not fit."""
    seal = hashlib.sha256(b"%d %d\n" % (slot, revision) + body).hexdigest()
    head = f'{{"format":"{_FORMAT}","sha256":"{seal}","slot":{slot},"revision":{revision}}}\n'
    record = head.encode() + body + b"\n"
    return record.ljust(_ROOM) if len(record) <= _ROOM else None


# What the second slot holds until there is a second state. It is never blank, so that a blank one is damage.
_BEFORE_THE_FIRST = _slot(b"null", 1, 0) or b""


@lru_cache(maxsize=256)
def _parse(data: bytes, path: str) -> _Kept:
    """Return the state in the file's bytes. Each is read twice in a turn, hence the cache."""
    try:
        if len(data) == 2 * _ROOM and b'"slot":' in data[:_ROOM].partition(b"\n")[0]:
            return _newer(data, path)
        head = _head(data, path)
        body = data.partition(b"\n")[2]
        if set(head) != _PLAIN or not body.endswith(b"\n"):
            raise StoreError(f"the state file {path} is damaged", hint=_HINT)
        if hashlib.sha256(body[:-1]).hexdigest() != head["sha256"]:
            raise StoreError(f"the state file {path} is damaged", hint=_HINT)
        return _Kept(_state(body), None)
    except (ValidationError, ValueError, RecursionError) as error:
        raise StoreError(f"the state file {path} cannot be read: {_first_line(error)}", hint=_HINT) from error


def _head(data: bytes, path: str) -> dict[str, Any]:
    head: Any = json.loads(data.partition(b"\n")[0])
    if not isinstance(head, dict) or set(head) not in (_PLAIN, _SLOT):  # pyright: ignore[reportUnknownArgumentType]
        raise StoreError(f"the file {path} was not written by Naoshi", hint=_HINT)
    if head["format"] != _FORMAT:
        raise StoreError(f"the state file {path} has the format {head['format']!r}", hint=_HINT)
    return head  # pyright: ignore[reportUnknownVariableType]


def _newer(data: bytes, path: str) -> _Kept:
    """Return the newer of the two states. Both slots must hold what was written, one just before the other."""
    held = [_in_slot(data[slot * _ROOM : (slot + 1) * _ROOM], slot, path) for slot in (0, 1)]
    newer = 0 if held[0][0] > held[1][0] else 1
    (revision, body), (before, _) = held[newer], held[1 - newer]
    if before != revision - 1 and (newer, before) != (0, 0):
        raise StoreError(f"the state file {path} is damaged", hint=_HINT)
    state = _state(body)
    if state.revision != revision:
        raise StoreError(f"the state file {path} is damaged", hint=_HINT)
    return _Kept(state, 1 - newer)


def _in_slot(record: bytes, slot: int, path: str) -> tuple[int, bytes]:
    """Return the revision and the state's JSON in the slot."""
    head = _head(record, path)
    body = record.partition(b"\n")[2].partition(b"\n")[0]
    revision = head.get("revision")
    if not isinstance(revision, int) or record != _slot(body, slot, revision):
        raise StoreError(f"the state file {path} is damaged", hint=_HINT)
    return revision, body


def _state(body: bytes) -> ConversationState:
    try:
        return ConversationState.model_validate_json(body)
    except ValidationError:
        # The quick reader does not take half a surrogate pair; what the other one refuses too is damaged.
        return ConversationState.model_validate(json.loads(body))


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
