"""What the holdout was asked, by whom, when and why: each time is a line of the ledger, and counts against a budget."""

import getpass
from collections.abc import Iterable
from datetime import UTC
from typing import Final

from pydantic import AwareDatetime

from naoshi.errors import HoldoutBudgetError
from naoshi.flow.loop import Loop
from naoshi.records import EvalCase, LedgerEntry, Split
from naoshi.records.base import Record
from naoshi.release.ledger import enter

HOLDOUT: Final = "holdout"
"""The kind of ledger entry that an evaluation on the holdout makes."""

_MONTH = "%Y-%m"


class HoldoutQuery(Record):
    """One evaluation on the holdout.

    ``cases`` is how many of its cases were run. ``counted`` is False for the re-runs that settle a verdict: they belong
    to the query that they settle. ``cycle`` is the cycle that was open then, empty where none was.
    """

    at: AwareDatetime
    who: str
    why: str
    commit: str
    cases: int
    cycle: str
    counted: bool


class HoldoutUse(Record):
    """The lines so far, oldest first, and how many queries count in this ``month`` (UTC) and in the open cycle."""

    queries: tuple[HoldoutQuery, ...]
    month: str
    in_month: int
    in_cycle: int
    per_month: int
    per_cycle: int


def holdout_use(loop: Loop) -> HoldoutUse:
    """Return what the holdout was asked, and what is left to ask."""
    entries = [entry for entry in loop.store.ledger.entries() if entry.kind == HOLDOUT]
    month, cycle = loop.clock().astimezone(UTC).strftime(_MONTH), _open_cycle(loop)
    queries = tuple(map(_query, entries))
    counted = [query for query in queries if query.counted]
    return HoldoutUse(
        queries=queries,
        month=month,
        in_month=sum(query.at.astimezone(UTC).strftime(_MONTH) == month for query in counted),
        in_cycle=sum(bool(cycle) and query.cycle == cycle for query in counted),
        per_month=loop.settings.evals.holdout_per_month,
        per_cycle=loop.settings.evals.holdout_per_cycle,
    )


def enter_holdout_query(
    loop: Loop, cases: Iterable[EvalCase], *, commit: str, why: str, once: str = "", counted: bool = True
) -> None:
    """Enter that *cases* are about to be run on *commit*; nothing is entered where none of them is of the holdout.

    *once* names the step of a cycle that asks: a step that is done again after a crash is the same query. The line is
    written before the run, so that stopping a run hides nothing.

    Raises:
        HoldoutBudgetError: the budget of the cycle or of the month is used up; nothing is to be run.
    """
    count = sum(case.split is Split.holdout for case in cases)
    if not count:
        return
    with loop.store.transaction():
        entries = loop.store.ledger.entries()
        act = once or f"{loop.clock().isoformat()}:{len(entries)}"
        if any(entry.key == f"{HOLDOUT}:queried:{act}" for entry in entries):
            return
        if counted:
            _require_budget(holdout_use(loop), in_cycle=bool(_open_cycle(loop)))
        enter(
            loop.store,
            kind=HOLDOUT,
            subject="queried",
            actor=_operator(loop),
            now=loop.clock(),
            payload={
                "why": why,
                "commit": commit,
                "cases": count,
                "cycle": _open_cycle(loop),
                "counted": counted,
            },
            act=act,
        )


def _require_budget(use: HoldoutUse, *, in_cycle: bool) -> None:
    if in_cycle and use.in_cycle >= use.per_cycle:
        told = f"the holdout was asked {use.in_cycle} times in this cycle, and may be {use.per_cycle} times"
        raise HoldoutBudgetError(told, hint="a person may raise `holdout_per_cycle` under [evals] in naoshi.toml")
    if use.in_month >= use.per_month:
        told = f"the holdout was asked {use.in_month} times in {use.month}, and may be {use.per_month} times a month"
        raise HoldoutBudgetError(told)


def _query(entry: LedgerEntry) -> HoldoutQuery:
    said = entry.payload
    cases = said.get("cases")
    return HoldoutQuery(
        at=entry.at,
        who=entry.actor,
        why=str(said.get("why", "")),
        commit=str(said.get("commit", "")),
        cases=cases if isinstance(cases, int) else 0,
        cycle=str(said.get("cycle", "")),
        counted=said.get("counted") is not False,
    )


def _open_cycle(loop: Loop) -> str:
    cycles = loop.store.cycles.find()
    return cycles[-1].cycle_id if cycles and not cycles[-1].state.ended else ""


def _operator(loop: Loop) -> str:
    """Return git's name of whoever runs Naoshi, else that of the login."""
    found = loop.git.attempt("config", "user.name")
    name = found.stdout.strip() if found.status == 0 else ""
    try:
        return name or getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
