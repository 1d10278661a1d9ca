"""The nouns that a store keeps: the name of each, its identifier, and the fields that `find` may ask for."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from naoshi.records import (
    Attempt,
    Baseline,
    Certificate,
    Change,
    Correction,
    Cycle,
    Decision,
    Diagnosis,
    EvalCase,
    EvalRun,
    FailureGroup,
    GateSelfTest,
    Handoff,
    Proposal,
    QuarantinedLine,
    Release,
    Repair,
    Review,
    Signal,
    Trace,
    Triage,
    Verdict,
    Version,
)
from naoshi.records.base import Record


@dataclass(frozen=True, kw_only=True)
class Noun:
    """One kind of record in a store: ``name`` of the repository and table, identifier, indexed fields."""

    name: str
    record: type[Record]
    identifier: str
    indexed: tuple[str, ...] = ()

    def index_of(self, record: Record) -> dict[str, str | int | bool | None]:
        """Return the indexed fields of *record* as plain values."""
        return {name: getattr(record, name) for name in self.indexed}

    def require_indexed(self, fields: Iterable[str]) -> None:
        """Check that each of *fields* may be asked for.

        Raises:
            ValueError: one is not indexed; the message lists those that are.
        """
        for name in fields:
            if name not in self.indexed:
                known = ", ".join(self.indexed) or "none"
                raise ValueError(f"{self.name} cannot be found by {name!r}; indexed: {known}")


def _noun(name: str, record: type[Record], identifier: str, *indexed: str) -> Noun:
    return Noun(name=name, record=record, identifier=identifier, indexed=indexed)


NOUNS: tuple[Noun, ...] = (
    _noun("traces", Trace, "trace_id", "agent_version"),
    _noun("quarantine", QuarantinedLine, "quarantine_id", "file"),
    _noun("corrections", Correction, "correction_id", "trace_id", "document"),
    _noun("triages", Triage, "triage_id", "correction_id", "decision"),
    _noun("decisions", Decision, "decision_id", "kind", "actor"),
    _noun("signals", Signal, "signal_id", "trace_id", "source"),
    _noun("groups", FailureGroup, "group_id"),
    _noun("cases", EvalCase, "case_id", "split", "category"),
    _noun("runs", EvalRun, "run_id", "version", "suite"),
    _noun("baselines", Baseline, "baseline_id", "version"),
    _noun("verdicts", Verdict, "verdict_id", "outcome", "candidate_run_id"),
    _noun("self_tests", GateSelfTest, "self_test_id", "key"),
    _noun("diagnoses", Diagnosis, "diagnosis_id", "agent_version"),
    _noun("handoffs", Handoff, "handoff_id", "agent_version"),
    _noun("changes", Change, "change_id", "handoff_id"),
    _noun("attempts", Attempt, "attempt_id", "handoff_id"),
    _noun("certificates", Certificate, "certificate_id", "change_id"),
    _noun("repairs", Repair, "repair_id", "state", "cycle_id"),
    _noun("proposals", Proposal, "proposal_id", "change_id"),
    _noun("reviews", Review, "review_id", "change_id"),
    _noun("versions", Version, "version_id", "name", "number"),
    _noun("releases", Release, "release_id", "version", "change_id"),
    _noun("cycles", Cycle, "cycle_id", "state", "number"),
)


@cache
def noun(name: str) -> Noun:
    """Return the noun called *name*."""
    return next(item for item in NOUNS if item.name == name)
