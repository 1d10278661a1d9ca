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

    @property
    def ended(self) -> bool:
        """Whether nothing more happens in the cycle."""
        return self not in (CycleState.running, CycleState.waiting)


class Cycle(Record):
    """One turn of the loop: what came in, what was decided, and which version it ended with.

    ``stage`` is the step that comes next; with it a cycle that was stopped goes on where it was. ``attempt`` counts
    the coding agent's tries from 1, and ``failures`` says why the last one failed. The counts are of this cycle
    alone, ``cases`` apart, which is how many cases there are in all.
    """

    cycle_id: str
    number: int
    state: CycleState = CycleState.running
    stage: str
    base_version: str
    base_commit: str
    version: str | None = None
    traces: int = 0
    signals: int = 0
    corrections: int = 0
    questions: int = 0
    overridden: int = 0
    not_cases: int = 0
    cases_added: int = 0
    cases: int = 0
    attempt: int = 1
    before_run_id: str | None = None
    diagnosis_id: str | None = None
    repair_id: str | None = None
    handoff_id: str | None = None
    change_id: str | None = None
    after_run_id: str | None = None
    certificate_id: str | None = None
    verdict_id: str | None = None
    review_id: str | None = None
    release_id: str | None = None
    failures: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    started_at: AwareDatetime
    ended_at: AwareDatetime | None = None
