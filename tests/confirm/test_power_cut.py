"""What a power cut leaves: a copy of the disk as it is between two instructions, opened as after the cut."""

import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from naoshi.confirm import FileStore
from naoshi.system.file_systems import syncs_new_names
from tests.confirm.racers import numbered

CUTS = 20
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """An ext4 file system of its own: the file that it lives in, and where it is mounted."""
    if os.geteuid() != 0 or shutil.which("mkfs.ext4") is None:
        pytest.skip("needs root and mkfs.ext4, to make a file system that can be cut off")
    image, mounted = tmp_path / "image", tmp_path / "mounted"
    with image.open("wb") as stream:
        stream.truncate(32 << 20)
    subprocess.run(["mkfs.ext4", "-q", str(image)], check=True)
    mounted.mkdir()
    if subprocess.run(["mount", "-o", "loop", str(image), str(mounted)], capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a file")
    try:
        yield image, mounted
    finally:
        subprocess.run(["umount", str(mounted)], check=True)


@contextmanager
def after_the_cut(image: Path, place: Path) -> Iterator[FileStore]:
    """The store on a copy of *image*, opened as after a power cut."""
    copy, mounted = place / "copy", place / "copied"
    shutil.copyfile(image, copy)
    mounted.mkdir(exist_ok=True)
    subprocess.run(["mount", "-o", "loop", str(copy), str(mounted)], check=True)
    try:
        yield FileStore(mounted / "store")
    finally:
        subprocess.run(["umount", str(mounted)], check=True)
        copy.unlink()


def after_a_cut(image: Path, place: Path) -> tuple[int, int | None]:
    """Return the revision that a copy of *image* holds, and the number of the pending question."""
    with after_the_cut(image, place) as store:
        state = store.get("c")
    if state is None:
        return 0, None
    if state.pending is not None:
        assert state.pending == numbered(int(state.pending.id.removeprefix("cf_")))
    return state.revision, None if state.pending is None else int(state.pending.id.removeprefix("cf_"))


@pytest.mark.slow
def test_what_was_promised_is_on_the_disk(disk: tuple[Path, Path], tmp_path: Path) -> None:
    """Protects a question that was shown, and a decision that was acted on, from a power cut right after."""
    image, mounted = disk
    assert syncs_new_names(mounted)
    source = random.Random(3)
    with at_work(mounted / "store") as (child, acts):
        for _ in range(CUTS):
            time.sleep(source.uniform(0.0, 0.02))
            child.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, child.pid, os.WSTOPPED)
            done = acts.told()
            revision, pending = after_a_cut(image, tmp_path)
            assert done <= revision <= done + 1
            assert pending == (revision - 1 if revision % 2 else None)
            child.send_signal(signal.SIGCONT)


@pytest.mark.slow
def test_every_question_of_a_new_conversation_that_was_promised_is_on_the_disk(
    disk: tuple[Path, Path], tmp_path: Path
) -> None:
    """Protects the first question of a conversation, whose file's new name a power cut may undo."""
    image, mounted = disk
    source = random.Random(4)
    with at_work(mounted / "store", "ask_afresh") as (child, acts):
        for _ in range(CUTS):
            time.sleep(source.uniform(0.0, 0.02))
            child.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, child.pid, os.WSTOPPED)
            done = acts.told()
            with after_the_cut(image, tmp_path) as store:
                kept = {state.conversation_id: state for state in store.conversations()}
            assert {f"c{act}" for act in range(done)} <= set(kept) <= {f"c{act}" for act in range(done + 1)}
            assert all(state.pending and state.revision == 1 for state in kept.values())
            child.send_signal(signal.SIGCONT)


class Acts:
    """Counts what a process says that it has done."""

    def __init__(self, told: Connection) -> None:
        self._told = told
        self._count = 0

    def told(self, *, least: int = 0) -> int:
        """Return how many acts are told by now, once there are *least*."""
        while self._count < least or self._told.poll():
            self._told.recv_bytes()
            self._count += 1
        return self._count


@contextmanager
def at_work(folder: Path, work: str = "alternate") -> Iterator[tuple[subprocess.Popen[bytes], Acts]]:
    """Run a process that does *work* (of the racers) in *folder*, once it has begun, and kill it in the end."""
    reading, writing = multiprocessing.Pipe(duplex=False)
    told = f"Connection({writing.fileno()}, readable=False)"
    program = f"from tests.confirm.racers import Connection, {work}; {work}({str(folder)!r}, {told})"
    child = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, pass_fds=[writing.fileno()])
    writing.close()
    try:
        acts = Acts(reading)
        acts.told(least=1)
        yield child, acts
    finally:
        child.kill()
        child.wait()
        reading.close()
