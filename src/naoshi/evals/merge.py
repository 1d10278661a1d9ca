"""Joins freshly minted cases with those that there are: exact duplicates become one, contradictions none."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from naoshi.records.base import canonical_json
from naoshi.records.eval_case import EvalCase


@dataclass(frozen=True, kw_only=True)
class Contradiction:
    """Two cases that ask for different things of the same input, and in words what they differ in."""

    new: EvalCase
    other: EvalCase
    reason: str


@dataclass(frozen=True, kw_only=True)
class MergeReport:
    """What became of the new cases. ``duplicates`` pairs each with the case that says the same already."""

    added: tuple[EvalCase, ...]
    duplicates: tuple[tuple[EvalCase, EvalCase], ...]
    contradictions: tuple[Contradiction, ...]


def merge_cases(existing: Sequence[EvalCase], new: Iterable[EvalCase]) -> MergeReport:
    """Say which of *new* can join *existing*.

    A new case that contradicts an existing one is left out; of new ones that contradict each other all are. Which
    are added does not depend on their order.
    """
    known = _Index(existing)
    added: list[EvalCase] = []
    duplicates: list[tuple[EvalCase, EvalCase]] = []
    contradictions: list[Contradiction] = []
    fresh: list[EvalCase] = []
    for case in new:
        if against := known.contradiction(case):
            contradictions.append(against)
        elif same := known.same(case):
            duplicates.append((case, same))
        else:
            fresh.append(case)
    among_fresh, joined = _Index(fresh), _Index(())
    for case in fresh:
        if against := among_fresh.contradiction(case):
            contradictions.append(against)
        elif same := joined.same(case):
            duplicates.append((case, same))
        else:
            added.append(case)
            joined.put(case)
    return MergeReport(added=tuple(added), duplicates=tuple(duplicates), contradictions=tuple(contradictions))


class _Index:
    """Cases by identifier and by the things that they assert of an input."""

    def __init__(self, cases: Iterable[EvalCase]) -> None:
        self._by_id: dict[str, list[EvalCase]] = {}
        self._by_content: dict[str, EvalCase] = {}
        self._by_claim: dict[str, list[tuple[str, EvalCase]]] = {}
        for case in cases:
            self.put(case)

    def put(self, case: EvalCase) -> None:
        self._by_id.setdefault(case.case_id, []).append(case)
        self._by_content.setdefault(case.content_hash, case)
        for claim, value in _claims(case):
            self._by_claim.setdefault(claim, []).append((value, case))

    def same(self, case: EvalCase) -> EvalCase | None:
        found = self._by_content.get(case.content_hash)
        if found is not None:
            return found
        return next((other for other in self._by_id.get(case.case_id, ()) if _agree(case, other)), None)

    def contradiction(self, case: EvalCase) -> Contradiction | None:
        for other in self._by_id.get(case.case_id, ()):
            if not _agree(case, other):
                reason = f"{case.case_id} asks for {_asked(case)} and for {_asked(other)}"
                return Contradiction(new=case, other=other, reason=reason)
        for claim, value in _claims(case):
            for other_value, other in self._by_claim.get(claim, ()):
                if other_value != value:
                    reason = f"{case.case_id} asks for {value}, {other.case_id} for {other_value}, of the same input"
                    return Contradiction(new=case, other=other, reason=reason)
        return None


def _agree(case: EvalCase, other: EvalCase) -> bool:
    """Return whether two cases of one identifier ask for the same, whatever the comparison or threshold."""
    if case.content_hash == other.content_hash or set(_claims(case)) == set(_claims(other)) != set():
        return True
    mine, theirs = case.provenance, other.provenance
    return mine.field is not None and mine.field == theirs.field and mine.corrected == theirs.corrected


def _claims(case: EvalCase) -> list[tuple[str, str]]:
    """Return each thing that *case* says the output equals, and the value, as texts."""
    return [
        (canonical_json([case.vars, item.transform]), canonical_json(item.value))
        for item in case.assertions
        if item.type == "equals" and item.weight > 0
    ]


def _asked(case: EvalCase) -> str:
    values = [canonical_json(item.value) for item in case.assertions]
    return ", ".join(values)[:200] or "nothing"
