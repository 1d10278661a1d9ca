"""What the store of files does when the disk, the folder or a file is not as it should be."""

import hashlib
import json
import os
import re
import resource
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from naoshi.confirm import Confirmations, ConversationState, FileStore, Outcome, Reason
from naoshi.errors import InputError, StoreError
from tests.confirm.kept_states import IDENTIFIERS, asked

LABELS = ["送る", "やめる"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "confirmations"


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user may make and fill."""
    folder = Path(tempfile.mkdtemp(prefix="naoshi-confirm-"))
    folder.chmod(0o777)
    yield folder / "confirmations"
    shutil.rmtree(folder)


def test_there_is_one_plain_file_a_conversation(folder: Path, tmp_path: Path) -> None:
    """Protects against identifiers that leave the folder, share a file, or leave litter."""
    store = FileStore(folder)
    for number, identifier in enumerate(IDENTIFIERS):
        asked(store, identifier, identifier=f"cf_{number}")
        asked(store, identifier, identifier=f"cf_{number}")
    names = [path.name for path in folder.iterdir() if path.is_file()]
    assert len(names) == len({name.lower() for name in names}) == len(set(IDENTIFIERS))
    assert all(re.fullmatch(r"[0-9a-f]{64}\.json", name) for name in names)
    assert [path.name for path in tmp_path.iterdir()] == [folder.name]


def test_another_process_sees_the_question(folder: Path) -> None:
    """Protects the state from living in the process that asked."""
    Confirmations(FileStore(folder)).ask("c", "送りますか？", LABELS)
    turn = Confirmations(FileStore(folder)).receive("c", "２")
    assert (turn.outcome, turn.choice) == (Outcome.resolved, 2)


def _truncated(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _flipped(data: bytes) -> bytes:
    return data.replace("送る".encode(), "消す".encode())


def _bad_date(data: bytes) -> bytes:
    return _resealed(data, lambda state: state["pending"].__setitem__("expires_at", "tomorrow"))


def _no_zone(data: bytes) -> bytes:
    return _resealed(data, lambda state: state["pending"].__setitem__("expires_at", "2030-01-01T00:00:00"))


def _no_date(data: bytes) -> bytes:
    return _resealed(data, lambda state: state["pending"].pop("expires_at"))


def _expires_first(data: bytes) -> bytes:
    return _resealed(data, lambda state: state["pending"].__setitem__("expires_at", "2000-01-01T00:00:00Z"))


def _other_conversation(data: bytes) -> bytes:
    def rename(state: dict[str, dict[str, object]]) -> None:
        state["conversation_id"] = "d"  # pyright: ignore[reportArgumentType]
        state["pending"]["conversation_id"] = "d"

    return _resealed(data, rename)


def _other_format(data: bytes) -> bytes:
    return data.replace(b"naoshi.confirm/1", b"naoshi.confirm/9")


def _resealed(data: bytes, change: Callable[[dict[str, dict[str, object]]], object]) -> bytes:
    head, body, rest = data.split(b"\n", 2)
    state = json.loads(body)
    change(state)
    changed = json.dumps(state).encode()
    told = json.loads(head)
    told["sha256"] = hashlib.sha256(b"%d\n%s" % (told["revision"], changed)).hexdigest()
    begun = json.dumps(told).encode() + b"\n" + changed + b"\n"
    return begun + rest[len(begun) - (len(data) - len(rest)) :]


@pytest.mark.parametrize(
    "damage",
    [_truncated, _flipped, _bad_date, _no_zone, _no_date, _expires_first, _other_conversation, _other_format,
     lambda _: b"", lambda _: b"{}", lambda _: b"null\nnull\n", lambda _: b"[" * 100_000, lambda _: b"\xff\xfe",
     lambda _: b'{"pending": null}', lambda data: data + b"x", lambda data: data[:-1]],
)  # fmt: skip
def test_a_damaged_file_fails_loudly_and_closed(folder: Path, damage: Callable[[bytes], bytes]) -> None:
    """Protects against reading damage as "nothing is pending", and against losing what is left of the file."""
    store = FileStore(folder)
    confirmations = Confirmations(store)
    confirmations.ask("c", "送りますか？", LABELS)
    path = store.path("c")
    path.write_bytes(damage(path.read_bytes()))
    damaged = path.read_bytes()
    turn = confirmations.receive("c", "1", message_id="m")
    assert (turn.outcome, turn.reason, turn.choice) == (Outcome.unresolved, Reason.store_error, None)
    assert turn.context
    with pytest.raises(StoreError):
        confirmations.pending("c")
    with pytest.raises(StoreError):
        confirmations.ask("c", "送りますか？", LABELS)
    with pytest.raises(StoreError):
        store.clear("c")
    assert path.read_bytes() == damaged
    aside = store.quarantine("c")
    assert aside is not None
    assert aside.read_bytes() == damaged
    assert store.quarantine("c") is None
    confirmations.ask("c", "送りますか？", LABELS)
    assert confirmations.receive("c", "1").choice == 1


def test_a_folder_in_place_of_the_file_fails_loudly(folder: Path) -> None:
    """Protects against reading anything but our own file."""
    store = FileStore(folder)
    store.path("c").mkdir()
    assert Confirmations(store).receive("c", "1").reason is Reason.store_error


def test_a_folder_that_went_away_is_not_nothing_pending(folder: Path) -> None:
    """Protects against an unmounted disk, on which every question would seem answered."""
    store = FileStore(folder)
    confirmations = Confirmations(store)
    confirmations.ask("c", "送りますか？", LABELS)
    folder.rename(folder.with_name("away"))
    assert confirmations.receive("c", "1").reason is Reason.store_error
    with pytest.raises(StoreError):
        confirmations.ask("c", "送りますか？", LABELS)
    folder.with_name("away").rename(folder)
    assert confirmations.receive("c", "1").choice == 1


def test_a_folder_that_cannot_be_made_is_one_clear_error(tmp_path: Path) -> None:
    """Protects the person from a traceback."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot make"):
        FileStore(tmp_path / "file" / "below")


