"""How a cycle ends, and how it waits."""

from naoshi.flow.loop import Loop
from naoshi.records import Cycle, CycleState
from naoshi.release.ledger import enter


def ended(loop: Loop, cycle: Cycle, state: CycleState, *reasons: str) -> Cycle:
    """Return *cycle* ended in *state*, its end entered in the ledger (once, however often it is told)."""
    now = loop.clock()
    enter(
        loop.store,
        kind="cycle",
        subject=cycle.cycle_id,
        actor="naoshi",
        now=now,
        payload={"number": cycle.number, "state": state.value, "version": cycle.version, "reasons": list(reasons)},
    )
    return cycle.model_copy(update={"state": state, "stage": "ended", "reasons": reasons, "ended_at": now})


def waiting(cycle: Cycle, reason: str) -> Cycle:
    """Return *cycle* waiting for a person at the stage that it is at."""
    return cycle.model_copy(update={"state": CycleState.waiting, "reasons": (reason,)})
