"""Many processes on one question, and processes killed in the middle of an act."""

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from naoshi.confirm import Confirmations, FileStore
from tests.confirm.racers import answer, deliver, numbered

PROCESSES = int(os.environ.get("NAOSHI_CONFIRM_PROCESSES", "20"))
ROUNDS = int(os.environ.get("NAOSHI_CONFIRM_ROUNDS", "5"))
KILLS = int(os.environ.get("NAOSHI_CONFIRM_KILLS", "12"))
ROOT = Path(__file__).resolve().parents[2]

Seen = tuple[str, str, int | None, str | None]


def race(runner: Callable[..., None], folder: Path) -> list[list[Seen]]:
    """Return, for each round, what each process got."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.confirm.racers"])
    start = context.Barrier(PROCESSES)
    pipes = [context.Pipe(duplex=False) for _ in range(PROCESSES)]
    racers = [
        context.Process(target=runner, args=(str(folder), ROUNDS, number, start, pipes[number][1]))
        for number in range(PROCESSES)
    ]
    for racer in racers:
        racer.start()
    seen: list[list[Seen]] = [pipe.recv() for pipe, _ in pipes]
    for racer in racers:
        racer.join()
    return [list(each) for each in zip(*seen, strict=True)]


def test_one_of_many_processes_wins(tmp_path: Path) -> None:
    """Protects the effect: of all who answer one question at once, one alone is told to act."""
    confirmations = Confirmations(FileStore(tmp_path))
    for number in range(ROUNDS):
        confirmations.ask(f"round-{number}", "送りますか？", ["送る", "直す", "やめる"])
    for results in race(answer, tmp_path):
        winners = [result for result in results if result[0] == "resolved"]
        assert len(winners) == 1
        _, _, choice, winner = winners[0]
        losers = [result for result in results if result[0] != "resolved"]
        assert all(result[0] == "nothing_pending" and result[3] == winner for result in losers)
        assert {result[1] for result in losers} == {"already_resolved", "conflict"}
        same = sum(1 for result in losers if result[1] == "already_resolved")
        assert same == sum(1 for number in range(PROCESSES) if 1 + number % 3 == choice) - 1


def test_a_message_that_many_processes_get_counts_once(tmp_path: Path) -> None:
    """Protects free text from being handled by every process that the channel delivered it to."""
    confirmations = Confirmations(FileStore(tmp_path))
    for number in range(ROUNDS):
        confirmations.ask(f"round-{number}", "送りますか？", ["送る", "直す", "やめる"])
    for number, results in enumerate(race(deliver, tmp_path)):
        assert Counter(result[1] for result in results) == {"free_text": 1, "duplicate": PROCESSES - 1}
        assert confirmations.pending(f"round-{number}") is not None


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
        assert len(list(folder.glob("*.json"))) <= 1
        Confirmations(store).ask("c", "まだ使えますか？", ["はい"])
        assert Confirmations(FileStore(folder)).receive("c", "1").choice == 1


def acts_until_killed(folder: Path, seconds: float) -> int:
    """Run a process that saves and clears, kill it *seconds* after its third act, and return the acts it had done."""
    FileStore(folder)
    reading, writing = os.pipe()
    program = f"from tests.confirm.racers import alternate; alternate({str(folder)!r}, {writing})"
    child = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, pass_fds=[writing])
    os.close(writing)
    with os.fdopen(reading, "rb", buffering=0) as acts:
        done = 0
        while done < 3:
            done += len(acts.read(1))
        time.sleep(seconds)
        child.send_signal(signal.SIGKILL)
        child.wait()
        return done + len(acts.read())
