"""Certified changes, and what has become of each so far."""

from dataclasses import dataclass

from naoshi.errors import NotFoundError
from naoshi.flow.loop import Loop
from naoshi.flow.repairs import best_of
from naoshi.records import Certificate, Change, Release, RepairState, Review, ReviewDecision, Verdict, VerdictOutcome


@dataclass(frozen=True, kw_only=True)
class CertifiedChange:
    """A change whose certificate was granted; None stands for what it has not got yet.

    ``verdict`` is the latest one on the certificate's run, ``review`` the latest one bound to both.
    """

    change: Change
    certificate: Certificate
    verdict: Verdict | None
    review: Review | None
    release: Release | None

    @property
    def waits_for_review(self) -> bool:
        """Whether the gate lets it pass and nobody has decided."""
        return self.review is None and self.verdict is not None and self.verdict.outcome is VerdictOutcome.pass_

    @property
    def waits_for_release(self) -> bool:
        """Whether a person has approved it and it is not out yet."""
        return self.release is None and self.review is not None and self.review.decision is ReviewDecision.approved


def certified_changes(loop: Loop) -> tuple[CertifiedChange, ...]:
    """Return the certified changes, the latest certificate last; first those whose repair made a better one."""
    granted = (item for item in loop.store.certificates.find() if item.granted)
    found = [item for item in (_certified(loop, item) for item in granted) if item is not None]
    bettered = _bettered(loop)
    return tuple(sorted(found, key=lambda item: item.certificate.certificate_id not in bettered))


def certified_change(loop: Loop, name: str = "") -> CertifiedChange:
    """Return the latest certified change, or the latest certificate of the change whose identifier begins with *name*.

    Of a repair that certified several it is the best.

    Raises:
        NotFoundError: there is none, or *name* stands for several.
    """
    found = [item for item in certified_changes(loop) if item.change.change_id.startswith(name)]
    if not found:
        what = f"no certified change {name}" if name else "no certified change yet"
        raise NotFoundError(f"there is {what}", hint="make one with `naoshi repair`")
    if name and len({item.change.change_id for item in found}) > 1:
        raise NotFoundError(f"{name} stands for more than one change", hint="write more of the identifier")
    return found[-1]


def _bettered(loop: Loop) -> frozenset[str]:
    """Return the certificates of changes that were not chosen, since another attempt of their repair made a better."""
    found: set[str] = set()
    for repair in loop.store.repairs.find(state=RepairState.certified):
        best = best_of(loop, repair) if len(repair.certified) > 1 else None
        found |= set(repair.certified) - {best[1].certificate_id} if best is not None else set()
    return frozenset(found)


def _certified(loop: Loop, certificate: Certificate) -> CertifiedChange | None:
    change = loop.store.changes.get(certificate.change_id)
    if change is None:
        return None
    verdicts = loop.store.verdicts.find(candidate_run_id=certificate.after_run_id)
    reviews = [
        item
        for item in loop.store.reviews.find(change_id=change.change_id)
        if item.certificate_id == certificate.certificate_id
    ]
    releases = loop.store.releases.find(change_id=change.change_id)
    return CertifiedChange(
        change=change,
        certificate=certificate,
        verdict=verdicts[-1] if verdicts else None,
        review=reviews[-1] if reviews else None,
        release=releases[-1] if releases else None,
    )
