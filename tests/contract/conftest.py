"""The stores that the contract suite runs on."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from naoshi import confirm
from naoshi.store import MemoryStore, Store
from naoshi.store.redis import RedisStore
from naoshi.store.sql import SqlStore


@pytest.fixture
def emptied_postgres(postgres_url: str) -> str:
    """The URL of a database whose tables are emptied, which is faster than making them again for each test."""
    url = f"{postgres_url}/contract"
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        connection.execute("SET session_replication_role = replica")
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'naoshi'").fetchall()
        for (name,) in tables:
            if name != "schema_version":
                connection.execute(sql.SQL("DELETE FROM naoshi.{}").format(sql.Identifier(name)))
    return url


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind."""
    if request.param == "memory":
        made: Store = MemoryStore()
    elif request.param == "sqlite":
        made = SqlStore.open(tmp_path / "naoshi.db")
    else:
        made = SqlStore.open(request.getfixturevalue("emptied_postgres"))
    yield made
    made.close()


@pytest.fixture(params=["memory", "file", "sqlite", "postgresql", "redis"])
def confirmation_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[confirm.ConfirmationStore]:
    """An empty store of confirmations of each kind."""
    if request.param in ("memory", "file"):
        yield confirm.MemoryStore() if request.param == "memory" else confirm.FileStore(tmp_path / "confirmations")
        return
    made: RedisStore | SqlStore
    if request.param == "redis":
        made = RedisStore.open(request.getfixturevalue("fresh_redis"))
    elif request.param == "sqlite":
        made = SqlStore.open(tmp_path / "naoshi.db")
    else:
        made = SqlStore.open(request.getfixturevalue("emptied_postgres"))
    with closing(made):
        yield made
