"""Alike proposals put together, so that a person is asked once for all of them."""

from collections import defaultdict
from collections.abc import Iterable

from pydantic import JsonValue

from naoshi.records.base import Record, content_id
from naoshi.records.correction import Cause, Correction, TriageClass, TriageProposal


class TriageItem(Record):
    """One correction of a bundle: what a person needs to see of it, and its proposal."""

    correction_id: str
    practitioner: str
    submitted: JsonValue
    corrected: JsonValue
    reason: str = ""
    document: str | None = None
    proposal: TriageProposal


class TriageBundle(Record):
    """Corrections of one field with one rule, decision and cause, in a stable order."""

    bundle_id: str
    artifact: str
    field: str
    rule: str
    decision: TriageClass
    cause: Cause
    items: tuple[TriageItem, ...]


def bundle(
    proposals: Iterable[TriageProposal], corrections: Iterable[Correction], *, size: int = 8
) -> tuple[TriageBundle, ...]:
    """Return the *proposals* in bundles of at most *size*: same artifact, field, rule, decision and cause.

    The order of the proposals does not matter. A proposal whose correction is not among *corrections* is left out.

    Raises:
        ValueError: *size* is less than 1.
    """
    if size < 1:
        raise ValueError(f"a bundle holds at least one correction, not {size}")
    by_id = {correction.correction_id: correction for correction in corrections}
    alike: defaultdict[tuple[str, str, str, TriageClass, Cause], dict[str, TriageItem]] = defaultdict(dict)
    for proposal in proposals:
        correction = by_id.get(proposal.correction_id)
        if correction is not None:
            key = (correction.artifact, correction.field, proposal.rule, proposal.decision, proposal.cause)
            alike[key][proposal.correction_id] = _item(correction, proposal)
    return tuple(
        _bundle(key, items[start : start + size])
        for key in sorted(alike)
        for items in [sorted(alike[key].values(), key=lambda item: (item.document or "", item.correction_id))]
        for start in range(0, len(items), size)
    )


def single(bundled: TriageBundle) -> tuple[TriageBundle, ...]:
    """Return a bundle of its own for each correction of *bundled*."""
    key = (bundled.artifact, bundled.field, bundled.rule, bundled.decision, bundled.cause)
    return tuple(_bundle(key, [item]) for item in bundled.items)


def _bundle(key: tuple[str, str, str, TriageClass, Cause], items: list[TriageItem]) -> TriageBundle:
    artifact, field, rule, decision, cause = key
    return TriageBundle(
        bundle_id=content_id("bundle", *key, [item.correction_id for item in items]),
        artifact=artifact,
        field=field,
        rule=rule,
        decision=decision,
        cause=cause,
        items=tuple(items),
    )


def _item(correction: Correction, proposal: TriageProposal) -> TriageItem:
    return TriageItem(
        correction_id=correction.correction_id,
        practitioner=correction.practitioner,
        submitted=correction.submitted,
        corrected=correction.corrected,
        reason=correction.reason,
        document=correction.document,
        proposal=proposal,
    )
