"""What only a database can get wrong: schema, durability, several processes, damage."""

import os
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.exc import DBAPIError

from naoshi.errors import ConfigError, MissingExtraError, StoreError
from naoshi.records import Span, Trace
from naoshi.store import NOUNS, verify_chain
from naoshi.store.sql import SqlStore
from naoshi.store.sql import migrate as migrate_module
from naoshi.store.sql.migrate import Migration, migrations
from naoshi.store.sql.tables import record_tables

NOW = datetime(2026, 3, 1, tzinfo=UTC)
KILLS = int(os.environ.get("NAOSHI_TEST_KILLS", "4"))

Open = Callable[..., SqlStore]


@pytest.fixture
def opened() -> Iterator[Open]:
    """Opens stores that are closed when the test ends."""
    stores: list[SqlStore] = []

    def open_store(place: str | Path, **more: float) -> SqlStore:
        stores.append(SqlStore.open(place, **more))
        return stores[-1]

    yield open_store
    for store in stores:
        store.close()


def trace(name: str, **more: object) -> Trace:
    return Trace.model_validate({"trace_id": name, "started_at": NOW, **more})


def enter(store: SqlStore, key: str) -> None:
    store.ledger.append(key=key, kind="release", actor="mari", subject="v1", payload={"key": key}, at=NOW)


def driver_url(database: str) -> str:
    return database.replace("postgresql://", "postgresql+psycopg://")


def test_the_schema_has_all_that_the_nouns_ask_for(database: str, opened: Open) -> None:
    """A noun or field that was added without a migration would fail at a user's first use."""
    opened(database)
    engine = create_engine(driver_url(database))
    schema = None if database.startswith("sqlite") else "naoshi"
    found = inspect(engine)
    for noun in NOUNS:
        columns = {column["name"]: column for column in found.get_columns(noun.name, schema=schema)}
        assert {"sequence", noun.identifier, *noun.indexed, "body", "added_at"} == set(columns)
        for column in record_tables(schema)[noun.name].columns:
            assert columns[column.name]["type"].python_type is column.type.python_type, (noun.name, column.name)
        indexed = {tuple(index["column_names"]) for index in found.get_indexes(noun.name, schema=schema)}
        assert {(field, "sequence") for field in noun.indexed} <= indexed
    engine.dispose()


def test_what_was_kept_is_there_after_opening_again(database: str) -> None:
    """A second process, or the next day, sees the same."""
    first = SqlStore.open(database)
    first.traces.add(trace("t"))
    enter(first, "k")
    first.close()
    second = SqlStore.open(database)
    assert second.traces.find() == [trace("t")]
    assert verify_chain(second.ledger.entries()) == 1
    second.close()


def test_a_database_of_a_newer_naoshi_is_refused(database: str, opened: Open) -> None:
    """An old program must not write what a newer one has moved on from; one clear line says so."""
    opened(database).close()
    engine = create_engine(driver_url(database))
    future = "INSERT INTO schema_version (version, name) VALUES (9000, 'future')"
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SET LOCAL search_path TO naoshi"))
        connection.execute(text(future))
    engine.dispose()
    with pytest.raises(StoreError, match="has schema 9000") as caught:
        opened(database)
    assert "\n" not in caught.value.line()


