"""Opening a database: from a URL or a path to a SQLAlchemy engine with the settings that durability needs."""

from importlib import import_module
from pathlib import Path
from typing import Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from naoshi.errors import ConfigError, MissingExtraError, StoreError

READING: Final = {"naoshi_reading": True}
"""Execution options of a connection that only reads, so that SQLite need not wait for writers."""

_SQLITE = frozenset({"sqlite", "sqlite+pysqlite"})
_POSTGRESQL = frozenset({"postgres", "postgresql", "postgresql+psycopg"})
_FORMS = "use sqlite:///FILE or postgresql://USER@HOST/NAME"
_CONNECT_SECONDS = 10


def database_url(place: str | Path) -> URL:
    """Return the URL of *place*: a SQLite file's path, or a URL.

    Raises:
        ConfigError: it is no URL, or one of a database that is not supported.
    """
    if isinstance(place, Path):
        return URL.create("sqlite", database=str(place))
    try:
        url = make_url(place)
    except (ArgumentError, ValueError) as error:
        raise ConfigError("the database URL cannot be read", hint=_FORMS) from error
    if url.drivername in _POSTGRESQL:
        return url.set(drivername="postgresql+psycopg")
    if url.drivername not in _SQLITE:
        raise ConfigError(f"databases of the kind {url.drivername!r} are not supported", hint=_FORMS)
    if url.database in (None, "", ":memory:"):
        raise ConfigError("a SQLite database needs a file", hint="for memory alone use naoshi.store.MemoryStore")
    return url


def open_engine(url: URL, *, busy_seconds: float) -> Engine:
    """Return an engine for *url*; nothing is connected yet, but a SQLite file's folder is made.

    Raises:
        MissingExtraError: the driver for PostgreSQL is not installed.
        StoreError: the folder cannot be made.
    """
    return _sqlite(url, busy_seconds) if url.get_backend_name() == "sqlite" else _postgresql(url, busy_seconds)


def _sqlite(url: URL, busy_seconds: float) -> Engine:
    database = str(url.database)
    if not database.startswith("file:"):
        try:
            Path(database).parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"cannot make the folder of {database}: {error.strerror}") from error
    engine = create_engine(url, connect_args={"timeout": busy_seconds})
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: Any, _record: object) -> None:
    # sqlite3 would begin transactions by its own rules; ours begin as `_begin_sqlite` says.
    connection.isolation_level = None
    for setting in ("foreign_keys=ON", "synchronous=FULL", "recursive_triggers=ON"):
        connection.execute(f"PRAGMA {setting}")


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads first and writes later would fail at once, not wait, when another one wrote between.
    reading = connection.get_execution_options().get("naoshi_reading", False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def _postgresql(url: URL, busy_seconds: float) -> Engine:
    try:
        import_module("psycopg")  # loaded late: only those who use PostgreSQL have it
    except ImportError as error:
        raise MissingExtraError(
            "PostgreSQL needs the package psycopg, which is not installed",
            hint='install it with: pip install "naoshi[postgres]"',
        ) from error
    arguments: dict[str, Any] = {
        "application_name": "naoshi",
        "client_encoding": "utf8",
        "connect_timeout": _CONNECT_SECONDS,
    }
    engine = create_engine(
        url,
        connect_args={name: value for name, value in arguments.items() if name not in url.query},
        isolation_level="READ COMMITTED",
        pool_pre_ping=True,
    )

    def wait_no_longer(connection: Connection) -> None:
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {int(busy_seconds * 1000)}")

    event.listen(engine, "begin", wait_no_longer)
    return engine