@pytest.fixture
def ordinary_user() -> Iterator[None]:
    """Run the test without root's right to write anywhere."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_read_only_folder_fails_loudly(open_folder: Path, ordinary_user: None) -> None:
    """Protects against showing a question that was not saved, and against resolving one that cannot be cleared."""
    store = FileStore(open_folder)
    confirmations = Confirmations(store)
    confirmations.ask("c", "送りますか？", LABELS)
    open_folder.chmod(0o500)
    try:
        turn = confirmations.receive("c", "1")
        with pytest.raises(StoreError):
            confirmations.ask("c", "送りますか？", LABELS)
    finally:
        open_folder.chmod(0o700)
    assert (turn.outcome, turn.reason, turn.choice) == (Outcome.unresolved, Reason.store_error, None)
    assert confirmations.receive("c", "1").choice == 1


def test_a_full_disk_fails_loudly_and_changes_nothing(folder: Path) -> None:
    """Protects the state when there is no room to write the next one."""
    store = FileStore(folder)
    confirmations = Confirmations(store)
    confirmations.ask("c", "送りますか？", LABELS)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
    try:
        turn = confirmations.receive("c", "1")
        with pytest.raises(StoreError):
            confirmations.ask("c", "別の質問ですか？", LABELS)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    assert (turn.outcome, turn.reason, turn.choice) == (Outcome.unresolved, Reason.store_error, None)
    assert [path.suffix for path in folder.iterdir() if path.is_file()] == [".json"]
    assert confirmations.receive("c", "1").choice == 1


@pytest.fixture
def interrupted(folder: Path) -> tuple[Path, bytes]:
    """A store with a question, and the bytes of the next state: its file and content as a crash may leave them."""
    store = FileStore(folder)
    confirmations = Confirmations(store)
    confirmations.ask("c", "送りますか？", LABELS)
    before = store.path("c").read_bytes()
    assert confirmations.receive("c", "2").choice == 2
    after = store.path("c").read_bytes()
    store.path("c").write_bytes(before)
    return store.path("c").with_suffix(".next"), after


def test_a_whole_change_that_a_crash_left_is_put_in_place(folder: Path, interrupted: tuple[Path, bytes]) -> None:
    """Protects a decision that was synced, and may have been acted on, from a rename that the crash undid."""
    beside, after = interrupted
    beside.write_bytes(after)
    confirmations = Confirmations(FileStore(folder))
    assert confirmations.receive("c", "1").reason is Reason.conflict
    assert FileStore(folder).path("c").read_bytes() == after
    assert not beside.exists()


def test_a_whole_change_is_seen_by_every_way_in(folder: Path, interrupted: tuple[Path, bytes]) -> None:
    """Protects asking, clearing and listing from going on with the state before the crash."""
    beside, after = interrupted
    before = FileStore(folder).path("c").read_bytes()
    for act in (
        lambda store: next(iter(store.conversations())).pending is None,
        lambda store: store.clear("c") is False,
        lambda store: store.save(ConversationState(conversation_id="c"), after=1) is False,
        lambda store: store.get("c").pending is None,
    ):
        FileStore(folder).path("c").write_bytes(before)
        beside.write_bytes(after)
        assert act(FileStore(folder))
        assert not beside.exists()
    FileStore(folder).path("c").unlink()
    beside.write_bytes(after)
    assert [state.settled is not None for state in FileStore(folder).conversations()] == [True]


def test_a_change_cut_anywhere_leaves_the_old_state(folder: Path, interrupted: tuple[Path, bytes]) -> None:
    """Protects the pending question from a write that a crash cut short, at whatever byte, or filled with zeros."""
    beside, after = interrupted
    for left in (*(after[:length] for length in range(0, len(after), 97)), after[:-1], bytes(len(after))):
        beside.write_bytes(left)
        store = FileStore(folder)
        state = store.get("c")
        assert state is not None
        assert state.pending is not None
        assert not beside.exists()
    assert Confirmations(FileStore(folder)).receive("c", "1").choice == 1


def test_what_is_older_or_of_another_conversation_is_never_put_in_place(
    folder: Path, interrupted: tuple[Path, bytes]
) -> None:
    """Protects a decision from being undone by a file that lay about."""
    beside, after = interrupted
    store = FileStore(folder)
    before = store.path("c").read_bytes()
    store.path("c").write_bytes(after)
    asked(store, "d")
    for left in (before, after, store.path("d").read_bytes()):
        beside.write_bytes(left)
        assert Confirmations(FileStore(folder)).receive("c", "1").reason is Reason.conflict
        assert not beside.exists()


def test_damage_in_place_is_loud_though_a_whole_change_lies_beside(
    folder: Path, interrupted: tuple[Path, bytes]
) -> None:
    """Protects against guessing: both files are kept aside for a person."""
    beside, after = interrupted
    store = FileStore(folder)
    store.path("c").write_bytes(b"damaged")
    beside.write_bytes(after)
    assert Confirmations(store).receive("c", "1").reason is Reason.store_error
    aside = store.quarantine("c")
    assert aside is not None
    assert aside.read_bytes() == b"damaged"
    assert aside.with_name(f"{aside.name}.next").read_bytes() == after
    assert store.get("c") is None


def test_all_conversations_can_be_listed(folder: Path) -> None:
    """Protects the overview of what waits, and lets no damaged file pass for an absent one."""
    store = FileStore(folder)
    for identifier in IDENTIFIERS:
        asked(store, identifier)
    assert {state.conversation_id for state in store.conversations()} == set(IDENTIFIERS)
    store.path("plain").write_text("damaged")
    with pytest.raises(StoreError, match=store.path("plain").name):
        list(store.conversations())


def test_the_state_is_for_its_owner_alone(folder: Path) -> None:
    """Protects what was said from other users of the machine."""
    store = FileStore(folder)
    asked(store)
    assert store.path("c").stat().st_mode & 0o077 == 0


def test_what_is_kept_is_what_was_asked(folder: Path) -> None:
    """Protects actions of every JSON shape, and refuses what JSON cannot hold before anything is kept."""
    confirmations = Confirmations(FileStore(folder))
    action = {"a": [1, 2.5, None, True, "x\ud800"], "深い": {"b": 2**70}}
    assert confirmations.ask("c", "?!", LABELS, action=action).action == action
    pending = Confirmations(FileStore(folder)).pending("c")
    assert pending is not None
    assert pending.action == action
    for bad in (float("nan"), {1: object()}, object()):
        with pytest.raises(InputError):
            confirmations.ask("d", "?!", LABELS, action=bad)  # pyright: ignore[reportArgumentType]
    assert confirmations.pending("d") is None
