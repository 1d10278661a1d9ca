"""The ledger in a database, which itself refuses to change or remove an entry."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import Connection, insert, select

from naoshi.records.release import LedgerEntry
from naoshi.store.index_key import text_key
from naoshi.store.ledger_chain import next_entry
from naoshi.store.record_text import record_from_text, record_to_text
from naoshi.store.sql.database import Database
from naoshi.store.sql.tables import ledger_table


class SqlLedger:
    """The append-only, hash-chained record of decisions. Processes that append at once wait for each other."""

    def __init__(self, *, database: Database) -> None:
        self._database = database
        self._table = ledger_table(database.schema)

    def append(
        self, *, key: str, kind: str, actor: str, subject: str, payload: dict[str, JsonValue], at: datetime
    ) -> LedgerEntry:
        """Enter the act called *key*; if it is entered already, return that entry and change nothing.

        Raises:
            StoreError: the database failed; nothing was entered.
            ValueError: *payload* holds NaN or an infinity, or *at* has no time zone.
        """
        with self._database.writing() as connection:
            if not self._database.is_sqlite:
                # Readers go on; a second writer waits, so that it sees the entry that it has to follow.
                connection.exec_driver_sql("LOCK TABLE naoshi.ledger IN SHARE ROW EXCLUSIVE MODE")
            known = self._known(connection, key)
            if known is not None:
                return known
            entry = next_entry(
                self._last(connection), key=key, kind=kind, actor=actor, subject=subject, payload=payload, at=at
            )
            row = {"sequence": entry.sequence, "key": text_key(key), "body": record_to_text(entry)}
            links = {"previous": entry.previous, "digest": entry.digest}
            connection.execute(insert(self._table).values(row | links))
            return entry

    def entries(self) -> Sequence[LedgerEntry]:
        """Return all entries, oldest first.

        Raises:
            StoreError: the database failed, or an entry is damaged.
        """
        query = select(self._table.c.sequence, self._table.c.body).order_by(self._table.c.sequence)
        with self._database.reading() as connection:
            rows = connection.execute(query).all()
        return [record_from_text(LedgerEntry, body, identifier=str(sequence)) for sequence, body in rows]

    def _known(self, connection: Connection, key: str) -> LedgerEntry | None:
        body = connection.execute(select(self._table.c.body).where(self._table.c.key == text_key(key))).scalar()
        return None if body is None else record_from_text(LedgerEntry, body, identifier=key)

    def _last(self, connection: Connection) -> LedgerEntry | None:
        query = select(self._table.c.body).order_by(self._table.c.sequence.desc()).limit(1)
        body = connection.execute(query).scalar()
        return None if body is None else record_from_text(LedgerEntry, body, identifier="(last)")
