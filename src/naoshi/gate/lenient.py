"""The lenient rule of the second cookbook (spec L10), for improving one piece of work until graders agree."""

import math
from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field

_ROUNDING = 1e-9


class LenientRule(BaseModel):
    """``score`` (0–1) is what a grader's score or the average must reach; ``share`` (0–1) of graders must reach it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    score: float = Field(default=0.85, gt=0, le=1, allow_inf_nan=False)
    share: float = Field(default=0.75, gt=0, le=1, allow_inf_nan=False)
    attempts: int = Field(default=3, gt=0)


def lenient_pass(scores: Sequence[float], *, attempt: int = 1, rule: LenientRule | None = None) -> bool:
    """Return whether the graders' *scores* (0–1) of this *attempt* (from 1) are good enough.

    They are when at least ``share`` of the graders reach ``score``, or the average does. No scores, a score that is
    NaN or outside 0–1, and an attempt beyond the last never pass.
    """
    kept = rule or LenientRule()
    if not scores or not 1 <= attempt <= kept.attempts:
        return False
    if not all(math.isfinite(score) and 0 <= score <= 1 for score in scores):
        return False
    reached = sum(score >= kept.score for score in scores) / len(scores)
    average = math.fsum(scores) / len(scores)
    return reached >= kept.share - _ROUNDING or average >= kept.score - _ROUNDING
