"""The attempts to mend some groups of failures, and what came of them."""

from enum import StrEnum

from pydantic import AwareDatetime

from naoshi.records.base import Record

UNGROUPED = "ungrouped"
"""Stands for the group of cases that no signal speaks for."""


class RepairState(StrEnum):
    """Where a repair is: at work, ended with a change that is certified, or ended without one, or overtaken.

    ``abandoned`` is one that can no longer go on: what it stood on has changed, or nobody could judge its change.
    """

    under_way = "under_way"
    certified = "certified"
    needs_person = "needs_person"
    abandoned = "abandoned"


class Repair(Record):
    """The attempts of one repair: what they were to mend, and what came of them.

    ``groups`` names for each group of failures the cases that failed in it. ``attempts`` are in order; ``failures`` is
    what the next one is told. ``certified`` names the granted certificates that the gate has not turned down. Where
    ``state`` is ``needs_person`` no cycle takes the groups up again, unless another case fails in one of them;
    ``taken_up`` names those that a person has had taken up again.
    """

    repair_id: str
    cycle_id: str | None
    diagnosis_id: str
    run_id: str
    base_version: str
    base_commit: str
    groups: dict[str, tuple[str, ...]]
    attempts: tuple[str, ...] = ()
    certified: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    taken_up: tuple[str, ...] = ()
    state: RepairState = RepairState.under_way
    started_at: AwareDatetime
    ended_at: AwareDatetime | None = None
