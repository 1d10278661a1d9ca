"""Bringing a database to the schema that this Naoshi knows, one numbered step after the other.

A step is a file ``migrations/NNNN_name.sql`` for every database, or ``NNNN_name.sqlite.sql`` beside
``NNNN_name.postgresql.sql``. A file that stands for both may use ``$sequence`` (a number that counts up) and
``$moment`` (the time of writing). All steps that are missing are done in one transaction.
"""

import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template

from sqlalchemy import Connection, Engine, inspect, text

from naoshi.errors import StoreError
from naoshi.store.sql.engine import READING

_FILE = re.compile(r"(?P<number>\d{4})_(?P<name>\w+)(?:\.(?P<dialect>sqlite|postgresql))?\.sql")
_WORDS = {
    "sqlite": {
        "sequence": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "moment": "TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
    },
    "postgresql": {
        "sequence": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        "moment": "TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp()",
    },
}
_SCHEMA_LOCK = 0x6E616F736869  # "naoshi": two processes never migrate one database at the same time


@dataclass(frozen=True, kw_only=True)
class Migration:
    """One numbered step of the schema, as SQL for one kind of database."""

    number: int
    name: str
    script: str


@cache
def migrations(dialect: str) -> tuple[Migration, ...]:
    """Return all steps for *dialect* (``sqlite`` or ``postgresql``), in order."""
    found: list[Migration] = []
    for item in files("naoshi.store.sql").joinpath("migrations").iterdir():
        match = _FILE.fullmatch(item.name)
        if match is None or match["dialect"] not in (None, dialect):
            continue
        script = item.read_text(encoding="utf-8")
        if match["dialect"] is None:
            script = Template(script).substitute(_WORDS[dialect])
        found.append(Migration(number=int(match["number"]), name=match["name"], script=script))
    return tuple(sorted(found, key=lambda step: step.number))


def migrate(engine: Engine, *, name: str) -> None:
    """Do the steps that the database lacks.

    Raises:
        StoreError: the database was written by a newer Naoshi; nothing is changed.
    """
    steps = migrations(engine.dialect.name)
    with engine.connect().execution_options(**READING) as connection:
        if _version(connection, steps, name) == steps[-1].number:
            return
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _SCHEMA_LOCK})
        done = _version(connection, steps, name)
        for step in steps:
            if step.number > done:
                _apply(connection, step)


def _version(connection: Connection, steps: tuple[Migration, ...], name: str) -> int:
    """Return the number of the last step that was done, 0 in a new database."""
    schema = "naoshi" if connection.dialect.name == "postgresql" else None
    if not inspect(connection).has_table("schema_version", schema=schema):
        return 0
    table = f"{schema}.schema_version" if schema else "schema_version"
    version = connection.exec_driver_sql(f"SELECT max(version) FROM {table}").scalar() or 0  # noqa: S608
    if version > steps[-1].number:
        raise StoreError(
            f"the database {name} has schema {version}, and this Naoshi knows {steps[-1].number} at most",
            hint="update Naoshi, or use the database that this version wrote",
        )
    return int(version)


def _apply(connection: Connection, step: Migration) -> None:
    if connection.dialect.name == "sqlite":
        for statement in _statements(step.script):
            connection.exec_driver_sql(statement)
        table = "schema_version"
    else:
        connection.exec_driver_sql("CREATE SCHEMA IF NOT EXISTS naoshi")
        connection.exec_driver_sql("SET LOCAL search_path TO naoshi")
        connection.exec_driver_sql(step.script)
        table = "naoshi.schema_version"
    connection.execute(
        text(f"INSERT INTO {table} (version, name) VALUES (:version, :name)"),  # noqa: S608
        {"version": step.number, "name": step.name},
    )


def _statements(script: str) -> Iterator[str]:
    """Cut a SQLite script into statements; one inside a trigger does not end it."""
    gathered = ""
    for line in script.splitlines(keepends=True):
        gathered += line
        if sqlite3.complete_statement(gathered):
            yield gathered
            gathered = ""
    if gathered.strip():
        raise ValueError("a migration ends in the middle of a statement")
