"""The attempts of a cycle: each is told why the one before failed, and the best certified change goes to the gate."""

from naoshi.flow.left_to_people import leave_to_people
from naoshi.flow.loop import Loop
from naoshi.flow.masking import handed_out
from naoshi.flow.repairs import (
    attempt_id,
    attempts_of,
    best_of,
    ended_repair,
    has_enough,
    keep_attempt,
    open_repair,
    repair_of_cycle,
)
from naoshi.flow.required import require
from naoshi.flow.steps.diagnose import cases_to_mend
from naoshi.flow.steps.ending import ended
from naoshi.flow.steps.repair import hand_off, judge, make, write_handoff
from naoshi.records import Attempt, Certificate, Cycle, CycleState, Repair, RepairState
from naoshi.repair.attempts import failures_left
from naoshi.repair.make_change import Base


def hand_off_step(loop: Loop, cycle: Cycle) -> Cycle:
    """Write the handoff of this attempt; with the first one the repair begins."""
    diagnosis = require(loop.store.diagnoses, cycle.diagnosis_id)
    run = require(loop.store.runs, cycle.before_run_id)
    cases = cases_to_mend(loop, run)
    handoff = hand_off(loop, diagnosis, run, cases=cases, attempt=cycle.attempt, failures=cycle.failures)
    base = Base(version=cycle.base_version, commit=cycle.base_commit)
    repair = repair_of_cycle(loop, cycle) or open_repair(
        loop, handoff, diagnosis, run, base=base, cycle_id=cycle.cycle_id
    )
    folder = loop.state / "handoffs" / f"cycle-{cycle.number}-attempt-{cycle.attempt}"
    write_handoff(loop, handoff, folder)
    loop.report(f"handoff {cycle.attempt}: {len(handoff.cases)} failing cases, {len(handoff.confirmed)} to keep")
    fresh = {"change_id": None, "certificate_id": None, "after_run_id": None, "verdict_id": None}
    named = {"stage": "repair", "handoff_id": handoff.handoff_id, "repair_id": repair.repair_id}
    return cycle.model_copy(update={**fresh, **named})


def repair_step(loop: Loop, cycle: Cycle) -> Cycle:
    """Let the coding agent make its change."""
    handoff = require(loop.store.handoffs, cycle.handoff_id)
    repair = require(loop.store.repairs, cycle.repair_id)
    outcome = make(loop, handoff, base=Base(version=cycle.base_version, commit=cycle.base_commit))
    attempt = Attempt(
        attempt_id=attempt_id(repair, cycle.attempt),
        handoff_id=handoff.handoff_id,
        number=cycle.attempt,
        change_id=outcome.change.change_id if outcome.change is not None else None,
        failures=outcome.reasons,
        log=handed_out(loop).text(outcome.log),
        ended_at=loop.clock(),
    )
    repair = keep_attempt(loop, repair, attempt, certificate=None, told=outcome.failures)
    if outcome.change is None:
        _tell(loop, attempt)
        return _go_on(loop, cycle, repair)
    loop.report(f"change {outcome.change.change_id}: {', '.join(outcome.change.files)}")
    return cycle.model_copy(update={"stage": "certify", "change_id": outcome.change.change_id})


def certify_step(loop: Loop, cycle: Cycle) -> Cycle:
    """Prove the change, or tell the next attempt why it cannot be proven."""
    change = require(loop.store.changes, cycle.change_id)
    handoff = require(loop.store.handoffs, cycle.handoff_id)
    before = require(loop.store.runs, cycle.before_run_id)
    judgement = judge(loop, change, handoff, before, once=f"{cycle.cycle_id}:certify:{cycle.attempt}")
    certificate = judgement.certificate
    told = f"mends {len(certificate.mended)} of {len(certificate.targets)}, worse {len(certificate.worse)}"
    loop.report(f"certificate {'granted' if certificate.granted else 'refused'}: {told}")
    repair = _keep(
        loop,
        cycle,
        number=cycle.attempt,
        certificate=certificate,
        reasons=judgement.failures,
        told=failures_left(certificate) if certificate.granted else judgement.failures,
    )
    return _go_on(loop, cycle, repair)


