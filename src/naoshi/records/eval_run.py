"""One execution of cases by one version of the agent, and the judgement that follows."""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum

from pydantic import AwareDatetime, JsonValue

from naoshi.records.base import Record


class ResultState(StrEnum):
    """What became of a case. The five are counted apart and never merged; only ``pass`` passes."""

    pass_ = "pass"  # noqa: S105 - a state, not a password
    fail = "fail"
    agent_error = "agent_error"
    judge_error = "judge_error"
    not_run = "not_run"


class AssertionResult(Record):
    """What one assertion made of the output. ``score`` is 0–1, None where there is none to give."""

    type: str
    state: ResultState
    score: float | None = None
    reason: str = ""


class CaseResult(Record):
    """What one case made of one run. ``score`` is the weighted mean of its assertions (0–1)."""

    case_id: str
    content_hash: str
    category: str
    source_key: str = ""
    state: ResultState
    score: float | None = None
    output: JsonValue = None
    reason: str = ""
    assertions: tuple[AssertionResult, ...] = ()
    latency_ms: float | None = None


class EvalRun(Record):
    """One execution of a suite by one version.

    ``settings_hash`` pins what makes runs comparable (judge, rubric, runner).
    """

    run_id: str
    suite: str
    version: str
    started_at: AwareDatetime
    finished_at: AwareDatetime
    settings_hash: str = ""
    results: tuple[CaseResult, ...] = ()

    def counts(self) -> Mapping[ResultState, int]:
        """Return how many results are in each of the five states, zeros included."""
        seen = Counter(result.state for result in self.results)
        return {state: seen.get(state, 0) for state in ResultState}


class Baseline(Record):
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


class CategoryVerdict(Record):
    """One category in a verdict: pass rates (0–1) over the cases that both runs have, and whether it blocks."""

    category: str
    cases: int
    baseline_rate: float | None
    candidate_rate: float | None
    fail_share: float
    outcome: VerdictOutcome
    reason: str = ""


class Flip(Record):
    """A case whose state differs between baseline and candidate."""

    case_id: str
    category: str
    before: ResultState
    after: ResultState


class Verdict(Record):
    """The gate's judgement of a candidate run against the baseline, with every reason."""

    verdict_id: str
    outcome: VerdictOutcome
    candidate_run_id: str
    baseline_run_id: str | None
    policy: str
    reasons: tuple[str, ...] = ()
    categories: tuple[CategoryVerdict, ...] = ()
    flips: tuple[Flip, ...] = ()
    decided_at: AwareDatetime
