"""What the gate said to questions whose answers are known, before it is trusted with a suite."""

from pydantic import AwareDatetime

from naoshi.records.base import Record
from naoshi.records.verdict import VerdictOutcome


class GateProbe(Record):
    """One question to the gate whose answer is known: what was asked, what may come out, and what did."""

    name: str
    category: str | None = None
    expected: tuple[VerdictOutcome, ...]
    found: VerdictOutcome
    held: bool
    reasons: tuple[str, ...] = ()


class GateSelfTest(Record):
    """Whether the gate can be trusted on one suite under one policy.

    ``key`` is a hash of the suite (its cases, what they ask, where they count, and how often each is tried), of every
    setting of the policy, and of the version of the gate; what was tested once under one key holds for all of it.
    ``run_id`` names the run whose results were used. ``too_few`` names categories whose collapse averages alone do not
    show, because they have too few cases to certify: only re-runs show it. ``skipped`` names those whose tolerance is
    so wide that nothing can block them.
    """

    self_test_id: str
    key: str
    run_id: str
    policy: str
    passed: bool
    probes: tuple[GateProbe, ...]
    too_few: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    tested_at: AwareDatetime
