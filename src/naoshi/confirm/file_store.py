"""A store of one file a conversation, durable and safe between processes on one machine."""

import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from naoshi.errors import StoreError
from naoshi.records.confirmation import ConversationState, Settlement
from naoshi.system.file_systems import syncs_new_names

_FORMAT = "naoshi.confirm/1"
_HINT = "nothing was changed; `FileStore.quarantine` moves the file aside, and then the question can be asked again"
_LOCKS = 64
_READ_SIZE = 1 << 16
_KEPT = ".json"
_NEXT = ".next"


class FileStore:
    """Keeps each conversation in its own file below *folder*.

    A file's name is the SHA-256 of the conversation's identifier, so that any identifier is safe and no two meet.
    A change is written to a file beside it that ends in ``.next``, synced with its name, and renamed over it, under
    a lock that the system lets go when its process dies. What is whole in a ``.next`` that a crash left is the new
    state, and whoever comes next puts it in place; what is not whole was never promised to anyone. So the old state
    is there or the new one, and no rename has to be waited for. Each file carries a checksum, and one that is
    damaged, cut short, or of another conversation raises `StoreError`.

    Args:
        folder: where the files live. It is made when it is not there.

    Raises:
        StoreError: the folder cannot be made.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)
        self._root = str(self._folder)
        try:
            (self._folder / ".locks").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _failed("make", self._folder, error) from error
        self._syncs_names = syncs_new_names(self._folder)

    def path(self, conversation_id: str) -> Path:
        """Return the file of the conversation, whether it is there or not."""
        return Path(self._place(_digest(conversation_id)))

    def save(self, state: ConversationState, *, after: int | None = None) -> bool:
        """Keep *state* durably; see `ConfirmationStore.save`."""
        digest = _digest(state.conversation_id)
        with self._locked(digest):
            kept = self._current(digest)
            revision = kept.revision if kept else 0
            if after is not None and revision != after:
                return False
            if state.revision != revision + 1:
                state = state.model_copy(update={"revision": revision + 1})
            self._write(digest, state)
            return True

    def get(self, conversation_id: str) -> ConversationState | None:
        """Return the state, or None where nothing was ever kept.

        Raises:
            StoreError: the file or the folder cannot be read, is damaged, or belongs to something else.
        """
        digest = _digest(conversation_id)
        if os.access(self._next(digest), os.F_OK):
            with self._locked(digest):
                return self._current(digest)
        return self._kept(digest)

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
            if kept is None or not kept.has_pending(confirmation_id):
                return False
            self._write(digest, kept.without_question(settlement))
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
                yield kept

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
            self._sync_folder()
        return aside

    def _place(self, digest: str) -> str:
        return f"{self._root}/{digest}{_KEPT}"

    def _next(self, digest: str) -> str:
        return f"{self._root}/{digest}{_NEXT}"

    def _current(self, digest: str) -> ConversationState | None:
        """Return the state, what a crash left unfinished put in place first. The lock is held."""
        if os.access(self._next(digest), os.F_OK):
            self._finish(digest)
        return self._kept(digest)

    def _kept(self, digest: str) -> ConversationState | None:
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
        state = _parse(data, path)
        if _digest(state.conversation_id) != digest:
            raise StoreError(f"the state file {path} belongs to another conversation", hint=_HINT)
        return state

    def _locked(self, digest: str) -> "_Locked":
        # The state file itself is replaced by each write, so a lock on it would guard a file that is gone.
        return _Locked(self._root, f"{self._root}/.locks/{int(digest[:4], 16) % _LOCKS:02d}")

    def _write(self, digest: str, state: ConversationState) -> None:
        beside = self._next(digest)
        try:
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                _write_all(descriptor, _format(state))
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            if not self._syncs_names:
                self._sync_folder()
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
        if state is None or _digest(state.conversation_id) != digest or (kept and kept.revision >= state.revision):
            beside.unlink()
            return
        with beside.open("rb") as stream:
            os.fsync(stream.fileno())
        beside.replace(self._place(digest))
        self._sync_folder()

    def _sync_folder(self) -> None:
        descriptor = os.open(self._root, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


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


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _format(state: ConversationState) -> bytes:
    """Return a line that names the format and the checksum, and a line with the state as JSON."""
    try:
        body = state.model_dump_json().encode()
    except PydanticSerializationError:
        # Half a surrogate pair has no UTF-8; as an escape in ASCII it keeps.
        body = json.dumps(state.model_dump(mode="json"), separators=(",", ":")).encode("ascii")
    return f'{{"format":"{_FORMAT}","sha256":"{hashlib.sha256(body).hexdigest()}"}}\n'.encode() + body + b"\n"


@lru_cache(maxsize=256)
def _parse(data: bytes, path: str) -> ConversationState:
    """Return the state in the file's bytes. Each is read twice in a turn, hence the cache."""
    first, _, body = data.partition(b"\n")
    try:
        head: Any = json.loads(first)
        if not isinstance(head, dict) or set(head) != {"format", "sha256"}:  # pyright: ignore[reportUnknownArgumentType]
            raise StoreError(f"the file {path} was not written by Naoshi", hint=_HINT)
        if head["format"] != _FORMAT:
            raise StoreError(f"the state file {path} has the format {head['format']!r}", hint=_HINT)
        if not body.endswith(b"\n") or hashlib.sha256(body[:-1]).hexdigest() != head["sha256"]:
            raise StoreError(f"the state file {path} is damaged", hint=_HINT)
        return _state(body)
    except (ValidationError, ValueError, RecursionError) as error:
        raise StoreError(f"the state file {path} cannot be read: {_first_line(error)}", hint=_HINT) from error


def _whole(data: bytes, path: str) -> ConversationState | None:
    try:
        return _parse(data, path)
    except StoreError:
        return None


def _state(body: bytes) -> ConversationState:
    try:
        return ConversationState.model_validate_json(body)
    except ValidationError:
        # The quick reader does not take half a surrogate pair; what the other one refuses too is damaged.
        return ConversationState.model_validate(json.loads(body))


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
