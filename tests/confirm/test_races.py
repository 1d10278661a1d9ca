"""Threads on one question, and processes killed in the middle of an act."""

import multiprocessing
import os
import random
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from naoshi.confirm import Confirmations, FileStore
from tests.confirm.racers import alternate, numbered

KILLS = int(os.environ.get("NAOSHI_CONFIRM_KILLS", "200"))
STARTING = multiprocessing.get_context("forkserver")
STARTING.set_forkserver_preload(["tests.confirm.racers"])


def test_threads_keep_the_contract_too(tmp_path: Path) -> None:
    """Protects an agent that serves many people from one process."""
    confirmations = Confirmations(FileStore(tmp_path))
    with ThreadPoolExecutor(8) as pool:
        for number in range(5):
            confirmations.ask("c", f"{number}番を送りますか？", ["送る", "やめる"])
            turns = list(pool.map(lambda _: confirmations.receive("c", "1"), range(16)))
            assert sum(turn.outcome == "resolved" for turn in turns) == 1


@pytest.mark.slow
def test_a_kill_leaves_the_old_state_or_the_new(tmp_path: Path) -> None:
    """Protects the state from kill -9 at any instruction of save and clear: never neither, never both."""
    source = random.Random(11)
    for kill in range(KILLS):
        folder = tmp_path / str(kill)
        done = acts_until_killed(folder, source.uniform(0.0, 0.03))
        store = FileStore(folder)
        state = store.get("c")
        revision = state.revision if state else 0
        assert done <= revision <= done + 1
        if revision % 2:
            assert state is not None
            assert state.pending == numbered(revision - 1)
        elif state is not None:
            assert state.pending is None
        assert not list(folder.glob("*.next"))
        assert len(list(folder.glob("*.json"))) <= 1
        Confirmations(store).ask("c", "まだ使えますか？", ["はい"])
        assert Confirmations(FileStore(folder)).receive("c", "1").choice == 1


def acts_until_killed(folder: Path, seconds: float) -> int:
    """Run a process that saves and clears, kill it *seconds* after its third act, and return the acts it had done."""
    reading, writing = STARTING.Pipe(duplex=False)
    child = STARTING.Process(target=alternate, args=(str(folder), writing))
    child.start()
    writing.close()
    done = 0
    with closing(reading):
        while done < 3:
            reading.recv_bytes()
            done += 1
        time.sleep(seconds)
        child.kill()
        child.join()
        with suppress(EOFError):
            while True:
                reading.recv_bytes()
                done += 1
    return done
