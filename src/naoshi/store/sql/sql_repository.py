"""The records of one noun in a database."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from sqlalchemy import ColumnElement, Connection, Table, false, func, select
from sqlalchemy.dialects import postgresql, sqlite

from naoshi.errors import RecordConflictError
from naoshi.records.base import Record
from naoshi.store.index_key import index_key, text_key
from naoshi.store.nouns import Noun
from naoshi.store.record_text import record_from_text, record_to_text, same_record
from naoshi.store.sql.database import Database
from naoshi.store.sql.tables import is_number, record_tables

T = TypeVar("T", bound=Record)
Row = dict[str, str | int | None]

_CHUNK = 250


class SqlRepository(Generic[T]):
    """Keeps one noun in the table of its name: identifier and indexed fields as columns, the record as JSON."""

    def __init__(self, *, database: Database, record: type[T], noun: Noun) -> None:
        self._database = database
        self._record = record
        self._noun = noun
        self._table = record_tables(database.schema)[noun.name]
        self._insert = sqlite.insert if database.is_sqlite else postgresql.insert

    def add(self, record: T) -> bool:
        """Keep *record*; return False when the same one was there already.

        Raises:
            RecordConflictError: another record has its identifier.
            StoreError: the database failed; nothing was changed.
        """
        return self.add_all([record]) == 1

    def add_all(self, records: Iterable[T]) -> int:
        """Keep all *records* or, on a conflict, none; return how many were new.

        Raises:
            RecordConflictError: another record has the identifier of one of them.
            StoreError: the database failed; nothing was changed.
        """
        rows: dict[str, tuple[T, Row]] = {}
        for record in records:
            row = self._row(record)
            key = str(row[self._noun.identifier])
            known = rows.setdefault(key, (record, row))
            if known[0] is not record:
                self._require_same(record, row, str(known[1]["body"]))
        if not rows:
            return 0
        with self._database.writing() as connection:
            return sum(self._add_chunk(connection, chunk) for chunk in _chunks(rows))

    def put(self, record: T) -> None:
        """Keep *record* in place of any with its identifier.

        Raises:
            StoreError: the database failed; nothing was changed.
        """
        row = self._row(record)
        statement = self._insert(self._table).values(row)
        changed = {name: statement.excluded[name] for name in row if name != self._noun.identifier}
        with self._database.writing() as connection:
            connection.execute(statement.on_conflict_do_update(index_elements=[self._noun.identifier], set_=changed))

    def get(self, identifier: str) -> T | None:
        """Return the record called *identifier*, or None.

        Raises:
            StoreError: the database failed, or the stored record is damaged.
        """
        query = select(self._table.c.body).where(self._identifier == text_key(identifier))
        with self._database.reading() as connection:
            body = connection.execute(query).scalar()
        return None if body is None else record_from_text(self._record, body, identifier=identifier)

    def find(self, **where: str | int | bool | None) -> Sequence[T]:
        """Return the records whose indexed fields equal all of *where*, in order of arrival.

        Raises:
            ValueError: a field is not indexed.
            StoreError: the database failed, or a stored record is damaged.
        """
        query = select(self._identifier, self._table.c.body).where(*self._conditions(where))
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(self._table.c.sequence)).all()
        return [record_from_text(self._record, body, identifier=identifier) for identifier, body in rows]

    def count(self, **where: str | int | bool | None) -> int:
        """Return how many records `find` would return.

        Raises:
            ValueError: a field is not indexed.
            StoreError: the database failed.
        """
        query = select(func.count()).select_from(self._table).where(*self._conditions(where))
        with self._database.reading() as connection:
            return connection.execute(query).scalar_one()

    @property
    def _identifier(self) -> ColumnElement[str]:
        return self._table.c[self._noun.identifier]

    def _row(self, record: T) -> Row:
        index = {name: index_key(value) for name, value in self._noun.index_of(record).items()}
        identifier = text_key(str(getattr(record, self._noun.identifier)))
        return {self._noun.identifier: identifier, **index, "body": record_to_text(record)}

    def _add_chunk(self, connection: Connection, chunk: Mapping[str, tuple[T, Row]]) -> int:
        statement = self._insert(self._table).on_conflict_do_nothing(index_elements=[self._noun.identifier])
        parameters: list[Row] = [row for _, row in chunk.values()]
        fresh = set(connection.execute(statement.returning(self._identifier), parameters).scalars())
        known = [key for key in chunk if key not in fresh]
        if known:
            query = select(self._identifier, self._table.c.body).where(self._identifier.in_(known))
            for key, stored in connection.execute(query):
                self._require_same(*chunk[key], stored)
        return len(fresh)

    def _require_same(self, record: T, row: Row, stored: str) -> None:
        if not same_record(record, str(row["body"]), stored):
            identifier = getattr(record, self._noun.identifier)
            raise RecordConflictError(f"another {self._record.__name__} is already called {identifier!r}")

    def _conditions(self, where: Mapping[str, str | int | bool | None]) -> list[ColumnElement[bool]]:
        self._noun.require_indexed(where)
        return [self._condition(self._table, name, value) for name, value in where.items()]

    def _condition(self, table: Table, name: str, value: str | int | bool | None) -> ColumnElement[bool]:
        key = index_key(value)
        column: ColumnElement[Any] = table.c[name]
        if key is None:
            return column.is_(None)
        # A text never equals a number; databases differ in what they make of such a comparison.
        return column == key if isinstance(key, int) == is_number(self._noun, name) else false()


def _chunks(rows: Mapping[str, tuple[T, Row]]) -> Iterator[dict[str, tuple[T, Row]]]:
    keys = list(rows)
    for start in range(0, len(keys), _CHUNK):
        yield {key: rows[key] for key in keys[start : start + _CHUNK]}
