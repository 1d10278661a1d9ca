"""Groups of failures that a repair could not mend. They need a person, and no cycle tries them again unasked."""

from collections.abc import Collection, Mapping, Sequence

from pydantic import AwareDatetime

from naoshi.errors import NotFoundError
from naoshi.flow.loop import Loop
from naoshi.flow.present_run import runs_by_version
from naoshi.flow.repairs import ended_repair
from naoshi.records import EvalCase, FailureGroup, Repair, RepairState, ResultState
from naoshi.records.base import Record
from naoshi.records.repair import UNGROUPED
from naoshi.release.ledger import enter
from naoshi.release.versions import current_version
from naoshi.repair.handoff import group_of_case

_ENDED = (RepairState.certified, RepairState.needs_person)


class LeftGroup(Record):
    """A group that needs a person: its name in words, the ``cases`` that failed in it, and the repair that gave up."""

    group_id: str
    name: str
    cases: tuple[str, ...]
    repair_id: str
    attempts: int
    since: AwareDatetime | None


def leave_to_people(loop: Loop, repair: Repair) -> Repair:
    """Mark the groups of *repair*, none of whose attempts gave a change that may be released; return it ended."""
    ended = ended_repair(loop, repair, RepairState.needs_person)
    with loop.store.transaction():
        loop.store.repairs.put(ended)
        for group_id, cases in repair.groups.items():
            enter(
                loop.store,
                kind="needs_person",
                subject=group_id,
                actor="naoshi",
                now=loop.clock(),
                payload={"repair": repair.repair_id, "cases": list(cases), "attempts": len(repair.attempts)},
                act=repair.repair_id,
            )
    return ended


def left_groups(loop: Loop) -> tuple[LeftGroup, ...]:
    """Return the groups that need a person: the latest repair of each gave up, and a case of it fails still."""
    latest: dict[str, Repair] = {}
    for repair in loop.store.repairs.find():
        if repair.state in _ENDED:
            latest |= dict.fromkeys(repair.groups, repair)
    gave_up = {
        group_id: repair
        for group_id, repair in latest.items()
        if repair.state is RepairState.needs_person and group_id not in repair.taken_up
    }
    passing = _passing(loop) if gave_up else frozenset[str]()
    return tuple(
        _left(loop, group_id, repair)
        for group_id, repair in gave_up.items()
        if not set(repair.groups[group_id]) <= passing
    )


def without_left(
    left: Sequence[LeftGroup], *, cases: Sequence[EvalCase], failing: Sequence[EvalCase], groups: Sequence[FailureGroup]
) -> tuple[EvalCase, ...]:
    """Return those of *cases* that a repair may be about: not those of *failing* in a group that is *left* to people.

    A group in which another case fails than did then is taken up again by that. *groups* are those of *failing*.
    """
    known = {item.group_id: frozenset(item.cases) for item in left}
    membership = {case.case_id: _membership(case, known, groups) for case in failing}
    found: dict[str, set[str]] = {}
    for case_id, group_id in membership.items():
        found.setdefault(group_id, set()).add(case_id)
    still = {group_id for group_id, then in known.items() if found.get(group_id, set()) <= then}
    return tuple(case for case in cases if membership.get(case.case_id) not in still)


def take_up(loop: Loop, name: str, *, actor: str) -> tuple[LeftGroup, ...]:
    """Let the next repair try again the group whose identifier begins with *name* (`all`: every one that is left).

    Raises:
        NotFoundError: no group that needs a person is called so, or several are.
    """
    left = left_groups(loop)
    chosen = left if name == "all" else tuple(item for item in left if item.group_id.startswith(name))
    if not chosen:
        raise NotFoundError(
            f"no group that needs a person is called {name!r}" if left else "no group needs a person",
            hint="`naoshi attempts` lists them",
        )
    if name != "all" and len(chosen) > 1:
        raise NotFoundError(f"{name} stands for {len(chosen)} groups", hint="write more of the identifier, or `all`")
    with loop.store.transaction():
        for item in chosen:
            _take_up(loop, item, actor)
    return chosen


def _take_up(loop: Loop, item: LeftGroup, actor: str) -> None:
    repair = loop.store.repairs.get(item.repair_id)
    if repair is None:
        raise NotFoundError(f"there is no repair {item.repair_id}")
    taken_up = tuple(dict.fromkeys((*repair.taken_up, item.group_id)))
    loop.store.repairs.put(repair.model_copy(update={"taken_up": taken_up}))
    enter(
        loop.store,
        kind="taken_up",
        subject=item.group_id,
        actor=actor,
        now=loop.clock(),
        payload={"repair": item.repair_id},
        act=item.repair_id,
    )


def _membership(case: EvalCase, known: Mapping[str, Collection[str]], groups: Sequence[FailureGroup]) -> str:
    """Return the group of *case*: the one that it was left with, else the one that its signals are in."""
    then = next((group_id for group_id, cases in known.items() if case.case_id in cases), None)
    return then or group_of_case(case, groups) or UNGROUPED


def _left(loop: Loop, group_id: str, repair: Repair) -> LeftGroup:
    diagnosis = loop.store.diagnoses.get(repair.diagnosis_id)
    groups = diagnosis.groups if diagnosis is not None else ()
    named = next((f"{item.artifact} {item.failure_type}" for item in groups if item.group_id == group_id), None)
    return LeftGroup(
        group_id=group_id,
        name=named or ("cases without a group" if group_id == UNGROUPED else group_id),
        cases=repair.groups[group_id],
        repair_id=repair.repair_id,
        attempts=len(repair.attempts),
        since=repair.ended_at,
    )


def _passing(loop: Loop) -> frozenset[str]:
    """Return the cases that pass in the last run of the version in force."""
    version = current_version(loop.store)
    runs = [run for run in runs_by_version(loop) if version is not None and run.version == version.name]
    if not runs:
        return frozenset()
    return frozenset(name for name, state in runs[-1].case_states().items() if state is ResultState.pass_)
