"""Confirmations in a database, when the database is not as it should be, and beside the loop's records."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from sqlalchemy import create_engine

from naoshi.confirm import Confirmations, Outcome, Reason
from naoshi.errors import StoreError
from naoshi.store.sql import SqlConfirmationStore, SqlStore

LABELS = ["送る", "やめる"]


@pytest.fixture
def store(database: str) -> Iterator[SqlConfirmationStore]:
    """An empty store of each kind of database."""
    with closing(SqlConfirmationStore.open(database)) as opened:
        yield opened


def changed(database: str, assignment: str) -> None:
    """Change the only row behind the store's back."""
    engine = create_engine(database.replace("postgresql://", "postgresql+psycopg://"))
    table = "confirmations" if database.startswith("sqlite") else "naoshi.confirmations"
    with engine.begin() as connection:
        connection.exec_driver_sql(f"UPDATE {table} SET {assignment}")  # noqa: S608
    engine.dispose()


@pytest.mark.parametrize(
    "assignment",
    [
        "body = '{'",
        "body = 'null'",
        'body = \'{"conversation_id": "other", "revision": 1}\'',
        'body = replace(body, \'"choices":[{\', \'"choices":[{"x":1,\')',
        "revision = 7",
    ],
)
def test_a_damaged_state_fails_closed(database: str, store: SqlConfirmationStore, assignment: str) -> None:
    """Protects against "nothing pending" where something is pending and cannot be read."""
    confirmations = Confirmations(store)
    confirmations.ask("c", "送りますか？", LABELS)
    changed(database, assignment)
    turn = confirmations.receive("c", "1")
    assert (turn.outcome, turn.reason, turn.choice) == (Outcome.unresolved, Reason.store_error, None)
    for act in (lambda: confirmations.pending("c"), lambda: confirmations.ask("c", "もう一度", LABELS)):
        with pytest.raises(StoreError):
            act()


def test_the_loop_s_store_keeps_confirmations_too(database: str) -> None:
    """Protects the contract: a `SqlStore` is a store of confirmations, in the same table as the smaller class."""
    with closing(SqlStore.open(database)) as whole, closing(SqlConfirmationStore.open(database)) as alone:
        Confirmations(whole).ask("c", "送りますか？", LABELS)
        assert [state.conversation_id for state in alone.conversations()] == ["c"]
        assert Confirmations(alone).receive("c", "2").choice == 2
        assert Confirmations(whole).pending("c") is None


def test_a_transaction_that_fails_takes_the_question_back(database: str) -> None:
    """Protects a question from outliving the records that it is about."""
    with closing(SqlStore.open(database)) as store:
        with pytest.raises(RuntimeError), store.transaction():
            Confirmations(store).ask("c", "送りますか？", LABELS)
            raise RuntimeError
        assert Confirmations(store).pending("c") is None


def test_a_second_process_sees_the_question(database: str) -> None:
    """Protects the question from a restart: what one opening kept, the next one resolves."""
    with closing(SqlConfirmationStore.open(database)) as first:
        Confirmations(first).ask("c", "送りますか？", LABELS)
    with closing(SqlConfirmationStore.open(database)) as second:
        assert Confirmations(second).receive("c", "１").choice == 1
