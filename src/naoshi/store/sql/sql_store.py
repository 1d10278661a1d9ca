"""All that Naoshi remembers, in a database."""

from pathlib import Path
from typing import Self, TypeVar

from naoshi.records.base import Record
from naoshi.store.nouns import noun
from naoshi.store.repositories import Repositories
from naoshi.store.sql.database import Database
from naoshi.store.sql.engine import database_url
from naoshi.store.sql.sql_confirmation_store import SqlConfirmationStore
from naoshi.store.sql.sql_ledger import SqlLedger
from naoshi.store.sql.sql_repository import SqlRepository

T = TypeVar("T", bound=Record)


class SqlStore(Repositories):
    """A `naoshi.store.ports.Store` on SQLite or PostgreSQL. Threads and processes may share the database.

    It is a store of confirmations too: ``save``, ``get`` and ``clear`` are those of `SqlConfirmationStore`, so that
    ``Confirmations(SqlStore.open(url))`` keeps the questions beside all else.
    """

    def __init__(self, *, database: Database) -> None:
        self._database = database
        super().__init__(self._repository)
        self.ledger = SqlLedger(database=database)
        confirmations = SqlConfirmationStore(database=database)
        self.save = confirmations.save
        self.get = confirmations.get
        self.clear = confirmations.clear
        self.conversations = confirmations.conversations
        self.transaction = database.transaction
        self.close = database.close

    @classmethod
    def open(cls, place: str | Path, *, busy_seconds: float = 30.0) -> Self:
        """Open the database at *place*, making and migrating it where needed.

        *place* is the path of a SQLite file, or a URL: ``sqlite:///FILE`` or ``postgresql://USER@HOST/NAME``.
        A write waits at most *busy_seconds* for those of other processes.

        Raises:
            ConfigError: *place* is a URL of no or of another kind of database.
            MissingExtraError: the driver for PostgreSQL is not installed.
            StoreError: it cannot be opened, is damaged or locked, or was written by a newer Naoshi.
        """
        return cls(database=Database(url=database_url(place), busy_seconds=busy_seconds))

    def _repository(self, record: type[T], name: str) -> SqlRepository[T]:
        return SqlRepository(database=self._database, record=record, noun=noun(name))