def refused_by_gate(loop: Loop, cycle: Cycle, told: str, *, reasons: tuple[str, ...]) -> Cycle:
    """Go on after the gate has turned the change down: with the next best one, another attempt, or not at all.

    The next attempt is told *told*, people are told *reasons*.
    """
    return _go_on(loop, cycle, _turned_down(loop, cycle, reasons=reasons, told=(told,)))


def not_graded(loop: Loop, cycle: Cycle, *, reasons: tuple[str, ...]) -> Cycle:
    """End the cycle as the judge gave no grades, which it would not give to another change either.

    That is no fault of the change, so that nothing is left to people: the next cycle tries the same groups again.
    """
    repair = _turned_down(loop, cycle, reasons=reasons, told=())
    loop.store.repairs.put(ended_repair(loop, repair, RepairState.abandoned))
    return ended(loop, cycle, CycleState.refused, *reasons)


def _turned_down(loop: Loop, cycle: Cycle, *, reasons: tuple[str, ...], told: tuple[str, ...]) -> Repair:
    """Keep the attempt whose change the gate did not let through; its certificate speaks for it no more."""
    change = require(loop.store.changes, cycle.change_id)
    certificate = require(loop.store.certificates, cycle.certificate_id)
    refused = certificate.model_copy(update={"granted": False})
    return _keep(loop, cycle, number=change.attempt, certificate=refused, reasons=reasons, told=told)


def _keep(
    loop: Loop,
    cycle: Cycle,
    *,
    number: int,
    certificate: Certificate,
    reasons: tuple[str, ...],
    told: tuple[str, ...],
) -> Repair:
    """Keep what came of the attempt *number*; a certificate that is not granted leaves it out of the choice."""
    repair = require(loop.store.repairs, cycle.repair_id)
    made = next((item for item in attempts_of(loop, repair) if item.number == number), None)
    attempt = Attempt(
        attempt_id=attempt_id(repair, number),
        handoff_id=made.handoff_id if made is not None else cycle.handoff_id or "",
        number=number,
        change_id=certificate.change_id,
        certificate_id=certificate.certificate_id,
        failures=reasons,
        log=made.log if made is not None else "",
        ended_at=loop.clock(),
    )
    _tell(loop, attempt)
    return keep_attempt(loop, repair, attempt, certificate=certificate, told=told)


def _tell(loop: Loop, attempt: Attempt) -> None:
    for reason in attempt.failures[:3]:
        loop.report(f"attempt {attempt.number} failed: {reason}")


def _go_on(loop: Loop, cycle: Cycle, repair: Repair) -> Cycle:
    """Name the next step: the gate for the best change, the next attempt, or the end of a cycle that has none."""
    best = best_of(loop, repair)
    used_up = cycle.attempt >= loop.settings.repair.attempts
    if best is not None and (used_up or has_enough(loop, repair)):
        change, certificate = best
        if change.attempt != cycle.attempt:
            loop.report(f"the best certified change is that of attempt {change.attempt}")
        loop.store.repairs.put(ended_repair(loop, repair, RepairState.certified))
        chosen = {"change_id": change.change_id, "certificate_id": certificate.certificate_id}
        chosen |= {"handoff_id": change.handoff_id, "after_run_id": certificate.after_run_id}
        return cycle.model_copy(update={"stage": "gate", **chosen})
    if not used_up:
        following = {"attempt": cycle.attempt + 1, "failures": repair.failures}
        return cycle.model_copy(update={"stage": "handoff", **following})
    left = leave_to_people(loop, repair)
    loop.report(f"{len(left.groups)} groups of failures need a person now: naoshi attempts")
    reasons = (reason for attempt in attempts_of(loop, left)[-1:] for reason in attempt.failures)
    return ended(loop, cycle, CycleState.refused, *reasons)
