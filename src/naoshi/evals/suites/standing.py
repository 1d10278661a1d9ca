"""Whether a case has a say in the gate: what was found, and what people decided, as the ledger has it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from naoshi.evals.suites.health import CaseKey
from naoshi.records.release import LedgerEntry

QUARANTINED = "case_quarantined"
"""The kind of ledger entry that takes a flaky case out of the gate's decision."""


class CaseStanding(StrEnum):
    """Whether a case has a say: only one that ``counts`` has. None of the others leaves a suite, a run or a list."""

    counts = "counts"
    quarantined = "quarantined"
    being_fixed = "being_fixed"
    retired = "retired"


DECIDED = {
    CaseStanding.counts: "case_kept",
    CaseStanding.being_fixed: "case_to_fix",
    CaseStanding.retired: "case_retired",
}
"""The kind of ledger entry that a person's decision makes, by what the case becomes."""

_BY_KIND = {QUARANTINED: CaseStanding.quarantined} | {kind: standing for standing, kind in DECIDED.items()}


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What was last said of a case: its ``standing``, by whom and when, and how often something was said."""

    standing: CaseStanding
    actor: str
    at: datetime
    times: int


def standings(entries: Iterable[LedgerEntry]) -> Mapping[CaseKey, Standing]:
    """Return what the ledger's *entries*, oldest first, say of cases.

    An entry is about a case as it was then: one whose input, assertions or threshold were changed since counts again.
    """
    found: dict[CaseKey, Standing] = {}
    for entry in entries:
        standing = _BY_KIND.get(entry.kind)
        if standing is not None:
            key = (entry.subject, str(entry.payload.get("content_hash", "")))
            times = found[key].times + 1 if key in found else 1
            found[key] = Standing(standing=standing, actor=entry.actor, at=entry.at, times=times)
    return found
