"""One database, used by many threads: who is inside a transaction shares its connection."""

import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from threading import local

from sqlalchemy import URL, Connection, Engine
from sqlalchemy.exc import OperationalError, SQLAlchemyError

from naoshi.store.sql.engine import READING, open_engine
from naoshi.store.sql.failures import as_store_error
from naoshi.store.sql.migrate import migrate

_RETRY_SECONDS = 0.02


class Database:
    """An open database whose schema is the one that this Naoshi knows. ``name`` is its URL without a password.

    Raises:
        StoreError: it cannot be opened, is damaged, or was written by a newer Naoshi.
        MissingExtraError: the driver for PostgreSQL is not installed.
    """

    def __init__(self, *, url: URL, busy_seconds: float) -> None:
        self.name = url.render_as_string()
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self.schema = None if self.is_sqlite else "naoshi"
        self._engine = open_engine(url, busy_seconds=busy_seconds)
        self._here = local()
        try:
            with as_store_error(self.name):
                if self.is_sqlite:
                    _use_write_ahead_log(self._engine, busy_seconds)
                migrate(self._engine, name=self.name)
        except BaseException:
            self._engine.dispose()
            raise

    @contextmanager
    def reading(self) -> Generator[Connection]:
        """Give a connection that sees one state of the database: the transaction's own, where there is one."""
        current = self._current()
        with as_store_error(self.name):
            if current is not None:
                yield current
                return
            with self._engine.connect().execution_options(**READING) as connection:
                yield connection

    @contextmanager
    def writing(self) -> Generator[Connection]:
        """Give a connection in a transaction; what is done inside is kept all or none."""
        with self.transaction(), as_store_error(self.name):
            current = self._current()
            assert current is not None  # noqa: S101 - `transaction` has just set it
            yield current

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Keep all that this thread does inside, or nothing of it when the block raises.

        A block inside another joins it: what it did is undone alone when it raises, and together with all else
        when the outer block does.
        """
        current = self._current()
        if current is None:
            yield from self._outer()
        else:
            yield from self._inner(current)

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()

    def _current(self) -> Connection | None:
        return getattr(self._here, "connection", None)

    def _outer(self) -> Generator[None]:
        with as_store_error(self.name):
            connection = self._engine.connect()
        try:
            with as_store_error(self.name):
                connection.begin()
            self._here.connection = connection
            yield
            with as_store_error(self.name):
                connection.commit()
        except BaseException:
            with suppress(SQLAlchemyError):
                connection.rollback()
            raise
        finally:
            self._here.connection = None
            connection.close()

    def _inner(self, connection: Connection) -> Generator[None]:
        with as_store_error(self.name):
            savepoint = connection.begin_nested()
        try:
            yield
            with as_store_error(self.name):
                savepoint.commit()
        except BaseException:
            with suppress(SQLAlchemyError):
                savepoint.rollback()
            raise


def _use_write_ahead_log(engine: Engine, busy_seconds: float) -> None:
    # SQLite does not wait here as `busy_timeout` says when several processes open a new database at once.
    last = time.monotonic() + busy_seconds
    while True:
        try:
            connection = engine.raw_connection()
            try:
                connection.cursor().execute("PRAGMA journal_mode=WAL")
            finally:
                connection.close()
            return
        except Exception as error:
            if "locked" not in str(error) or time.monotonic() > last:
                raise OperationalError("PRAGMA journal_mode=WAL", None, error) from error
            time.sleep(_RETRY_SECONDS)
