"""What every store offers, whatever keeps it.

A `Repository` keeps one noun. `add` is for facts (the same fact twice is one fact, another fact under the same
identifier is a conflict); `put` is for state that moves on. `find` filters on the noun's indexed fields.
"""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeVar

from pydantic import JsonValue

from naoshi.records.base import Record
from naoshi.records.change import Attempt, Certificate, Change
from naoshi.records.correction import Correction, Triage
from naoshi.records.cycle import Cycle
from naoshi.records.decision import Decision
from naoshi.records.diagnosis import Diagnosis, Handoff
from naoshi.records.eval_case import EvalCase
from naoshi.records.eval_run import EvalRun
from naoshi.records.gate_self_test import GateSelfTest
from naoshi.records.proposal import Proposal
from naoshi.records.release import LedgerEntry, Release, Review, Version
from naoshi.records.repair import Repair
from naoshi.records.signal import FailureGroup, Signal
from naoshi.records.trace import QuarantinedLine, Trace
from naoshi.records.verdict import Baseline, Verdict

T = TypeVar("T", bound=Record)


class Repository(Protocol[T]):
    """Keeps the records of one noun, in the order in which they first came."""

    def add(self, record: T) -> bool:
        """Keep *record*; return False when the same one was there already.

        Raises:
            RecordConflictError: another record has its identifier.
        """
        ...

    def add_all(self, records: Iterable[T]) -> int:
        """Keep all *records* or, on a conflict, none; return how many were new."""
        ...

    def put(self, record: T) -> None:
        """Keep *record* in place of any with its identifier."""
        ...

    def get(self, identifier: str) -> T | None:
        """Return the record called *identifier*, or None."""
        ...

    def find(self, **where: str | int | bool | None) -> Sequence[T]:
        """Return the records whose indexed fields equal all of *where*, in order of arrival.

        Raises:
            ValueError: a field is not indexed (see `naoshi.store.nouns`).
        """
        ...

    def count(self, **where: str | int | bool | None) -> int:
        """Return how many records `find` would return."""
        ...


class LedgerStore(Protocol):
    """The append-only, hash-chained record of decisions. There is no way to change or remove an entry."""

    def append(
        self, *, key: str, kind: str, actor: str, subject: str, payload: dict[str, JsonValue], at: datetime
    ) -> LedgerEntry:
        """Enter the act called *key*; if it is entered already, return that entry and change nothing."""
        ...

    def entries(self) -> Sequence[LedgerEntry]:
        """Return all entries, oldest first."""
        ...


class Store(Protocol):
    """All that Naoshi remembers. Calls within one `transaction` are kept all or none."""

    @property
    def traces(self) -> Repository[Trace]: ...  # noqa: D102
    @property
    def quarantine(self) -> Repository[QuarantinedLine]: ...  # noqa: D102
    @property
    def corrections(self) -> Repository[Correction]: ...  # noqa: D102
    @property
    def triages(self) -> Repository[Triage]: ...  # noqa: D102
    @property
    def decisions(self) -> Repository[Decision]: ...  # noqa: D102
    @property
    def signals(self) -> Repository[Signal]: ...  # noqa: D102
    @property
    def groups(self) -> Repository[FailureGroup]: ...  # noqa: D102
    @property
    def cases(self) -> Repository[EvalCase]: ...  # noqa: D102
    @property
    def runs(self) -> Repository[EvalRun]: ...  # noqa: D102
    @property
    def baselines(self) -> Repository[Baseline]: ...  # noqa: D102
    @property
    def verdicts(self) -> Repository[Verdict]: ...  # noqa: D102
    @property
    def self_tests(self) -> Repository[GateSelfTest]: ...  # noqa: D102
    @property
    def diagnoses(self) -> Repository[Diagnosis]: ...  # noqa: D102
    @property
    def handoffs(self) -> Repository[Handoff]: ...  # noqa: D102
    @property
    def changes(self) -> Repository[Change]: ...  # noqa: D102
    @property
    def attempts(self) -> Repository[Attempt]: ...  # noqa: D102
    @property
    def certificates(self) -> Repository[Certificate]: ...  # noqa: D102
    @property
    def repairs(self) -> Repository[Repair]: ...  # noqa: D102
    @property
    def proposals(self) -> Repository[Proposal]: ...  # noqa: D102
    @property
    def reviews(self) -> Repository[Review]: ...  # noqa: D102
    @property
    def versions(self) -> Repository[Version]: ...  # noqa: D102
    @property
    def releases(self) -> Repository[Release]: ...  # noqa: D102
    @property
    def cycles(self) -> Repository[Cycle]: ...  # noqa: D102
    @property
    def ledger(self) -> LedgerStore: ...  # noqa: D102

    def transaction(self) -> AbstractContextManager[None]:
        """Keep all that is done inside, or nothing of it when the block raises. Nested blocks join the outer one."""
        ...

    def close(self) -> None:
        """Let go of files and connections."""
        ...
