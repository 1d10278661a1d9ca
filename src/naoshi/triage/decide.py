"""A person's decision on a proposal."""

from datetime import datetime

from naoshi.errors import InputError
from naoshi.records.base import content_id
from naoshi.records.correction import Cause, Triage, TriageClass, TriageProposal


def decide(
    proposal: TriageProposal,
    *,
    decision: TriageClass,
    cause: Cause,
    decided_by: str,
    now: datetime,
    confirmation_id: str | None = None,
) -> Triage:
    """Return the decision as a record. ``overridden`` says that it differs from the proposal.

    The identifier depends on what was decided and by whom, and not on the time or the confirmation, so that the same
    answer taken twice is one decision, and the same decisions are the same records in every run.

    Raises:
        InputError: a defect is given a cause that no change of the agent can mend.
    """
    if decision is TriageClass.defect and not cause.is_improvable:
        raise InputError(
            f"a defect cannot have the cause {cause.value}",
            hint="name extraction_miss, mapping_problem or missing_product_support as its cause",
        )
    other_cause = decision is TriageClass.defect and cause is not proposal.cause
    content = (proposal.correction_id, decision.value, cause.value, decided_by)
    return Triage(
        triage_id=content_id("triage", *content),
        correction_id=proposal.correction_id,
        decision=decision,
        cause=cause,
        proposal=proposal,
        overridden=decision is not proposal.decision or other_cause,
        decided_by=decided_by,
        decided_at=now,
        confirmation_id=confirmation_id,
    )
