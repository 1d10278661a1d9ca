"""The record of a repair while it goes on: its attempts, and which of its certified changes is the best."""

from naoshi.flow.loop import Loop
from naoshi.records import (
    Attempt,
    Certificate,
    Change,
    Cycle,
    Diagnosis,
    EvalRun,
    Handoff,
    Repair,
    RepairState,
    content_id,
)
from naoshi.records.repair import UNGROUPED
from naoshi.repair.attempts import best_certified, is_enough
from naoshi.repair.make_change import Base


def repair_of_cycle(loop: Loop, cycle: Cycle) -> Repair | None:
    """Return the repair of *cycle*, or None before its first handoff."""
    return loop.store.repairs.get(cycle.repair_id) if cycle.repair_id else None


def interrupted_repair(loop: Loop, run: EvalRun, base: Base) -> Repair | None:
    """Return the repair outside of a cycle that was stopped and can go on: the same run, the same commit."""
    stopped = loop.store.repairs.find(state=RepairState.under_way, cycle_id=None)
    return next((item for item in reversed(stopped) if _stands_on(item, run, base)), None)


def abandon_others(loop: Loop, run: EvalRun, base: Base) -> None:
    """Mark the repairs that were stopped and stood on something else: they can no longer go on."""
    for repair in loop.store.repairs.find(state=RepairState.under_way, cycle_id=None):
        if not _stands_on(repair, run, base):
            loop.store.repairs.put(ended_repair(loop, repair, RepairState.abandoned))


def open_repair(
    loop: Loop, handoff: Handoff, diagnosis: Diagnosis, run: EvalRun, *, base: Base, cycle_id: str | None = None
) -> Repair:
    """Return the new repair that begins with *handoff*, kept in the store. A cycle has one repair."""
    groups: dict[str, list[str]] = {}
    for case in handoff.cases:
        groups.setdefault(case.group_id or UNGROUPED, []).append(case.case_id)
    number = 0 if cycle_id is not None else loop.store.repairs.count(cycle_id=None)
    repair = Repair(
        repair_id=content_id("repair", cycle_id, diagnosis.diagnosis_id, run.run_id, base.commit, number),
        cycle_id=cycle_id,
        diagnosis_id=diagnosis.diagnosis_id,
        run_id=run.run_id,
        base_version=base.version,
        base_commit=base.commit,
        groups={name: tuple(cases) for name, cases in sorted(groups.items())},
        started_at=loop.clock(),
    )
    loop.store.repairs.put(repair)
    return repair


def attempt_id(repair: Repair, number: int) -> str:
    """Return the identifier of the attempt *number* (from 1) of *repair*."""
    return content_id("attempt", repair.repair_id, number)


def keep_attempt(
    loop: Loop, repair: Repair, attempt: Attempt, *, certificate: Certificate | None, told: tuple[str, ...] = ()
) -> Repair:
    """Keep *attempt* as it now stands, with the certificate that speaks for it, and return the repair with it.

    *told* is what the next attempt is told. Without a granted certificate no earlier one speaks for this attempt.
    """
    others = [name for name in repair.certified if _change_of(loop, name) != attempt.change_id]
    if certificate is not None and certificate.granted:
        others.append(certificate.certificate_id)
    kept = repair.model_copy(
        update={
            "attempts": tuple(dict.fromkeys((*repair.attempts, attempt.attempt_id))),
            "certified": tuple(others),
            "failures": told,
            "state": RepairState.under_way,
            "ended_at": None,
        }
    )
    with loop.store.transaction():
        loop.store.attempts.put(attempt)
        loop.store.repairs.put(kept)
    return kept


def attempts_of(loop: Loop, repair: Repair) -> tuple[Attempt, ...]:
    """Return the attempts of *repair* in order."""
    found = (loop.store.attempts.get(name) for name in repair.attempts)
    return tuple(attempt for attempt in found if attempt is not None)


def best_of(loop: Loop, repair: Repair) -> tuple[Change, Certificate] | None:
    """Return the best certified change of *repair*, as long as the gate has not turned it down."""
    return best_certified(_certified(loop, repair))


def has_enough(loop: Loop, repair: Repair) -> bool:
    """Return whether *repair* needs no further attempt."""
    granted = [certificate for _, certificate in _certified(loop, repair)]
    return is_enough(granted, best_of=loop.settings.repair.best_of)


def ended_repair(loop: Loop, repair: Repair, state: RepairState) -> Repair:
    """Return *repair* ended in *state*, not kept yet."""
    return repair.model_copy(update={"state": state, "ended_at": loop.clock()})


def _stands_on(repair: Repair, run: EvalRun, base: Base) -> bool:
    return (repair.run_id, repair.base_commit) == (run.run_id, base.commit)


def _certified(loop: Loop, repair: Repair) -> list[tuple[Change, Certificate]]:
    certificates = [loop.store.certificates.get(name) for name in repair.certified]
    pairs = [(loop.store.changes.get(item.change_id), item) for item in certificates if item is not None]
    return [(change, certificate) for change, certificate in pairs if change is not None]


def _change_of(loop: Loop, certificate_id: str) -> str | None:
    certificate = loop.store.certificates.get(certificate_id)
    return certificate.change_id if certificate is not None else None
