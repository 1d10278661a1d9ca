"""Which way a case turned between two runs: only what is known of both can be better or worse."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from naoshi.records.eval_run import ResultState
from naoshi.records.verdict import Flip

_RANKS = {ResultState.agent_error: 0, ResultState.fail: 1, ResultState.pass_: 2}


class Turn(StrEnum):
    """Which way a flip goes. ``unknown``: in one of the runs the case was not run or not judged."""

    worse = "worse"
    better = "better"
    unknown = "unknown"


def turn_of(flip: Flip) -> Turn:
    """Return which way *flip* goes; to fail is better than to give no answer, and to pass is better than both."""
    before, after = _RANKS.get(flip.before), _RANKS.get(flip.after)
    if before is None or after is None:
        return Turn.unknown
    return Turn.worse if after < before else Turn.better


def by_turn(flips: Sequence[Flip]) -> Mapping[Turn, Sequence[Flip]]:
    """Return *flips* by the way they go, in their order; each way has a place."""
    return {turn: [flip for flip in flips if turn_of(flip) is turn] for turn in Turn}
