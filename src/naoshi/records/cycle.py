"""One turn of the loop."""

from enum import StrEnum

from pydantic import AwareDatetime

from naoshi.records.base import Record


class CycleState(StrEnum):
    """Where a cycle is: at work, waiting for a person, or ended in one of three ways."""

    running = "running"
    waiting = "waiting"
    released = "released"
    refused = "refused"
    nothing_to_do = "nothing_to_do"


class Cycle(Record):
    """One turn of the loop: what came in, what was decided, and which version it ended with."""

    cycle_id: str
    number: int
    state: CycleState
    stage: str
    base_version: str
    version: str | None = None
    traces: int = 0
    signals: int = 0
    corrections: int = 0
    questions: int = 0
    overridden: int = 0
    cases_added: int = 0
    cases: int = 0
    change_id: str | None = None
    verdict_id: str | None = None
    release_id: str | None = None
    reasons: tuple[str, ...] = ()
    started_at: AwareDatetime
    ended_at: AwareDatetime | None = None
