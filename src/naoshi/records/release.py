"""A person's decision on a change, what was merged, and the record of all decisions."""

from enum import StrEnum

from pydantic import AwareDatetime, JsonValue

from naoshi.records.base import Record


class ReviewDecision(StrEnum):
    """What a reviewer said of a change."""

    approved = "approved"
    rejected = "rejected"


class Review(Record):
    """A person's decision on a change, bound to the certificate that was shown."""

    review_id: str
    change_id: str
    certificate_id: str
    verdict_id: str
    decision: ReviewDecision
    reviewer: str
    confirmation_id: str | None = None
    comment: str = ""
    decided_at: AwareDatetime


class Version(Record):
    """One numbered state of the harness, a git commit.

    ``name`` is ``v1``, ``v2`` … and its tag ``naoshi/v1`` …. ``model``, ``run_id`` and ``metadata`` say what it ran
    with; ``restores`` names the version that a rollback brought back.
    """

    version_id: str
    name: str
    number: int
    commit: str
    tree: str
    run_id: str | None = None
    model: str | None = None
    metadata: dict[str, JsonValue] = {}
    restores: str | None = None
    created_at: AwareDatetime


class Release(Record):
    """A merged version: which change, on whose word, and whether the baseline moved to it."""

    release_id: str
    version: str
    change_id: str | None
    review_id: str | None
    verdict_id: str | None
    commit: str
    baseline_moved: bool
    reason: str = ""
    released_at: AwareDatetime


class LedgerEntry(Record):
    """One line of the append-only record of decisions.

    ``digest`` is the SHA-256 of the entry without it, ``previous`` the digest of the entry before (64 zeros at first).
    ``key`` names the act, so that the same act is entered once.
    """

    sequence: int
    key: str
    kind: str
    actor: str
    subject: str
    payload: dict[str, JsonValue] = {}
    at: AwareDatetime
    previous: str
    digest: str
