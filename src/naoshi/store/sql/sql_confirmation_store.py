"""The state of each conversation in a database, for agents that keep their questions in SQLite or PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Connection, Select, bindparam, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import ReturningInsert, ReturningUpdate

from naoshi.errors import StoreError
from naoshi.records.confirmation import ConversationState, Settlement
from naoshi.store.index_key import text_key
from naoshi.store.record_text import record_from_text, record_to_text
from naoshi.store.sql.database import Database
from naoshi.store.sql.engine import database_url
from naoshi.store.sql.tables import confirmation_table

_ATTEMPTS = 1000


class SqlConfirmationStore:
    """A `naoshi.confirm.ConfirmationStore` on SQLite or PostgreSQL. Threads and processes may share the database.

    `SqlStore` offers the same operations, and this class is what it makes them of: an agent that has no use for the
    loop's records opens this one alone. Both use one table, so that the loop sees the questions of its agents.

    A write is one transaction, durable when the call returns. A row that another process changes meanwhile is
    waited for (SQLite, which has one writer at a time) or found out by its revision (PostgreSQL). A call inside
    `SqlStore.transaction` takes part in it, and so is durable when that ends.
    """

    def __init__(self, *, database: Database) -> None:
        self._database = database
        self._table = confirmation_table(database.schema)
        # Made once: building them anew would take longer than running them.
        self._select, self._insert, self._update = _statements(database)
        self._lock = self._select if database.is_sqlite else self._select.with_for_update()
        self.close = database.close

    @classmethod
    def open(cls, place: str | Path, *, busy_seconds: float = 30.0) -> Self:
        """Open the database at *place*, making and migrating it where needed; see `SqlStore.open`.

        Raises:
            ConfigError: *place* is a URL of no or of another kind of database.
            MissingExtraError: the driver for PostgreSQL is not installed.
            StoreError: it cannot be opened, is damaged or locked, or was written by a newer Naoshi.
        """
        return cls(database=Database(url=database_url(place), busy_seconds=busy_seconds))

    def save(self, state: ConversationState, *, after: int | None = None) -> bool:
        """Keep *state* in place of what its conversation had, and return True.

        Args:
            state: the new state.
            after: where given, nothing is written, and False returned, unless the kept state still has this
                revision (0 where nothing is kept).

        Raises:
            StoreError: the database failed, or what is there cannot be read; nothing was changed.
        """
        with self._database.writing() as connection:
            for _ in range(_ATTEMPTS):
                kept = self._locked(connection, state.conversation_id)
                revision = kept.revision if kept else 0
                if after is not None and revision != after:
                    return False
                if self._write(connection, state.model_copy(update={"revision": revision + 1}), after=revision):
                    return True
        raise StoreError("the conversation's state changes without end")

    def get(self, conversation_id: str) -> ConversationState | None:
        """Return the state of the conversation, or None where nothing was ever kept.

        Raises:
            StoreError: the database failed, or the state is damaged or belongs to another conversation.
        """
        with self._database.reading() as connection:
            return self._read(connection, conversation_id, lock=False)

    def clear(
        self,
        conversation_id: str,
        *,
        confirmation_id: str | None = None,
        settlement: Settlement | None = None,
    ) -> bool:
        """Take away the pending question, and return whether this caller was the one who did.

        Args:
            conversation_id: the conversation.
            confirmation_id: where given, only the question with this identifier is cleared.
            settlement: the decision to remember, written in the same act.

        Raises:
            StoreError: the database failed, or the state cannot be read; nothing was changed.
        """
        with self._database.writing() as connection:
            kept = self._locked(connection, conversation_id)
            if kept is None or not kept.has_pending(confirmation_id):
                return False
            return self._write(connection, kept.without_question(settlement), after=kept.revision)

    def conversations(self) -> Iterator[ConversationState]:
        """Yield the state of every conversation, in no order.

        Raises:
            StoreError: the database failed, or a state cannot be read.
        """
        with self._database.reading() as connection:
            rows = connection.execute(select(self._table.c.conversation_key, self._table.c.body)).all()
        for key, body in rows:
            yield record_from_text(ConversationState, body, identifier=key)

    def _locked(self, connection: Connection, conversation_id: str) -> ConversationState | None:
        # On SQLite nothing is locked: transactions that write exclude each other from their beginning.
        return self._read(connection, conversation_id, lock=True)

    def _read(self, connection: Connection, conversation_id: str, *, lock: bool) -> ConversationState | None:
        parameters = {"key": text_key(conversation_id)}
        row = connection.execute(self._lock if lock else self._select, parameters).one_or_none()
        if row is None:
            return None
        revision, body = row
        state = record_from_text(ConversationState, body, identifier=conversation_id)
        if state.conversation_id != conversation_id or state.revision != revision:
            raise StoreError(f"the stored state of the conversation {conversation_id!r} is not its own")
        return state

    def _write(self, connection: Connection, state: ConversationState, *, after: int) -> bool:
        parameters = {"key": text_key(state.conversation_id), "now": state.revision, "state": record_to_text(state)}
        if after == 0:
            return connection.execute(self._insert, parameters).first() is not None
        return connection.execute(self._update, {**parameters, "after": after}).first() is not None


def _statements(database: Database) -> tuple[Select[Any, Any], ReturningInsert[Any], ReturningUpdate[Any]]:
    """Return how a state is read, how one is put where none is, and how it takes the place of revision ``after``."""
    table = confirmation_table(database.schema)
    key, revision, body = table.c.conversation_key, table.c.revision, table.c.body
    insert = sqlite.insert if database.is_sqlite else postgresql.insert
    named: dict[str, Any] = {"revision": bindparam("now"), "body": bindparam("state")}
    fresh = insert(table).values(conversation_key=bindparam("key"), **named).on_conflict_do_nothing()
    same = (key == bindparam("key")) & (revision == bindparam("after"))
    return (
        select(revision, body).where(key == bindparam("key")),
        fresh.returning(key),
        update(table).where(same).values(named).returning(key),
    )
