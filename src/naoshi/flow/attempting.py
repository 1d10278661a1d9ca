"""A repair outside a cycle: attempts until a change is certified, each told why the one before failed."""

from dataclasses import dataclass

from naoshi.flow.alone import alone_in
from naoshi.flow.left_to_people import leave_to_people
from naoshi.flow.loop import Loop
from naoshi.flow.masking import handed_out
from naoshi.flow.repairs import (
    abandon_others,
    attempt_id,
    attempts_of,
    best_of,
    ended_repair,
    has_enough,
    interrupted_repair,
    keep_attempt,
    open_repair,
)
from naoshi.flow.steps.diagnose import cases_to_mend
from naoshi.flow.steps.repair import hand_off, judge, make
from naoshi.flow.versions import main_branch
from naoshi.records import Attempt, Certificate, Change, Diagnosis, EvalRun, Handoff, Repair, RepairState
from naoshi.repair.attempts import attempt_record, told_next
from naoshi.repair.coding_agents.base import Work
from naoshi.repair.make_change import Base, ChangeOutcome


@dataclass(frozen=True, kw_only=True)
class Repaired:
    """The attempts of a repair, and the best certified change with its certificate (None: none was certified)."""

    repair_id: str
    attempts: tuple[Attempt, ...]
    change: Change | None
    certificate: Certificate | None


def repair(loop: Loop, diagnosis: Diagnosis, run: EvalRun) -> Repaired:
    """Let the coding agent try until a change is certified, at most as often as the settings say.

    A repair of the same run that was stopped goes on with the attempt that it was at. Without a certified change the
    groups are left to people.

    Raises:
        ConfigError: no coding agent is configured.
        StoreError: another process runs a cycle or a repair.
        CodingAgentError: the coding agent may not ask its model, or not now; call again to go on.
        RepositoryError: git cannot do its part.
    """
    base = Base(version=run.version, commit=loop.git.commit_of(f"refs/heads/{main_branch(loop)}"))
    with alone_in(loop):
        abandon_others(loop, run, base)
        going_on = interrupted_repair(loop, run, base)
        if going_on is not None:
            diagnosis = loop.store.diagnoses.get(going_on.diagnosis_id) or diagnosis
            loop.report(f"going on with the repair {going_on.repair_id}, after {len(going_on.attempts)} attempts")
        done = _attempted(loop, going_on, diagnosis, run, base)
        best = best_of(loop, done)
        done = leave_to_people(loop, done) if best is None else ended_repair(loop, done, RepairState.certified)
        loop.store.repairs.put(done)
    change, certificate = best if best is not None else (None, None)
    return Repaired(
        repair_id=done.repair_id, attempts=attempts_of(loop, done), change=change, certificate=certificate
    )  # fmt: skip


def _attempted(
    loop: Loop, going_on: Repair | None, diagnosis: Diagnosis, run: EvalRun, base: Base
) -> Repair:  # fmt: skip
    """Return the repair once it has enough certified changes, or its attempts are used up."""
    repair = going_on
    cases = cases_to_mend(loop, run)
    for number in range(len(repair.attempts) + 1 if repair else 1, loop.settings.repair.attempts + 1):
        if repair is not None and has_enough(loop, repair):
            break
        failures = repair.failures if repair is not None else ()
        handoff = hand_off(loop, diagnosis, run, cases=cases, attempt=number, failures=failures)
        repair = repair or open_repair(loop, handoff, diagnosis, run, base=base)
        loop.report(f"attempt {number}: {len(handoff.cases)} failing cases handed to the coding agent")
        repair = _attempt(loop, repair, handoff, run, base)
    if repair is None:
        raise ValueError("a repair has at least one attempt")
    return repair


def _attempt(loop: Loop, repair: Repair, handoff: Handoff, run: EvalRun, base: Base) -> Repair:
    known = _made_before(loop, handoff)
    outcome = known if known is not None else make(loop, handoff, base=base)
    judgement = judge(loop, outcome.change, handoff, run) if outcome.change is not None else None
    certificate = judgement.certificate if judgement is not None else None
    record = attempt_record(handoff, outcome, judgement, now=loop.clock())
    attempt = record.model_copy(
        update={"attempt_id": attempt_id(repair, handoff.attempt), "log": handed_out(loop).text(record.log)}
    )
    for reason in attempt.failures[:3]:
        loop.report(f"attempt {attempt.number} failed: {reason}")
    return keep_attempt(loop, repair, attempt, certificate=certificate, told=told_next(outcome, judgement))


def _made_before(loop: Loop, handoff: Handoff) -> ChangeOutcome | None:
    """Return the change that answers *handoff* and that no attempt has: what was stopped before it was judged."""
    taken = {attempt.change_id for attempt in loop.store.attempts.find(handoff_id=handoff.handoff_id)}
    found = [item for item in loop.store.changes.find(handoff_id=handoff.handoff_id) if item.change_id not in taken]
    if not found:
        return None
    loop.report(f"change {found[-1].change_id} was made before and not judged yet")
    return ChangeOutcome(change=found[-1], failures=(), reasons=(), work=Work(error=None, log="", seconds=0.0))
