"""Workflows on a Python whose SQLite is older than DBOS thinks."""

import sqlite3
import time
from contextlib import closing

import pytest

from naoshi.flow.old_sqlite import SubsecConnection, connect_arguments


def test_times_have_milliseconds() -> None:
    """Protects cycles on Python 3.12 and newer with the SQLite of Debian 12: a default of a table is no NULL."""
    with closing(sqlite3.connect(":memory:", factory=SubsecConnection)) as connection:
        connection.execute("CREATE TABLE made (name TEXT, at INTEGER NOT NULL DEFAULT (unixepoch('subsec') * 1000))")
        before = time.time()
        connection.execute("INSERT INTO made (name) VALUES ('one')")
        [(made,)] = connection.execute("SELECT at FROM made").fetchall()
    assert before * 1000 - 1 <= made <= time.time() * 1000 + 1


def test_other_words_are_as_they_were() -> None:
    """Protects what SQLite answers already: the present second, and NULL for what is no time."""
    with closing(sqlite3.connect(":memory:", factory=SubsecConnection)) as connection:
        [(now, nothing)] = connection.execute("SELECT unixepoch('now'), unixepoch('nonsense')").fetchall()
    assert abs(now - time.time()) <= 1
    assert isinstance(now, int)
    assert nothing is None


def test_whatever_sqlite_there_is_knows_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The function is put in where the release lacks it, and only there."""
    with closing(sqlite3.connect(":memory:", **connect_arguments())) as connection:
        [(known,)] = connection.execute("SELECT unixepoch('subsec')").fetchall()
    assert abs(known - time.time()) <= 1
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 42, 0))
    assert connect_arguments() == {}
