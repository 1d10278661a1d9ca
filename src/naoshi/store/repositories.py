"""The nouns that every store keeps, each with the kind of its records and the name of its table."""

from typing import Protocol, TypeVar

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
from naoshi.store.ports import Repository

T = TypeVar("T", bound=Record)


class Opened(Protocol):
    """Opens the repository of one noun, wherever its store keeps things."""

    def __call__(self, record: type[T], name: str, /) -> Repository[T]:
        """Return the repository called *name*, of records of the class *record*."""
        ...


class Repositories:
    """A repository for each noun of `naoshi.store.nouns`, opened by *opened*."""

    def __init__(self, opened: Opened) -> None:
        self.traces = opened(Trace, "traces")
        self.quarantine = opened(QuarantinedLine, "quarantine")
        self.corrections = opened(Correction, "corrections")
        self.triages = opened(Triage, "triages")
        self.decisions = opened(Decision, "decisions")
        self.signals = opened(Signal, "signals")
        self.groups = opened(FailureGroup, "groups")
        self.cases = opened(EvalCase, "cases")
        self.runs = opened(EvalRun, "runs")
        self.baselines = opened(Baseline, "baselines")
        self.verdicts = opened(Verdict, "verdicts")
        self.self_tests = opened(GateSelfTest, "self_tests")
        self.diagnoses = opened(Diagnosis, "diagnoses")
        self.handoffs = opened(Handoff, "handoffs")
        self.changes = opened(Change, "changes")
        self.attempts = opened(Attempt, "attempts")
        self.certificates = opened(Certificate, "certificates")
        self.repairs = opened(Repair, "repairs")
        self.proposals = opened(Proposal, "proposals")
        self.reviews = opened(Review, "reviews")
        self.versions = opened(Version, "versions")
        self.releases = opened(Release, "releases")
        self.cycles = opened(Cycle, "cycles")
