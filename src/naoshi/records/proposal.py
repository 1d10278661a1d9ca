"""A certified change as it was put before others."""

from enum import StrEnum

from pydantic import AwareDatetime

from naoshi.records.base import Record


class ProposalState(StrEnum):
    """Whether a proposal's pull request is still being opened, or was seen where it is kept."""

    opening = "opening"
    open = "open"


class Proposal(Record):
    """A pull request with a certified change. A change has one at most.

    ``commit`` has the tree of the change's own commit and cites the certificate; ``branch`` leads to it, ``base`` is
    the branch that it is for, in ``repository`` (``OWNER/NAME``, with a host before it where that is not github.com).
    ``url`` and ``number`` are known once it is open. ``actor`` had it opened.
    """

    proposal_id: str
    change_id: str
    certificate_id: str
    remote: str
    repository: str
    base: str
    branch: str
    commit: str
    state: ProposalState = ProposalState.opening
    url: str | None = None
    number: int | None = None
    actor: str
    begun_at: AwareDatetime
    opened_at: AwareDatetime | None = None
