"""The stores that the contract suite runs on, and a fresh database of each kind."""

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from naoshi.store import MemoryStore, Store
from naoshi.store.sql import SqlStore

_databases = count(1)


@pytest.fixture
def fresh_postgres(postgres_url: str) -> str:
    """The URL of a new, empty PostgreSQL database."""
    import psycopg

    name = f"naoshi_{next(_databases)}"
    with closing(psycopg.connect(f"{postgres_url}/postgres", autocommit=True)) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return f"{postgres_url}/{name}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of a new, empty database, once of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'naoshi.db'}"
    return request.getfixturevalue("fresh_postgres")


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind."""
    if request.param == "memory":
        made: Store = MemoryStore()
    elif request.param == "sqlite":
        made = SqlStore.open(tmp_path / "naoshi.db")
    else:
        made = SqlStore.open(request.getfixturevalue("fresh_postgres"))
    yield made
    made.close()


@pytest.fixture
def open_store() -> Iterator[Callable[[str], SqlStore]]:
    """Opens stores that are closed when the test ends."""
    opened: list[SqlStore] = []

    def open_one(place: str) -> SqlStore:
        opened.append(SqlStore.open(place))
        return opened[-1]

    yield open_one
    for one in opened:
        one.close()
