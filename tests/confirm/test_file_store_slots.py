"""What the store of files does with the two slots of a file that is written in place."""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from naoshi.confirm import Confirmations, ConversationState, FileStore, Reason
from naoshi.errors import StoreError
from tests.confirm.kept_states import NOW, asked, question

KILLS = int(os.environ.get("NAOSHI_CONFIRM_KILLS", "12"))
ROOT = Path(__file__).resolve().parents[2]
ROOM = 4096
LABELS = ["送る", "やめる"]


def settled(folder: Path, acts: int) -> FileStore:
    """Return a store in which conversation c was changed *acts* times, by asking and clearing in turn."""
    store = FileStore(folder)
    for act in range(acts):
        if act % 2:
            assert store.clear("c")
        else:
            asked(store, identifier=f"cf_{act}")
    return store


def test_a_change_is_written_in_place(tmp_path: Path) -> None:
    """Protects the speed of an answer, which needs one sync of one file and no new name."""
    store = settled(tmp_path, 1)
    born = store.path("c").stat().st_ino
    for _ in range(3):
        assert store.clear("c")
        asked(store)
    assert store.path("c").stat().st_ino == born
    assert store.path("c").stat().st_size == 2 * ROOM


def _blank(slot: bytes) -> bytes:
    return bytes(len(slot))


def _spaces(slot: bytes) -> bytes:
    return b" " * len(slot)


def _one_bit(slot: bytes) -> bytes:
    return slot[:200] + bytes([slot[200] ^ 1]) + slot[201:]


def _half(slot: bytes) -> bytes:
    return slot[: ROOM // 8] + bytes(ROOM - ROOM // 8)


def _padding(slot: bytes) -> bytes:
    return slot[:-1] + b"x"


def _lower_revision(slot: bytes) -> bytes:
    return slot.replace(b'"revision":', b'"revision":-', 1)[:ROOM]


@pytest.mark.parametrize("acts", [1, 2, 3, 4])
@pytest.mark.parametrize("slot", [0, 1])
@pytest.mark.parametrize("damage", [_blank, _spaces, _one_bit, _half, _padding, _lower_revision])
def test_damage_to_a_slot_never_brings_back_the_older_state(
    tmp_path: Path, acts: int, slot: int, damage: Callable[[bytes], bytes]
) -> None:
    """Protects a settled question from coming back to life when the slot that settled it is lost."""
    store = settled(tmp_path, acts)
    data = store.path("c").read_bytes()
    slots = [data[:ROOM], data[ROOM:]]
    changed = damage(slots[slot])
    if changed == slots[slot]:
        pytest.fail("the damage changes nothing")
    slots[slot] = changed
    store.path("c").write_bytes(b"".join(slots))
    require_closed(store)


@pytest.mark.parametrize("acts", [2, 3, 4])
def test_slots_that_do_not_follow_each_other_are_damage(tmp_path: Path, acts: int) -> None:
    """Protects against slots that changed places, and against a slot of another time or another file."""
    store = settled(tmp_path, acts)
    data = store.path("c").read_bytes()
    store.path("c").write_bytes(data[ROOM:] + data[:ROOM])
    require_closed(store)
    store.path("c").write_bytes(data[:ROOM] * 2)
    require_closed(store)
    other = settled(tmp_path / "other", acts + 3).path("c").read_bytes()
    store.path("c").write_bytes(data[:ROOM] + other[ROOM:])
    require_closed(store)
    store.path("c").write_bytes(data[:ROOM])
    require_closed(store)


def require_closed(store: FileStore) -> None:
    before = store.path("c").read_bytes()
    with pytest.raises(StoreError):
        store.get("c")
    with pytest.raises(StoreError):
        store.clear("c")
    with pytest.raises(StoreError):
        store.save(ConversationState(conversation_id="c"))
    with pytest.raises(StoreError):
        list(store.conversations())
    assert Confirmations(store).receive("c", "1").reason is Reason.store_error
    assert store.path("c").read_bytes() == before


def test_a_file_without_slots_is_read_and_gets_them(tmp_path: Path) -> None:
    """Protects the states that the format before kept, which is also that of states too long for a slot."""
    store = FileStore(tmp_path)
    state = ConversationState(conversation_id="c").with_question(question(), now=NOW)
    body = state.model_dump_json().encode()
    head = json.dumps({"format": "naoshi.confirm/1", "sha256": sha256(body).hexdigest()}).encode()
    store.path("c").write_bytes(head + b"\n" + body + b"\n")
    assert store.get("c") == state
    assert store.clear("c", confirmation_id="cf_1")
    kept = store.get("c")
    assert kept is not None
    assert (kept.revision, kept.pending) == (2, None)
    assert store.path("c").stat().st_size == 2 * ROOM


def test_states_of_every_length_keep(tmp_path: Path) -> None:
    """Protects the states around the length at which a slot is full, on the way up and down."""
    store = FileStore(tmp_path)
    lengths = [10, *range(3300, 3800, 7), 9000]
    for length in [*lengths, *reversed(lengths)]:
        before = store.get("c") or ConversationState(conversation_id="c")
        assert store.save(before.with_question(question(text="x" * length), now=NOW), after=before.revision)
        kept = store.get("c")
        assert kept is not None
        assert kept.pending == question(text="x" * length)
        assert kept.revision == before.revision + 1


@pytest.mark.parametrize("acts", [1, 2])
def test_a_disk_that_fills_within_a_slot_changes_nothing(tmp_path: Path, acts: int) -> None:
    """Protects the slot from a write that stops in its middle."""
    store = settled(tmp_path, acts)
    kept, data = store.get("c"), store.path("c").read_bytes()
    assert kept is not None
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 + (acts % 2) * ROOM, before[1]))
    try:
        with pytest.raises(StoreError):
            store.save(kept)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert store.path("c").read_bytes() == data
    assert store.get("c") == kept


