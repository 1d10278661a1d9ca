"""The naive loop's triage, for comparison: every correction counts as a defect, and nobody is asked."""

from collections.abc import Iterable
from datetime import datetime

from naoshi.records.base import content_id
from naoshi.records.correction import Cause, Triage, TriageClass, TriageProposal


def believing_everything(proposals: Iterable[TriageProposal], *, now: datetime) -> tuple[Triage, ...]:
    """Return for each proposal the decision of a loop that believes it: a defect, whatever the rules say.

    The proposal's cause stays where a change of the agent can mend it and is an extraction miss elsewhere.
    """
    return tuple(
        Triage(
            triage_id=content_id("triage", proposal.correction_id, "believed"),
            correction_id=proposal.correction_id,
            decision=TriageClass.defect,
            cause=proposal.cause if proposal.cause.is_improvable else Cause.extraction_miss,
            proposal=proposal,
            overridden=proposal.decision is not TriageClass.defect,
            decided_by="triage-off",
            decided_at=now,
        )
        for proposal in proposals
    )
