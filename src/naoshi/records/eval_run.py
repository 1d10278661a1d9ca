"""One execution of cases by one version of the agent."""

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum

from pydantic import AwareDatetime, JsonValue

from naoshi.records.base import Record
from naoshi.records.run_judge import RunJudge


class ResultState(StrEnum):
    """What became of a case. The five are counted apart and never merged; only ``pass`` passes."""

    pass_ = "pass"  # noqa: S105 - a state, not a password
    fail = "fail"
    agent_error = "agent_error"
    judge_error = "judge_error"
    not_run = "not_run"


# A tie between states falls to the one that says less for the agent.
_GRAVITY = (
    ResultState.agent_error,
    ResultState.fail,
    ResultState.judge_error,
    ResultState.not_run,
    ResultState.pass_,
)


def state_of_trials(states: Sequence[ResultState]) -> ResultState:
    """Return what more than half of *states* say, else the one among the most frequent that says least for the agent.

    Raises:
        ValueError: there are none.
    """
    if len(states) == 1:
        return states[0]
    seen = Counter(states)
    most = max(seen.values())
    return min((state for state, times in seen.items() if times == most), key=_GRAVITY.index)


class AssertionResult(Record):
    """What one assertion made of the output. ``score`` is 0–1, None where there is none to give."""

    type: str
    state: ResultState
    score: float | None = None
    reason: str = ""


class CaseResult(Record, defer_build=True):
    """What one case made of one run. ``score`` is the weighted mean of its assertions (0–1).

    A case that was run several times has a result for each ``trial``, counted from 0.
    """

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
    trial: int = 0


class EvalRun(Record, defer_build=True):
    """One execution of a suite by one version.

    ``settings_hash`` pins what makes runs comparable (judge, rubric, runner). ``commit`` is what was checked out, empty
    where that is not known. ``judge`` is who graded rubrics, None where no judge was configured.
    """

    run_id: str
    suite: str
    version: str
    started_at: AwareDatetime
    finished_at: AwareDatetime
    settings_hash: str = ""
    results: tuple[CaseResult, ...] = ()
    commit: str = ""
    judge: RunJudge | None = None

    def counts(self) -> Mapping[ResultState, int]:
        """Return how many results are in each of the five states, zeros included; each trial is a result."""
        seen = Counter(result.state for result in self.results)
        return {state: seen.get(state, 0) for state in ResultState}

    def case_states(self) -> Mapping[str, ResultState]:
        """Return the state of each case by its identifier, in order: what most of its trials say."""
        trials: dict[str, list[ResultState]] = {}
        for result in self.results:
            trials.setdefault(result.case_id, []).append(result.state)
        return {case_id: state_of_trials(states) for case_id, states in trials.items()}

    def case_counts(self) -> Mapping[ResultState, int]:
        """Return how many cases are in each of the five states, zeros included, however often each was tried."""
        seen = Counter(self.case_states().values())
        return {state: seen.get(state, 0) for state in ResultState}
