"""The trials of one case in one run, and what each of them says."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from naoshi.errors import InputError
from naoshi.records.base import content_id
from naoshi.records.eval_run import CaseResult, EvalRun, ResultState, state_of_trials

_UNKNOWN = frozenset({ResultState.judge_error, ResultState.not_run})
CaseKey = tuple[str, str]
"""A case's identifier and the hash of what it asks."""


@dataclass(frozen=True, kw_only=True)
class CaseTrials:
    """All results of one case in one run; there is at least one."""

    results: tuple[CaseResult, ...]
    _means: dict[Callable[[CaseResult], float], float] = field(
        default_factory=dict[Callable[[CaseResult], float], float], init=False, repr=False, compare=False
    )

    @property
    def case_id(self) -> str:
        """The case's identifier."""
        return self.results[0].case_id

    @property
    def category(self) -> str:
        """The category that the case counts in."""
        return self.results[0].category

    @property
    def key(self) -> CaseKey:
        """What makes it the same case in two runs."""
        return case_key(self.results[0])

    @property
    def source(self) -> CaseKey:
        """The source trace that it comes from; a case without one stands for itself."""
        return (self.results[0].source_key, "") if self.results[0].source_key else self.key

    @property
    def state(self) -> ResultState:
        """What more than half of the trials say, else the state among the most frequent that says least for it."""
        return state_of_trials([result.state for result in self.results])

    def mean(self, value: Callable[[CaseResult], float]) -> float:
        """Return the mean of *value* over the trials; with a yes or no, the share (0–1) of which it is true."""
        if value not in self._means:
            self._means[value] = sum(map(value, self.results)) / len(self.results)
        return self._means[value]


def case_key(result: CaseResult) -> CaseKey:
    """Return what makes *result* a result of the same case as another."""
    return result.case_id, result.content_hash


def by_case(results: Iterable[CaseResult]) -> Mapping[CaseKey, CaseTrials]:
    """Return *results* by case, in the order in which cases first appear."""
    grouped: dict[CaseKey, list[CaseResult]] = {}
    for result in results:
        grouped.setdefault(case_key(result), []).append(result)
    return {key: CaseTrials(results=tuple(found)) for key, found in grouped.items()}


def join_trials(runs: Sequence[EvalRun]) -> EvalRun:
    """Return one run with the results of *runs*, which ran the same cases on the same version: k runs, k trials.

    The trials are numbered in the order of *runs*; one run comes back as it is.

    Raises:
        InputError: there are no runs, or they are of different versions, suites or settings.
    """
    if len({(run.version, run.suite, run.settings_hash) for run in runs}) != 1:
        raise InputError("only runs of one version, one suite and the same settings are trials of each other")
    if len(runs) == 1:
        return runs[0]
    offset, results = 0, list[CaseResult]()
    for run in runs:
        results += [result.model_copy(update={"trial": offset + result.trial}) for result in run.results]
        offset += 1 + max((result.trial for result in run.results), default=0)
    return runs[0].model_copy(
        update={
            "run_id": content_id("run", "trials", *(run.run_id for run in runs)),
            "started_at": min(run.started_at for run in runs),
            "finished_at": max(run.finished_at for run in runs),
            "results": tuple(results),
        }
    )


def passes(result: CaseResult) -> bool:
    """Return whether *result* passes beyond doubt: its state says so and its scores are scores."""
    return result.state is ResultState.pass_ and is_sound(result)


def is_unknown(result: CaseResult) -> bool:
    """Return whether *result* says nothing of the agent: not run, not judged, or with a score that is none."""
    return result.state in _UNKNOWN or not is_sound(result)


def certainly_fails(result: CaseResult) -> bool:
    """Return whether *result* is known and does not pass."""
    return not passes(result) and not is_unknown(result)


def gives_no_answer(result: CaseResult) -> bool:
    """Return whether the agent left the case without an answer."""
    return result.state is ResultState.agent_error


def is_sound(result: CaseResult) -> bool:
    """Return whether every score of *result* is a number from 0 to 1."""
    return _is_score(result.score) and all(_is_score(item.score) for item in result.assertions)


def passing(cases: Iterable[CaseTrials]) -> float:
    """Return how many of *cases* pass; one that passes in some of its trials counts in part."""
    return math.fsum(trials.mean(passes) for trials in cases)


def failing(cases: Iterable[CaseTrials], *, certainly: bool = False) -> float:
    """Return how many of *cases* do not pass, in parts as above; *certainly* leaves out what is unknown."""
    fails = certainly_fails if certainly else _does_not_pass
    return math.fsum(trials.mean(fails) for trials in cases)


def failing_share_by_source(cases: Sequence[CaseTrials], *, certainly: bool = False) -> float:
    """Return the share (0–1) of *cases* that do not pass, each source weighing the same however many cases it has."""
    sources: dict[CaseKey, list[CaseTrials]] = {}
    for trials in cases:
        sources.setdefault(trials.source, []).append(trials)
    shares = [failing(mine, certainly=certainly) / len(mine) for mine in sources.values()]
    return math.fsum(shares) / len(shares) if shares else 0.0


def unknown(cases: Iterable[CaseTrials]) -> int:
    """Return how many of *cases* have a trial that says nothing of the agent."""
    return sum(trials.mean(is_unknown) > 0 for trials in cases)


def _is_score(score: float | None) -> bool:
    return score is None or 0 <= score <= 1


def _does_not_pass(result: CaseResult) -> bool:
    return not passes(result)
