"""A store in memory: the public fake. It behaves as the SQL store does, and users' own tests may use it."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from datetime import datetime
from threading import RLock
from typing import Generic, TypeVar

from pydantic import JsonValue

from naoshi.errors import RecordConflictError
from naoshi.records.base import Record
from naoshi.records.release import LedgerEntry
from naoshi.store.index_key import index_key
from naoshi.store.ledger_chain import next_entry
from naoshi.store.nouns import Noun, noun
from naoshi.store.record_text import record_from_text, record_to_text, same_record
from naoshi.store.repositories import Repositories

T = TypeVar("T", bound=Record)
Kept = tuple[str, dict[str, str | int | None]]


class MemoryRepository(Generic[T]):
    """Keeps one noun as text, so that nobody's later change of a list or dict inside a record reaches it."""

    def __init__(self, *, record: type[T], noun: Noun, lock: RLock) -> None:
        self._record = record
        self._noun = noun
        self._lock = lock
        self._kept: dict[str, Kept] = {}

    def add(self, record: T) -> bool:
        """Keep *record*; return False when the same one was there already.

        Raises:
            RecordConflictError: another record has its identifier.
        """
        return self.add_all([record]) == 1

    def add_all(self, records: Iterable[T]) -> int:
        """Keep all *records* or, on a conflict, none; return how many were new.

        Raises:
            RecordConflictError: another record has the identifier of one of them.
        """
        fresh: dict[str, Kept] = {}
        with self._lock:
            for record in records:
                identifier, kept = self._identifier(record), self._keep(record)
                known = self._kept.get(identifier) or fresh.get(identifier)
                if known is None:
                    fresh[identifier] = kept
                elif not same_record(record, kept[0], known[0]):
                    raise RecordConflictError(f"another {self._record.__name__} is already called {identifier!r}")
            self._kept.update(fresh)
        return len(fresh)

    def put(self, record: T) -> None:
        """Keep *record* in place of any with its identifier."""
        kept = self._keep(record)
        with self._lock:
            self._kept[self._identifier(record)] = kept

    def get(self, identifier: str) -> T | None:
        """Return the record called *identifier*, or None."""
        with self._lock:
            kept = self._kept.get(identifier)
        return None if kept is None else record_from_text(self._record, kept[0], identifier=identifier)

    def find(self, **where: str | int | bool | None) -> Sequence[T]:
        """Return the records whose indexed fields equal all of *where*, in order of arrival.

        Raises:
            ValueError: a field is not indexed.
        """
        return [record_from_text(self._record, text, identifier=name) for name, text in self._matching(where)]

    def count(self, **where: str | int | bool | None) -> int:
        """Return how many records `find` would return."""
        return len(self._matching(where))

    def snapshot(self) -> dict[str, Kept]:
        """Return what is kept now, for `restore`."""
        return dict(self._kept)

    def restore(self, snapshot: dict[str, Kept]) -> None:
        """Go back to what `snapshot` returned."""
        self._kept = snapshot

    def _matching(self, where: dict[str, str | int | bool | None]) -> list[tuple[str, str]]:
        self._noun.require_indexed(where)
        wanted = {name: index_key(value) for name, value in where.items()}
        with self._lock:
            return [
                (identifier, text)
                for identifier, (text, index) in self._kept.items()
                if all(index[name] == value for name, value in wanted.items())
            ]

    def _identifier(self, record: T) -> str:
        return str(getattr(record, self._noun.identifier))

    def _keep(self, record: T) -> Kept:
        index = {name: index_key(value) for name, value in self._noun.index_of(record).items()}
        return record_to_text(record), index


class MemoryLedger:
    """The hash-chained record of decisions, in memory."""

    def __init__(self, *, lock: RLock) -> None:
        self._lock = lock
        self._entries: tuple[LedgerEntry, ...] = ()

    def append(
        self, *, key: str, kind: str, actor: str, subject: str, payload: dict[str, JsonValue], at: datetime
    ) -> LedgerEntry:
        """Enter the act called *key*; if it is entered already, return that entry and change nothing."""
        with self._lock:
            known = next((entry for entry in self._entries if entry.key == key), None)
            if known is not None:
                return known.model_copy(deep=True)
            last = self._entries[-1] if self._entries else None
            entry = next_entry(last, key=key, kind=kind, actor=actor, subject=subject, payload=payload, at=at)
            self._entries = (*self._entries, record_from_text(LedgerEntry, record_to_text(entry), identifier=key))
            return entry

    def entries(self) -> Sequence[LedgerEntry]:
        """Return all entries, oldest first."""
        return [entry.model_copy(deep=True) for entry in self._entries]

    def snapshot(self) -> tuple[LedgerEntry, ...]:
        """Return the entries as they are now, for `restore`."""
        return self._entries

    def restore(self, entries: tuple[LedgerEntry, ...]) -> None:
        """Go back to what `snapshot` returned."""
        self._entries = entries


class MemoryStore(Repositories):
    """All that Naoshi remembers, for as long as the process lives. Threads may share it."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._repositories: list[MemoryRepository[Record]] = []
        super().__init__(self._repository)
        self.ledger = MemoryLedger(lock=self._lock)

    @contextmanager
    def transaction(self) -> Generator[None]:
        """Keep all that is done inside, or nothing of it when the block raises. Other threads wait meanwhile."""
        with self._lock:
            before = [repository.snapshot() for repository in self._repositories]
            entries = self.ledger.snapshot()
            try:
                yield
            except BaseException:
                for repository, snapshot in zip(self._repositories, before, strict=True):
                    repository.restore(snapshot)
                self.ledger.restore(entries)
                raise

    def close(self) -> None:
        """Forget nothing: the store may be used on."""

    def _repository(self, record: type[T], name: str) -> MemoryRepository[T]:
        repository = MemoryRepository(record=record, noun=noun(name), lock=self._lock)
        self._repositories.append(repository)  # pyright: ignore[reportArgumentType]
        return repository
