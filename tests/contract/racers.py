"""What the processes of the race tests do, on any store."""

import os
import signal
from contextlib import AbstractContextManager, closing, nullcontext
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from typing import Any

from naoshi.confirm import Confirmations, FileStore
from naoshi.store.redis import RedisStore
from naoshi.store.sql import SqlConfirmationStore

Seen = tuple[str, str, int | None, str | None]


def opened(place: str) -> AbstractContextManager[Any]:
    """Return the store at *place*: a folder, or the URL of a database or of a Redis."""
    if place.startswith("redis:"):
        return closing(RedisStore.open(place))
    if "://" in place:
        return closing(SqlConfirmationStore.open(place))
    return nullcontext(FileStore(place))


def answer(place: str, rounds: int, number: int, start: Barrier, results: Connection) -> None:
    """Answer the question of each round at the same moment as all others, and send what came of it."""
    seen: list[Seen] = []
    with opened(place) as store:
        confirmations = Confirmations(store)
        for turn_number in range(rounds):
            start.wait()
            turn = confirmations.receive(f"round-{turn_number}", str(1 + number % 3), actor=f"p{number}")
            decided_by = turn.settlement.actor if turn.settlement else None
            seen.append((turn.outcome.value, turn.reason.value, turn.choice, decided_by))
    results.send(seen)


def deliver(place: str, rounds: int, number: int, start: Barrier, results: Connection) -> None:
    """Take in the same message of each round as all others do, and send the reasons."""
    del number
    seen: list[Seen] = []
    with opened(place) as store:
        confirmations = Confirmations(store)
        for turn_number in range(rounds):
            start.wait()
            turn = confirmations.receive(f"round-{turn_number}", "先に説明して", message_id="m")
            seen.append((turn.outcome.value, turn.reason.value, turn.choice, None))
    results.send(seen)


def ask_and_die(place: str) -> None:
    """Ask a question, and be killed the moment that it was asked."""
    with opened(place) as store:
        Confirmations(store).ask("c", "送りますか？", ["送る", "直す", "やめる"])
        os.kill(os.getpid(), signal.SIGKILL)