def test_an_older_database_is_brought_up(database: str, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database from before the ledger gets one, and its records stay."""
    dialect = "sqlite" if database.startswith("sqlite") else "postgresql"
    every = migrations(dialect)
    monkeypatch.setattr(migrate_module, "migrations", lambda _: every[:1])
    old = SqlStore.open(database)
    old.traces.add(trace("t"))
    old.close()
    monkeypatch.undo()
    new = opened(database)
    enter(new, "k")
    assert new.traces.count() == 1


def test_a_migration_that_fails_changes_nothing(database: str, opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """A schema half brought up could be neither used nor mended."""
    store = opened(database)
    store.traces.add(trace("t"))
    store.close()
    dialect = "sqlite" if database.startswith("sqlite") else "postgresql"
    broken = Migration(
        number=9000, name="broken", script="CREATE TABLE half (x INTEGER);\nCREATE TABLE half (x INTEGER);"
    )
    every = (*migrations(dialect), broken)
    monkeypatch.setattr(migrate_module, "migrations", lambda _: every)
    with pytest.raises(StoreError, match="half"):
        opened(database)
    monkeypatch.undo()
    assert opened(database).traces.count() == 1
    engine = create_engine(driver_url(database))
    assert not inspect(engine).has_table("half", schema=None if dialect == "sqlite" else "naoshi")
    engine.dispose()


def test_the_numbers_of_migrations_have_no_gap() -> None:
    """Two branches that took one number, or a file for one database only, show here."""
    names = [[(step.number, step.name) for step in migrations(dialect)] for dialect in ("sqlite", "postgresql")]
    assert names[0] == names[1]
    assert [number for number, _ in names[0]] == list(range(1, len(names[0]) + 1))


def test_sqlite_is_set_up_for_durability(tmp_path: Path, opened: Open) -> None:
    """Write-ahead log, foreign keys and a sync at each commit are what the promises rest on."""
    store = opened(tmp_path / "naoshi.db")
    with store._database.writing() as connection:
        asked = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "foreign_keys", "synchronous", "busy_timeout", "recursive_triggers")
        }
    assert asked == {
        "journal_mode": "wal",
        "foreign_keys": 1,
        "synchronous": 2,
        "busy_timeout": 30_000,
        "recursive_triggers": 1,
    }


STATEMENTS = [
    ("UPDATE ledger SET body = '{}'", "cannot be changed"),
    ("UPDATE ledger SET digest = previous WHERE sequence = 1", "cannot be changed"),
    ("DELETE FROM ledger", "cannot be|removed"),
    ("DELETE FROM ledger WHERE sequence = 2", "cannot be|removed"),
    ("INSERT INTO ledger (sequence, key, previous, digest, body) VALUES (9, 'x', 'p', 'd', '{}')", "must follow"),
    ("INSERT INTO ledger (sequence, key, previous, digest, body) VALUES (3, 'x', 'p', 'd', '{}')", "must follow"),
]
OF_SQLITE = [
    ("INSERT OR REPLACE INTO ledger (sequence, key, previous, digest, body) VALUES (2, 'k', 'p', 'd', '{}')", "must"),
    ("REPLACE INTO ledger (sequence, key, previous, digest, body) VALUES (3, 'k1', 'p', 'd', '{}')", "must"),
]
OF_POSTGRESQL = [("TRUNCATE ledger", "cannot be")]


def test_the_database_itself_keeps_the_ledger(database: str, opened: Open) -> None:
    """No SQL, by whatever program, changes, removes, replaces or forks an entry."""
    store = opened(database)
    enter(store, "k1")
    enter(store, "k2")
    before = list(store.ledger.entries())
    of_sqlite = database.startswith("sqlite")
    engine = create_engine(driver_url(database))
    for statement, reason in STATEMENTS + (OF_SQLITE if of_sqlite else OF_POSTGRESQL):
        with pytest.raises(DBAPIError, match=reason), engine.begin() as connection:
            connection.exec_driver_sql(statement if of_sqlite else statement.replace(" ledger", " naoshi.ledger"))
    engine.dispose()
    assert list(store.ledger.entries()) == before
    enter(store, "k3")
    assert verify_chain(store.ledger.entries()) == 3


PRELUDE = """
import sys, time
from datetime import UTC, datetime
from naoshi.records import Trace
from naoshi.store.sql import SqlStore
now = datetime(2026, 3, 1, tzinfo=UTC)
place, name = sys.argv[1:]
while time.time() < START: time.sleep(0.001)
store = SqlStore.open(place)
"""
APPENDER = """
for number in range(15):
    store.ledger.append(key=f"{name}-{number}", kind="k", actor=name, subject="s", payload={}, at=now)
    store.ledger.append(key=f"shared-{number}", kind="k", actor=name, subject="s", payload={}, at=now)
    store.traces.add(Trace(trace_id=f"shared-{number}", started_at=now))
"""
WRITER = """
number = 0
while True:
    key = f"{name}-{number}"
    with store.transaction():
        store.traces.add(Trace(trace_id=f"a-{key}", started_at=now, output="x" * 5000))
        store.ledger.append(key=key, kind="k", actor="a", subject="s", payload={}, at=now)
        store.traces.add(Trace(trace_id=f"b-{key}", started_at=now, output="x" * 5000))
    print(key, flush=True)
    number += 1
"""


def start(program: str, place: str, name: str) -> "subprocess.Popen[str]":
    # All begin at one moment, when the interpreter and SQLAlchemy are loaded.
    begin = PRELUDE.replace("START", repr(time.time() + 1.5))
    return subprocess.Popen([sys.executable, "-c", begin + program, place, name], stdout=subprocess.PIPE, text=True)


def test_processes_that_append_at_once_never_fork_the_chain(database: str, opened: Open) -> None:
    """Four processes open a new database and append at the same time: one chain, each act once."""
    workers = [start(APPENDER, database, f"w{number}") for number in range(4)]
    for worker in workers:
        worker.communicate(timeout=120)
    assert [worker.returncode for worker in workers] == [0] * 4
    store = opened(database)
    entries = store.ledger.entries()
    assert verify_chain(entries) == 4 * 15 + 15
    assert store.traces.count() == 15


@pytest.mark.slow
def test_a_killed_process_leaves_all_or_nothing(database: str, opened: Open) -> None:
    """SIGKILL at any moment: each transaction is there whole or not at all, and what was confirmed is there."""
    chance = random.Random(7)
    confirmed: set[str] = set()
    for kill in range(KILLS if database.startswith("sqlite") else max(1, KILLS // 2)):
        writer = start(WRITER, database, f"k{kill}")
        assert writer.stdout is not None
        confirmed.add(writer.stdout.readline().strip())
        time.sleep(chance.random() * 0.1)
        writer.kill()
        confirmed |= {
            line.strip() for line in writer.communicate(timeout=60)[0].splitlines() if line.endswith("\n") or line
        }
    store = opened(database)
    names = {one.trace_id for one in store.traces.find()}
    keys = {entry.key for entry in store.ledger.entries()}
    assert names == {f"{side}-{key}" for key in keys for side in "ab"}
    assert confirmed <= keys
    assert verify_chain(store.ledger.entries()) == len(keys)
    enter(store, "after")


def test_a_thousand_traces_are_quick(database: str, opened: Open) -> None:
    """A day's traces come in within a second; the bound leaves room for a machine that is busy."""
    store = opened(database)
    spans = [
        Span(
            trace_id="t",
            span_id=f"s{n}",
            name="step",
            start_time=NOW,
            end_time=NOW,
            attributes={"output.value": "x" * 200},
        )
        for n in range(10)
    ]
    traces = [trace(f"t{n}", agent_version=f"v{n % 9}", spans=spans) for n in range(1000)]
    begun = time.process_time()
    assert store.traces.add_all(traces) == 1000
    assert time.process_time() - begun < 3
    begun = time.process_time()
    assert len(store.traces.find(agent_version="v3")) == 111
    assert store.traces.count(agent_version="v3") == 111
    assert time.process_time() - begun < 1


def test_find_uses_the_index(tmp_path: Path, opened: Open) -> None:
    """A question about one version does not read all traces."""
    opened(tmp_path / "naoshi.db")
    connection = sqlite3.connect(tmp_path / "naoshi.db")
    plan = connection.execute(
        "EXPLAIN QUERY PLAN SELECT trace_id, body FROM traces WHERE agent_version = 'v1' ORDER BY sequence"
    ).fetchall()
    connection.close()
    assert "traces_by_agent_version" in str(plan)
    assert "TEMP B-TREE" not in str(plan)


def line_of(error: StoreError) -> str:
    line = error.line()
    assert "\n" not in line
    assert len(line) < 500
    return line


def test_a_file_that_is_no_database_is_one_clear_line(tmp_path: Path, opened: Open) -> None:
    """The wrong file under the name is said, and is not touched."""
    wrong = tmp_path / "naoshi.db"
    wrong.write_text("this is a letter, not a database\n" * 100)
    with pytest.raises(StoreError) as caught:
        opened(wrong)
    assert "not a database" in line_of(caught.value)
    assert wrong.read_text().startswith("this is a letter")


def test_a_damaged_database_is_one_clear_line(tmp_path: Path, opened: Open) -> None:
    """A disk that lost a block shows as a StoreError, never as missing records."""
    place = tmp_path / "naoshi.db"
    store = SqlStore.open(place)
    store.traces.add_all([trace(f"t{n}", output="x" * 3000) for n in range(200)])
    store.close()
    content = bytearray(place.read_bytes())
    for page in range(100, len(content) // 4096):
        content[page * 4096 : page * 4096 + 4096] = os.urandom(4096)
    place.write_bytes(content)
    with pytest.raises(StoreError) as caught:
        opened(place).traces.find()
    assert "store-failed" in line_of(caught.value)


def test_a_damaged_record_is_named(tmp_path: Path, opened: Open) -> None:
    """A record that no longer reads is an error that names it; the others can still be had."""
    place = tmp_path / "naoshi.db"
    store = opened(place)
    store.traces.add_all([trace("good"), trace("bad")])
    connection = sqlite3.connect(place)
    for body in ("{", '{"trace_id": 1}', "[" * 100_000):
        connection.execute("UPDATE traces SET body = ? WHERE trace_id = 'bad'", (body,))
        connection.commit()
        with pytest.raises(StoreError) as caught:
            store.traces.find()
        assert "'bad'" in line_of(caught.value)
        assert store.traces.get("good") == trace("good")
    connection.close()


def test_a_locked_database_is_waited_for_and_then_said(tmp_path: Path, opened: Open) -> None:
    """Another program that holds the lock does not hang us for ever; readers go on meanwhile."""
    place = tmp_path / "naoshi.db"
    store = opened(place, busy_seconds=0.2)
    store.traces.add(trace("t"))
    holder = sqlite3.connect(place, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError) as caught:
        store.traces.add(trace("u"))
    assert "locked" in line_of(caught.value)
    assert store.traces.count() == 1
    holder.execute("ROLLBACK")
    holder.close()
    assert store.traces.add(trace("u"))


def test_a_reader_is_not_stopped_by_a_transaction(database: str, opened: Open) -> None:
    """The console stays readable while an import runs, and sees nothing half done."""
    writer, reader = opened(database), opened(database, busy_seconds=0.2)
    writer.traces.add(trace("before"))
    with writer.transaction():
        writer.traces.add(trace("inside"))
        enter(writer, "inside")
        assert [one.trace_id for one in reader.traces.find()] == ["before"]
        assert list(reader.ledger.entries()) == []


def test_a_database_that_may_not_be_written_is_one_clear_line(tmp_path: Path, opened: Open) -> None:
    """Reading goes on; a write says what is wrong."""
    place = tmp_path / "naoshi.db"
    store = SqlStore.open(place)
    store.traces.add(trace("t"))
    read_only = opened(f"sqlite:///file:{place}?mode=ro&uri=true")
    assert read_only.traces.count() == 1
    with pytest.raises(StoreError) as caught:
        read_only.traces.add(trace("u"))
    assert "readonly" in line_of(caught.value)
    store.close()


def test_a_place_that_cannot_be_is_one_clear_line(tmp_path: Path, opened: Open) -> None:
    """A folder, or a file where a folder must be."""
    (tmp_path / "file").write_text("")
    for place in (tmp_path, tmp_path / "file" / "naoshi.db"):
        with pytest.raises(StoreError) as caught:
            opened(place)
        line_of(caught.value)


@pytest.mark.parametrize(
    "url", ["mysql://u:hunter2@h/d", "nonsense", "", "sqlite://", "sqlite:///:memory:", "oracle://x", "://"]
)
def test_a_url_of_another_kind_is_a_setting_to_correct(url: str, opened: Open) -> None:
    """The message names the forms that work, and never repeats a password."""
    with pytest.raises(ConfigError) as caught:
        opened(url)
    assert "hunter2" not in caught.value.line()
    assert "sqlite:///FILE" in caught.value.line() or "MemoryStore" in caught.value.line()


def test_a_server_that_does_not_answer_is_one_clear_line(opened: Open) -> None:
    """The password in the URL is not shown."""
    with pytest.raises(StoreError) as caught:
        opened("postgresql://naoshi:hunter2@127.0.0.1:1/naoshi")
    assert "hunter2" not in line_of(caught.value)
    assert "127.0.0.1" in line_of(caught.value)


def test_postgresql_without_its_driver_says_how_to_get_it(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is optional, so that its absence is an instruction and not a traceback."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError) as caught:
        opened("postgresql://naoshi@127.0.0.1/naoshi")
    assert 'pip install "naoshi[postgres]"' in caught.value.line()


def test_a_server_that_went_away_and_came_back_is_used_again(
    postgres_url: str, fresh_postgres: str, opened: Open
) -> None:
    """A connection that the server ended does not fail the next call."""

    store = opened(fresh_postgres)
    store.traces.add(trace("t"))
    with psycopg.connect(f"{postgres_url}/postgres", autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'naoshi'")
    connection.close()
    assert store.traces.count() == 1


def test_importing_the_store_loads_no_sql() -> None:
    """`naoshi --help` and people's agents must not pay for SQLAlchemy."""
    program = (
        "import sys\nfrom naoshi.store import MemoryStore, Store, verify_chain\nprint('sqlalchemy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "False"
