"""The smoke suite: as many groups of cases as can be run within a time budget, the same ones each time."""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from statistics import median

from naoshi.records.base import canonical_json
from naoshi.records.eval_case import EvalCase, Split

SMOKE = "smoke"
"""The name of the smoke suite, under which its runs are kept apart from those of all cases."""

_UNMEASURED_MS = 1000.0


@dataclass(frozen=True, kw_only=True)
class SmokeChoice:
    """The cases that were chosen, in the order of the suites, and how long they should take (``seconds``).

    ``covered`` and ``left_out`` name the groups, as `group_of` does, that have a case in the choice and that have none.
    """

    cases: tuple[EvalCase, ...]
    seconds: float
    covered: tuple[str, ...]
    left_out: tuple[str, ...]


def group_of(case: EvalCase) -> str:
    """Return the name of the group that *case* speaks for: its category, and what failed there."""
    origin = case.provenance
    field = f"{origin.artifact or 'output'}.{origin.field}" if origin.field else ""
    return " / ".join(part for part in (case.category, origin.group_id or field) if part)


def choose_smoke(
    cases: Sequence[EvalCase], *, budget: float, latencies: Mapping[str, float], workers: int = 1, salt: str = ""
) -> SmokeChoice:
    """Return the smoke suite of *cases* that takes at most *budget* seconds.

    *latencies* are measured milliseconds by case identifier; a case that was never run is taken to be as slow as the
    median. *workers* answer at a time. Categories come first, then groups, then a second case of each group, and so on.
    Which case stands for its group is drawn by a hash of its identifier, and times count by powers of two: another
    case, or a run that was a little slower, changes next to nothing. The holdout is never asked.
    """
    groups = _groups([case for case in cases if case.split is not Split.holdout], salt)
    purse = _Purse(left=budget * 1000 * workers, latencies=_rounded(latencies))
    chosen: dict[str, None] = {}
    covered: list[str] = []
    waiting = {name: iter(members) for name, members in groups.items()}
    while waiting:
        for name in list(waiting):
            taken = next((case for case in waiting[name] if purse.pay(case)), None)
            if taken is None:
                del waiting[name]
                continue
            chosen[taken.case_id] = None
            if name not in covered:
                covered.append(name)
    return SmokeChoice(
        cases=tuple(case for case in cases if case.case_id in chosen),
        seconds=purse.spent / 1000 / workers,
        covered=tuple(covered),
        left_out=tuple(name for name in groups if name not in covered),
    )


@dataclass(kw_only=True)
class _Purse:
    """The time that is left, in milliseconds; cases that ask the agent the same share one call."""

    left: float
    latencies: Mapping[str, float]
    spent: float = 0.0

    def __post_init__(self) -> None:
        self._asked: set[str] = set()
        self._usual = median(self.latencies.values()) if self.latencies else _UNMEASURED_MS

    def pay(self, case: EvalCase) -> bool:
        """Take what *case* costs, if there is enough."""
        call = canonical_json(case.vars)
        if call in self._asked:
            return True
        price = self.latencies.get(case.case_id, self._usual)
        if price > self.left:
            return False
        self.left -= price
        self.spent += price
        self._asked.add(call)
        return True


def _groups(cases: Sequence[EvalCase], salt: str) -> dict[str, list[EvalCase]]:
    """Return the groups in the order in which they get their turn, each with its cases in drawn order."""
    found: dict[str, list[EvalCase]] = {}
    for case in cases:
        found.setdefault(group_of(case), []).append(case)
    # Sizes count by powers of two, so that one case more does not change the order.
    by_size = sorted(found, key=lambda name: (-len(found[name]).bit_length(), name))
    places: dict[str, Iterator[int]] = {}
    order = {name: next(places.setdefault(found[name][0].category, count())) for name in by_size}
    return {
        name: sorted(found[name], key=lambda case: _lot(salt, case.case_id))
        for name in sorted(by_size, key=lambda name: order[name])
    }


def _rounded(latencies: Mapping[str, float]) -> dict[str, float]:
    known = {name: value for name, value in latencies.items() if math.isfinite(value) and value >= 0}
    return {name: 2.0 ** math.ceil(math.log2(max(value, 1.0))) for name, value in known.items()}


def _lot(salt: str, case_id: str) -> bytes:
    return hashlib.sha256(f"{salt}\0{case_id}".encode("utf-8", "surrogatepass")).digest()
