"""The judgement on a version of the agent against the baseline, with all that it rests on."""

from enum import StrEnum

from pydantic import AwareDatetime

from naoshi.records.base import Record
from naoshi.records.eval_run import ResultState


class Baseline(Record, defer_build=True):
    """The run that candidates are held against. The run itself is stored under ``run_id``."""

    baseline_id: str
    run_id: str
    version: str
    set_at: AwareDatetime
    reason: str = ""


class VerdictOutcome(StrEnum):
    """What the gate says of a candidate; the exit status of `naoshi gate` follows it (0, 1, 3, 4)."""

    pass_ = "pass"  # noqa: S105 - an outcome, not a password
    regression = "regression"
    inconclusive = "inconclusive"
    incomparable = "incomparable"


class Certainty(StrEnum):
    """What a suite can vouch for in one category, whatever the verdict is."""

    certified = "certified"
    too_few = "too_few"


class MeasureStatistics(Record, defer_build=True):
    """One thing that was measured of a category's cases, before and after.

    ``measure`` is ``passes`` (pass rate), ``answers`` (share that got an answer) or ``scores`` (mean score). Rates are
    0–1, over the cases that both runs have, at best for the candidate where a result is unknown. ``low`` and ``high``
    bound ``difference`` (after less before) with 95 % confidence. ``p_value`` is one-sided, for "it got worse";
    ``adjusted_p`` is Holm's, over all tests of the verdict. ``test`` names what was used.
    """

    measure: str
    test: str
    before: float
    after: float
    difference: float
    low: float
    high: float
    p_value: float
    adjusted_p: float


class CategoryStatistics(Record, defer_build=True):
    """What the statistics say of one category.

    ``sources`` counts distinct source traces, ``trials`` is the least number of trials of a case in either run.
    ``worse`` and ``better`` count cases whose pass rate fell or rose. ``pass_low`` and ``pass_high`` bound the
    candidate's pass rate (Wilson, 95 %). ``smallest_effect`` is how many of the ``cases`` would have had to break for
    averages to show it four times in five (None: not even all of them).
    """

    sources: int
    trials: int
    worse: int
    better: int
    pass_low: float
    pass_high: float
    measures: tuple[MeasureStatistics, ...] = ()
    certainty: Certainty | None = None
    smallest_effect: int | None = None


class CategoryVerdict(Record, defer_build=True):
    """One category in a verdict: pass rates (0–1) over the cases that both runs have, and whether it blocks."""

    category: str
    cases: int
    baseline_rate: float | None
    candidate_rate: float | None
    fail_share: float
    outcome: VerdictOutcome
    reason: str = ""
    statistics: CategoryStatistics | None = None


class Flip(Record, defer_build=True):
    """A case whose state differs between baseline and candidate.

    With several trials the state is what most of them say; the rates are the shares that pass. ``confirmed`` says
    whether re-runs of both versions bear it out each time (None: it was not re-run, or not often enough to say).
    """

    case_id: str
    category: str
    before: ResultState
    after: ResultState
    before_rate: float | None = None
    after_rate: float | None = None
    confirmed: bool | None = None


class PolicyVerdict(Record, defer_build=True):
    """What one way of deciding says of the same runs."""

    policy: str
    outcome: VerdictOutcome
    reasons: tuple[str, ...] = ()


class Verdict(Record, defer_build=True):
    """The gate's judgement of a candidate run against the baseline, with every reason.

    It is that of ``policy``; ``by_policy`` has what each policy says. ``rerun`` names the cases that have to be run
    once more on both versions before the verdict is final; ``rounds`` is how often that was done. ``quarantined`` are
    cases that were run and had no say, since they are flaky or retired by a person; a flip among them stands there too.
    """

    verdict_id: str
    outcome: VerdictOutcome
    candidate_run_id: str
    baseline_run_id: str | None
    policy: str
    reasons: tuple[str, ...] = ()
    categories: tuple[CategoryVerdict, ...] = ()
    flips: tuple[Flip, ...] = ()
    decided_at: AwareDatetime
    by_policy: tuple[PolicyVerdict, ...] = ()
    rerun: tuple[str, ...] = ()
    rounds: int = 0
    quarantined: tuple[Flip, ...] = ()
