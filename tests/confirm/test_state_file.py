"""The two halves of a conversation's file: what a crash or damage to either of them leaves."""

from pathlib import Path

import pytest

from naoshi.confirm import Confirmations, FileStore, Reason
from naoshi.errors import StoreError

LABELS = ["送る", "やめる"]


class Changed:
    """A conversation in which a question was asked and answered: its file before and after the answer."""

    def __init__(self, folder: Path) -> None:
        self.store = FileStore(folder)
        confirmations = Confirmations(self.store)
        confirmations.ask("c", "送りますか？", LABELS)
        self.path = self.store.path("c")
        self.before = self.path.read_bytes()
        assert confirmations.receive("c", "2").choice == 2
        self.after = self.path.read_bytes()
        self.half = len(self.after) // 2

    def reason_with(self, data: bytes) -> Reason:
        """Return why a reply ends as it does where the file holds *data*."""
        self.path.write_bytes(data)
        return Confirmations(self.store).receive("c", "1").reason


@pytest.fixture
def changed(tmp_path: Path) -> Changed:
    return Changed(tmp_path / "confirmations")


def test_a_change_touches_no_byte_of_the_state_before_it(changed: Changed) -> None:
    """Protects the state in force while the next one is written; only its mark changes, after the sync."""
    half = changed.half
    assert len(changed.before) == len(changed.after)
    assert changed.after[: half - 2] == changed.before[: half - 2]
    assert (changed.before[half - 2 : half], changed.after[half - 2 : half]) == (b".\n", b"x\n")


def test_a_write_cut_anywhere_leaves_the_question_open(changed: Changed) -> None:
    """Protects the old state from a power cut in the middle of a change, whatever part of it reached the disk."""
    old, new = changed.before, changed.after[changed.half :]
    length = len(new.rstrip(b"\n").rstrip(b".").rstrip(b" "))
    for cut in (*range(0, length, 61), length - 1):
        assert changed.reason_with(old[: changed.half] + new[:cut] + old[changed.half + cut :]) is Reason.resolved
    for part in (bytes(changed.half), b"\xff" * changed.half, new[:512] + bytes(changed.half - 512)):
        assert changed.reason_with(old[: changed.half] + part) is Reason.resolved


def test_a_whole_change_counts_before_it_is_marked(changed: Changed) -> None:
    """Protects a decision from a crash right after its sync."""
    assert changed.reason_with(changed.before[: changed.half] + changed.after[changed.half :]) is Reason.conflict


def test_damage_to_the_latest_state_never_brings_the_one_before_back(changed: Changed) -> None:
    """Protects a decision that was acted on: a question that was answered is not open again because a bit fell over."""
    for place in range(changed.half, changed.half + 900, 7):
        damaged = bytearray(changed.after)
        damaged[place] ^= 0x20
        assert changed.reason_with(bytes(damaged)) is not Reason.resolved
    for part in (bytes(changed.half), b" " * changed.half, changed.before[changed.half :]):
        assert changed.reason_with(changed.after[: changed.half] + part) is Reason.store_error


def test_damage_to_what_is_superseded_harms_nothing(changed: Changed) -> None:
    """Protects the latest state from what happens to the one before."""
    assert changed.reason_with(bytes(changed.half) + changed.after[changed.half :]) is Reason.conflict


@pytest.mark.parametrize("length", [1, 4096, 8191, 8193, 12288, 100_000])
def test_a_file_of_another_length_is_loud(changed: Changed, length: int) -> None:
    """Protects against a file that was cut, or was something else."""
    assert changed.reason_with((changed.after * 20)[:length]) is Reason.store_error
    with pytest.raises(StoreError):
        changed.store.get("c")


def test_a_state_that_has_no_room_gets_more(changed: Changed) -> None:
    """Protects long questions and long conversations, and what shrinks again."""
    confirmations = Confirmations(changed.store)
    for size in (10, 5_000, 200_000, 20, 300_000):
        asked = confirmations.ask("c", f"{size}?" + "長い" * size, LABELS)
        assert Confirmations(FileStore(changed.path.parent)).pending("c") == asked
        assert confirmations.receive("c", "1").confirmation == asked
    assert [path.name for path in changed.path.parent.iterdir() if path.is_file()] == [changed.path.name]
