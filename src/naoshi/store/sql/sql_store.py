"""All that Naoshi remembers, in a database."""

from pathlib import Path
from typing import Self, TypeVar

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
from naoshi.records.release import Release, Review, Version
from naoshi.records.repair import Repair
from naoshi.records.signal import FailureGroup, Signal
from naoshi.records.trace import QuarantinedLine, Trace
from naoshi.records.verdict import Baseline, Verdict
from naoshi.store.nouns import noun
from naoshi.store.sql.database import Database
from naoshi.store.sql.engine import database_url
from naoshi.store.sql.sql_confirmation_store import SqlConfirmationStore
from naoshi.store.sql.sql_ledger import SqlLedger
from naoshi.store.sql.sql_repository import SqlRepository

T = TypeVar("T", bound=Record)


class SqlStore:
    """A `naoshi.store.ports.Store` on SQLite or PostgreSQL. Threads and processes may share the database.

    It is a store of confirmations too: ``save``, ``get`` and ``clear`` are those of `SqlConfirmationStore`, so that
    ``Confirmations(SqlStore.open(url))`` keeps the questions beside all else.
    """

    def __init__(self, *, database: Database) -> None:
        self._database = database
        self.traces = self._repository(Trace, "traces")
        self.quarantine = self._repository(QuarantinedLine, "quarantine")
        self.corrections = self._repository(Correction, "corrections")
        self.triages = self._repository(Triage, "triages")
        self.decisions = self._repository(Decision, "decisions")
        self.signals = self._repository(Signal, "signals")
        self.groups = self._repository(FailureGroup, "groups")
        self.cases = self._repository(EvalCase, "cases")
        self.runs = self._repository(EvalRun, "runs")
        self.baselines = self._repository(Baseline, "baselines")
        self.verdicts = self._repository(Verdict, "verdicts")
        self.self_tests = self._repository(GateSelfTest, "self_tests")
        self.diagnoses = self._repository(Diagnosis, "diagnoses")
        self.handoffs = self._repository(Handoff, "handoffs")
        self.changes = self._repository(Change, "changes")
        self.attempts = self._repository(Attempt, "attempts")
        self.certificates = self._repository(Certificate, "certificates")
        self.repairs = self._repository(Repair, "repairs")
        self.proposals = self._repository(Proposal, "proposals")
        self.reviews = self._repository(Review, "reviews")
        self.versions = self._repository(Version, "versions")
        self.releases = self._repository(Release, "releases")
        self.cycles = self._repository(Cycle, "cycles")
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