def test_reading_while_another_writes_is_never_damage(tmp_path: Path) -> None:
    """Protects readers, who take no lock, from taking a slot that is being written for a damaged one."""
    writer, reader = settled(tmp_path, 1), FileStore(tmp_path)
    done = threading.Event()

    def write() -> None:
        for _ in range(150):
            asked(writer)
            writer.clear("c")
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    seen = [1]
    while not done.is_set():
        kept = reader.get("c")
        assert kept is not None
        seen.append(kept.revision)
        assert len(list(reader.conversations())) == 1
    thread.join()
    assert seen == sorted(seen)


ALTERNATE = """
import os, sys
from naoshi.confirm import FileStore
from tests.confirm.kept_states import asked
store = FileStore(sys.argv[1])
for act in range(1_000_000):
    asked(store, identifier=f"cf_{act}") if act % 2 == 0 else store.clear("c", confirmation_id=f"cf_{act - 1}")
    os.write(1, b".")
"""


@pytest.mark.slow
def test_a_kill_in_the_middle_of_a_slot_leaves_the_old_state_or_the_new(tmp_path: Path) -> None:
    """Protects the state from kill -9 at any instruction of a change in place: never neither, never both."""
    source = random.Random(12)
    for kill in range(KILLS):
        folder = tmp_path / str(kill)
        child = subprocess.Popen([sys.executable, "-c", ALTERNATE, str(folder)], cwd=ROOT, stdout=subprocess.PIPE)
        assert child.stdout is not None
        done = len(child.stdout.read(3))
        time.sleep(source.uniform(0.0, 0.03))
        child.send_signal(signal.SIGKILL)
        done += len(child.communicate()[0])
        store = FileStore(folder)
        state = store.get("c")
        assert state is not None
        assert done <= state.revision <= done + 1
        waits = question(identifier=f"cf_{state.revision - 1}") if state.revision % 2 else None
        assert state.pending == waits
        Confirmations(store).ask("c", "まだ使えますか？", LABELS)
        assert Confirmations(FileStore(folder)).receive("c", "1").choice == 1
