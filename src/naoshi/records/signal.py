"""Evidence that a run failed, and signals that say the same."""

from enum import StrEnum

from pydantic import JsonValue

from naoshi.records.base import Record
from naoshi.records.correction import Cause
from naoshi.records.evidence import Evidence


class SignalSource(StrEnum):
    """Which check found the failure; the coded ones run before critique."""

    contract = "contract"
    evidence = "evidence"
    correction = "correction"
    critique = "critique"
    confirmation = "confirmation"


class Signal(Record):
    """One sign of failure in one run.

    ``failure_type`` is a stable name such as ``artifact_missing`` or ``wrong_total``.
    """

    signal_id: str
    trace_id: str
    agent_version: str | None = None
    artifact: str
    field: str | None = None
    failure_type: str
    source: SignalSource
    message: str
    observed: JsonValue = None
    expected: JsonValue = None
    cause: Cause | None = None
    correction_id: str | None = None
    evidence: tuple[Evidence, ...] = ()


class FailureGroup(Record):
    """Signals with the same artifact × failure type.

    ``rank`` 1 is the most frequent; ``share`` is of all signals (0–1).
    """

    group_id: str
    artifact: str
    failure_type: str
    field: str | None = None
    rank: int
    count: int
    share: float
    signal_ids: tuple[str, ...]
    trace_ids: tuple[str, ...]
    sources: dict[str, int] = {}
    causes: dict[str, int] = {}
    example: str = ""
