"""A question and its answer, against LangGraph's interrupt and resume on its SQLite saver, on this disk, in this run.

Each pair is durable on both sides: ours in a file a conversation or in SQLite, LangGraph's in SQLite in the settings
that its saver makes. The rounds are interleaved, so that a busy machine slows all alike. The median of each is taken,
and the least, which is nearer to what an idle machine gives. A bare write of 1,000 bytes with an fsync says what the
disk costs.
"""

import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt

from naoshi.confirm import Confirmations, FileStore, resolve_reply
from naoshi.store.sql import SqlConfirmationStore

ROUNDS = 150
REPLIES = ("1", "２", "②", "3番でお願いします", "先に説明して", "1. この内容で登録して")
LABELS = ("この内容で登録する", "修正する", "やめる")
QUESTION = "この内容で登録しますか？"


class _State(TypedDict):
    choice: int


def seconds(act: Callable[[], object]) -> float:
    """Return how long *act* takes."""
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def bare_fsync(folder: Path, number: int) -> float:
    """Return how long a write of 1,000 bytes to a new file and its fsync take.

    The file stays: taking it away would leave work to whoever syncs next.
    """
    path = folder / f"bare{number}"
    began = time.perf_counter()
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    os.write(descriptor, b"x" * 1000)
    os.fsync(descriptor)
    os.close(descriptor)
    return time.perf_counter() - began


def reading() -> float:
    """Return the median seconds of `resolve_reply` over typical replies."""
    timings: list[float] = []
    for _ in range(2000):
        for reply in REPLIES:
            began = time.perf_counter_ns()
            resolve_reply(reply, LABELS)
            timings.append((time.perf_counter_ns() - began) / 1e9)
    return median(timings)


def ours(confirmations: Confirmations, number: int) -> tuple[float, float]:
    """Return the seconds of asking and of taking in the reply."""
    asked = seconds(lambda: confirmations.ask(f"c{number}", QUESTION, LABELS, action={"register": number}))
    began = time.perf_counter()
    turn = confirmations.receive(f"c{number}", "1", message_id="m")
    received = time.perf_counter() - began
    if turn.choice != 1:
        raise SystemExit(f"confirm: the reply was not resolved: {turn.reason}")
    return asked, received


def main() -> int:
    """Print the times and the ratios."""

    def review(_: _State) -> _State:
        return {"choice": interrupt({"question": QUESTION, "labels": LABELS})}

    here = Path(__file__).resolve().parent.parent
    with (
        tempfile.TemporaryDirectory(prefix=".bench-", dir=here) as name,
        closing(sqlite3.connect(f"{name}/langgraph.db", check_same_thread=False)) as connection,
        closing(SqlConfirmationStore.open(Path(name) / "naoshi.db")) as database,
    ):
        folder = Path(name)
        saver = SqliteSaver(connection)
        saver.setup()
        graph = StateGraph(_State).add_node("review", review).add_edge(START, "review").compile(checkpointer=saver)
        in_files, in_sqlite = Confirmations(FileStore(folder / "files")), Confirmations(database)
        took: dict[str, list[float]] = {}

        def peer(number: int) -> tuple[float, float]:
            config = {"configurable": {"thread_id": f"t{number}"}}
            asked = seconds(lambda: graph.invoke({"choice": 0}, config))
            return asked, seconds(lambda: graph.invoke(Command(resume=1), config))

        for number in range(ROUNDS):
            took.setdefault("bare fsync", []).append(bare_fsync(folder, number))
            rows = {"files": ours(in_files, number), "SQLite": ours(in_sqlite, number), "LangGraph": peer(number)}
            for what, (asked, received) in rows.items():
                took.setdefault(f"{what}, ask", []).append(asked)
                took.setdefault(f"{what}, reply", []).append(received)
                took.setdefault(f"{what}, both", []).append(asked + received)
    print(f"confirm: resolve_reply: {reading() * 1e6:.1f} µs")
    for what, timings in took.items():
        print(f"confirm: {what}: median {median(timings) * 1000:.2f} ms, least {min(timings) * 1000:.2f} ms")
    for what in ("files", "SQLite"):
        told = ", ".join(
            f"{measure(took['LangGraph, both']) / measure(took[f'{what}, both']):.1f} ({name})"
            for name, measure in (("median", median), ("least", min))
        )
        print(f"confirm: LangGraph takes {told} times as long for a question and its answer as we do in {what}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
