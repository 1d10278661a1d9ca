"""What stands in the file of one conversation: two slots of one size, each with a state, written in turn.

A change goes into the slot that is not in force and touches no byte of the other, so that a write that a crash cut
short leaves the state before it whole. Once the change is synced, the slot before it is marked as superseded. A slot
that cannot be read is therefore an unfinished write where the other one is not superseded, and damage where it is.

A slot is a line that names the format, the revision and the checksum, a line with the state as JSON, blanks, the mark,
and the end of a line. One that was never written is blank. The first state goes into the first slot of a file that is
blank as a whole; until the second slot is marked, that state was promised to nobody.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from naoshi.errors import StoreError
from naoshi.records.confirmation import ConversationState

FORMAT: Final = "naoshi.confirm/1"
SUPERSEDED: Final = b"x"
SLOT: Final = 4096
"""The size of a slot in bytes, unless the state needs a larger one."""
HINT: Final = (
    "nothing was changed; `FileStore.quarantine` moves the file aside, and then the question can be asked again"
)
_CURRENT: Final = b"."
_TAIL: Final = 2


@dataclass(frozen=True, kw_only=True)
class StateFile:
    """A conversation's file as read: the state in force, the slot that holds it (0 or 1), a slot's size in bytes."""

    state: ConversationState
    slot: int
    size: int

    @property
    def place(self) -> int:
        """Where the slot for the next state begins, in bytes."""
        return self.size if self.slot == 0 else 0

    @property
    def mark(self) -> int:
        """Where the mark of the slot in force stands, in bytes."""
        return mark_of(self.slot, size=self.size)


def slot_of(state: ConversationState, *, size: int) -> bytes | None:
    """Return a slot of *size* bytes that holds *state*, or None where it does not fit."""
    text = _text(state)
    blanks = size - len(text) - _TAIL
    return None if blanks < 0 else text + b" " * blanks + _CURRENT + b"\n"


def new_file(state: ConversationState) -> bytes:
    """Return a whole file with *state* in its first slot, and room for it to grow."""
    text = _text(state)
    size = SLOT
    while size < len(text) + len(text) // 2 + _TAIL:
        size *= 2
    return first_file(text + b" " * (size - len(text) - _TAIL) + _CURRENT + b"\n")


def first_file(slot: bytes) -> bytes:
    """Return a whole file with a state, as *slot*, in its first slot alone."""
    return slot + _unused(len(slot))


def blank_file() -> bytes:
    """Return a whole file in which nothing was ever written."""
    return _blank(SLOT) * 2


def mark_of(slot: int, *, size: int) -> int:
    """Return where the mark of *slot* (0 or 1) stands, in bytes, where each slot has *size* bytes."""
    return slot * size + size - _TAIL


def read_state_file(data: bytes, path: str) -> StateFile | None:
    """Return what the bytes of the file *path* say, or None where no state was ever promised to be in it.

    Raises:
        StoreError: they are damaged, cut short, or something else than a state file.
    """
    size = len(data) // 2
    if len(data) != 2 * size or size < SLOT or size % SLOT:
        what = "is damaged" if data.startswith(f'{{"format":"{FORMAT}"'.encode()) else "was not written by Naoshi"
        raise StoreError(f"the file {path} {what}: it has {len(data)} bytes", hint=HINT)
    slots = [data[:size], data[size:]]
    heads = [_head(slot, path) for slot in slots]
    newest, other = (0, 1) if heads[0][0] >= heads[1][0] else (1, 0)
    if not _is_whole(slots[newest], heads[newest]):
        newest, other = other, newest
    if not _is_whole(slots[newest], heads[newest]):
        if slots[1] == _blank(size):
            return None
        raise StoreError(f"the state file {path} is damaged", hint=HINT)
    if slots[newest][-_TAIL:-1] == SUPERSEDED:
        raise StoreError(f"the state file {path} is damaged: its latest state cannot be read", hint=HINT)
    return StateFile(state=_state(slots[newest], path), slot=newest, size=size)


def _text(state: ConversationState) -> bytes:
    try:
        body = state.model_dump_json().encode()
    except PydanticSerializationError:
        # Half a surrogate pair has no UTF-8; as an escape in ASCII it keeps.
        body = json.dumps(state.model_dump(mode="json"), separators=(",", ":")).encode("ascii")
    checksum = _checksum(state.revision, body)
    head = f'{{"format":"{FORMAT}","revision":{state.revision},"sha256":"{checksum}"}}\n'
    return head.encode() + body + b"\n"


def _checksum(revision: int, body: bytes) -> str:
    return hashlib.sha256(b"%d\n%s" % (revision, body)).hexdigest()


@lru_cache(maxsize=4)
def _blank(size: int) -> bytes:
    return b" " * (size - 1) + b"\n"


@lru_cache(maxsize=4)
def _unused(size: int) -> bytes:
    return b" " * (size - _TAIL) + SUPERSEDED + b"\n"


def _head(slot: bytes, path: str) -> tuple[int, str]:
    """Return the revision and the checksum that *slot* claims to have; of one that claims nothing, -1."""
    if not slot.startswith(b"{"):
        return -1, ""
    try:
        head: Any = json.loads(slot[: slot.find(b"\n") + 1])
        told, revision, checksum = head["format"], head["revision"], head["sha256"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return -1, ""
    if told != FORMAT:
        raise StoreError(f"the state file {path} has the format {told!r}", hint=HINT)
    return (revision, checksum) if type(revision) is int and type(checksum) is str else (-1, "")


def _is_whole(slot: bytes, head: tuple[int, str]) -> bool:
    revision, checksum = head
    parts = slot.split(b"\n", 2)
    if revision < 0 or len(parts) < 3 or _checksum(revision, parts[1]) != checksum:
        return False
    return parts[2][-_TAIL:] in (_CURRENT + b"\n", SUPERSEDED + b"\n")


def _state(slot: bytes, path: str) -> ConversationState:
    body = slot.split(b"\n", 2)[1]
    try:
        try:
            return ConversationState.model_validate_json(body)
        except ValidationError:
            # The quick reader does not take half a surrogate pair; what the other one refuses too is damaged.
            return ConversationState.model_validate(json.loads(body))
    except (ValidationError, ValueError, RecursionError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise StoreError(f"the state file {path} cannot be read: {first}", hint=HINT) from error
