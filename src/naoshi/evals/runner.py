"""Who runs and grades cases: we, or the real Promptfoo; and how far they are."""

import time
from collections import Counter
from collections.abc import Callable
from enum import StrEnum

from naoshi.records.eval_run import CaseResult, ResultState

_TOLD_EACH_SECONDS = 0.1
_BAR_CELLS = 10


class Runner(StrEnum):
    """Who runs and grades the cases."""

    native = "native"
    promptfoo = "promptfoo"


def told_progress(tell: Callable[[str], None], name: str, total: int) -> Callable[[CaseResult], None]:
    """Return what tells of each result how far the run is: a bar, and all five states counted, ten times a second."""
    counts: Counter[ResultState] = Counter()
    last = 0.0

    def progress(result: CaseResult) -> None:
        nonlocal last
        counts[result.state] += 1
        now, done = time.monotonic(), counts.total()
        if now - last >= _TOLD_EACH_SECONDS or done == total:
            last = now
            states = ", ".join(f"{counts[state]} {state.value}" for state in ResultState)
            # The name stands last, since a narrow terminal cuts off what is at the end.
            tell(f"{_bar(done, total)} {done}/{total} cases: {states} ({name})")

    return progress


def _bar(done: int, total: int) -> str:
    full = _BAR_CELLS * min(done, total) // total if total else _BAR_CELLS
    return "█" * full + "░" * (_BAR_CELLS - full)
