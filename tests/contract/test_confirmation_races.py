"""Many processes on one question, on every store that processes can share."""

import multiprocessing
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from naoshi.confirm import Confirmations, MemoryStore
from tests.contract.racers import Seen, answer, ask_and_die, deliver, opened

PROCESSES = int(os.environ.get("NAOSHI_CONFIRM_PROCESSES", "100"))
ROUNDS = int(os.environ.get("NAOSHI_CONFIRM_ROUNDS", "20"))
LABELS = ["送る", "直す", "やめる"]


@pytest.fixture(params=["file", "sqlite", "postgresql", "redis"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where an empty store of each kind is."""
    if request.param == "file":
        yield str(tmp_path / "confirmations")
    elif request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'naoshi.db'}"
    else:
        name = "fresh_redis" if request.param == "redis" else "emptied_postgres"
        yield request.getfixturevalue(name)


def race(runner: Callable[..., None], place: str) -> list[list[Seen]]:
    """Return, for each round, what each process got."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.contract.racers"])
    start = context.Barrier(PROCESSES)
    pipes = [context.Pipe(duplex=False) for _ in range(PROCESSES)]
    racers = [
        context.Process(target=runner, args=(place, ROUNDS, number, start, pipes[number][1]), daemon=True)
        for number in range(PROCESSES)
    ]
    for racer, (_, writing) in zip(racers, pipes, strict=True):
        racer.start()
        # So that a racer that dies is the end of its pipe here, and not a wait for ever.
        writing.close()
    seen: list[list[Seen]] = [pipe.recv() for pipe, _ in pipes]
    for racer in racers:
        racer.join()
    return [list(each) for each in zip(*seen, strict=True)]


def asked(place: str) -> None:
    with opened(place) as store:
        for number in range(ROUNDS):
            Confirmations(store).ask(f"round-{number}", "送りますか？", LABELS)


def require_one_winner(results: list[Seen]) -> None:
    winners = [result for result in results if result[0] == "resolved"]
    assert len(winners) == 1
    _, _, choice, winner = winners[0]
    losers = [result for result in results if result[0] != "resolved"]
    assert all(result[0] == "nothing_pending" and result[3] == winner for result in losers)
    assert {result[1] for result in losers} <= {"already_resolved", "conflict"}
    same = sum(1 for result in losers if result[1] == "already_resolved")
    assert same == sum(1 for number in range(len(results)) if 1 + number % 3 == choice) - 1


def test_one_of_many_processes_wins(place: str) -> None:
    """Protects the effect: of all who answer one question at once, one alone is told to act."""
    asked(place)
    for results in race(answer, place):
        require_one_winner(results)


def test_a_message_that_many_processes_get_counts_once(place: str) -> None:
    """Protects free text from being taken up by every process that the channel delivered it to."""
    asked(place)
    for results in race(deliver, place):
        assert Counter(result[1] for result in results) == {"free_text": 1, "duplicate": PROCESSES - 1}
    with opened(place) as store:
        assert Confirmations(store).pending("round-0") is not None


def test_a_question_survives_the_death_of_its_program(place: str) -> None:
    """Protects the question from kill -9: ask, die, start again, `2`, and again after that."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.contract.racers"])
    program = context.Process(target=ask_and_die, args=(place,))
    program.start()
    program.join()
    assert program.exitcode == -signal.SIGKILL
    with opened(place) as store:
        turn = Confirmations(store).receive("c", "2")
        assert (turn.outcome, turn.choice) == ("resolved", 2)
    with opened(place) as store:
        assert Confirmations(store).receive("c", "2").reason == "already_resolved"


def test_one_of_many_threads_wins_in_memory() -> None:
    """Protects the same in an agent that keeps its questions in memory, which processes cannot share: threads race."""
    confirmations = Confirmations(MemoryStore())
    start = Barrier(PROCESSES)

    def answered(number: int) -> Seen:
        start.wait()
        turn = confirmations.receive("c", str(1 + number % 3), actor=f"p{number}")
        decided_by = turn.settlement.actor if turn.settlement else None
        return turn.outcome.value, turn.reason.value, turn.choice, decided_by

    with ThreadPoolExecutor(PROCESSES) as pool:
        for number in range(ROUNDS):
            confirmations.ask("c", f"{number}番を送りますか？", LABELS)
            require_one_winner(list(pool.map(answered, range(PROCESSES))))
