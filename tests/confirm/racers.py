"""What the processes of the race and crash tests do."""

import os
from datetime import UTC, datetime, timedelta
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier

from naoshi.confirm import Choice, Confirmation, Confirmations, ConversationState, FileStore

NOW = datetime(2026, 10, 1, tzinfo=UTC)


def answer(folder: str, rounds: int, number: int, start: Barrier, results: Connection) -> None:
    """Answer the question of each round at the same moment as all others, and send what came of it."""
    confirmations = Confirmations(FileStore(folder))
    seen: list[tuple[str, str, int | None, str | None]] = []
    for turn_number in range(rounds):
        start.wait()
        turn = confirmations.receive(f"round-{turn_number}", str(1 + number % 3), actor=f"p{number}")
        decided_by = turn.settlement.actor if turn.settlement else None
        seen.append((turn.outcome.value, turn.reason.value, turn.choice, decided_by))
    results.send(seen)


def deliver(folder: str, rounds: int, number: int, start: Barrier, results: Connection) -> None:
    """Take in the same message of each round as all others do, and send the reasons."""
    del number
    confirmations = Confirmations(FileStore(folder))
    seen: list[tuple[str, str, int | None, str | None]] = []
    for turn_number in range(rounds):
        start.wait()
        turn = confirmations.receive(f"round-{turn_number}", "先に説明して", message_id="m")
        seen.append((turn.outcome.value, turn.reason.value, turn.choice, None))
    results.send(seen)


def alternate(folder: str, ready: int) -> None:
    """Save and clear one conversation's question for ever, and write a byte after each act that is done."""
    store = FileStore(folder)
    for act in range(1_000_000):
        if act % 2 == 0:
            state = store.get("c") or ConversationState(conversation_id="c")
            store.save(state.with_question(numbered(act), now=NOW), after=act)
        else:
            store.clear("c", confirmation_id=f"cf_{act - 1}")
        os.write(ready, b".")


def numbered(act: int) -> Confirmation:
    """Return the question that act *act* saves; it is long, so that its writing takes a while."""
    return Confirmation(
        id=f"cf_{act}",
        conversation_id="c",
        question=f"{act} " * 2000,
        choices=(Choice(number=1, label="はい"),),
        fingerprint=str(act),
        created_at=NOW,
        updated_at=NOW,
        expires_at=NOW + timedelta(days=1),
    )
