"""Runs that the tests of the gate are made of."""

from collections.abc import Sequence
from datetime import UTC, datetime

from hypothesis import strategies as st

from naoshi.gate.policy import CategoryTolerance, GatePolicy
from naoshi.gate.rerun import Rerun, RunAgain
from naoshi.records import CaseResult, EvalRun, ResultState

NOW = datetime(2026, 3, 8, 9, 30, tzinfo=UTC)
_SCORES = {ResultState.pass_: 1.0, ResultState.fail: 0.0}


def result(case_id: str, state: str = "pass", category: str = "general", **more: object) -> CaseResult:
    kind = ResultState(state)
    fields: dict[str, object] = {"content_hash": f"hash of {case_id}", "score": _SCORES.get(kind), **more}
    return CaseResult(case_id=case_id, state=kind, category=category, **fields)  # type: ignore[arg-type]


def run(*results: CaseResult, version: str = "v1", **more: object) -> EvalRun:
    fields: dict[str, object] = {"settings_hash": "graded alike", "run_id": f"run of {version}", **more}
    return EvalRun(suite="ours", version=version, started_at=NOW, finished_at=NOW, results=results, **fields)  # type: ignore[arg-type]


def of_counts(version: str, **categories: tuple[int, int]) -> EvalRun:
    """A run in which the first cases of each category pass: ``total=(6, 10)`` is 6 of 10."""
    return run(
        *(
            result(f"{category}-{number}", "pass" if number < passing else "fail", category)
            for category, (passing, cases) in categories.items()
            for number in range(cases)
        ),
        version=version,
    )


STATES = st.sampled_from(["pass", "fail", "agent_error", "judge_error", "not_run"])
CATEGORIES = st.sampled_from(["a", "b", "safety", "hallucination"])
RESULTS = st.dictionaries(st.integers(0, 12), st.tuples(STATES, CATEGORIES), max_size=12)
POLICIES = st.builds(
    GatePolicy,
    policy=st.sampled_from(["literal", "paired"]),
    default=st.builds(CategoryTolerance, max_drop=st.sampled_from([0.0, 0.1, 0.5])),
    max_worse=st.none() | st.integers(0, 2),
    require_all=st.booleans(),
)


def drawn(version: str, results: dict[int, tuple[str, str]]) -> EvalRun:
    made = [result(f"c{number}", state, category) for number, (state, category) in results.items()]
    return run(*made, version=version)


def of_cases(whole: EvalRun, case_ids: Sequence[str]) -> EvalRun:
    """The results of some cases alone."""
    kept = tuple(item for item in whole.results if item.case_id in case_ids)
    return whole.model_copy(update={"results": kept, "run_id": f"{whole.run_id}, again"})


def without_chance(candidate: EvalRun, baseline: EvalRun | None) -> RunAgain:
    """Re-runs of an agent that answers alike each time."""

    def run_again(case_ids: Sequence[str], /) -> Rerun:
        before = None if baseline is None else of_cases(baseline, case_ids)
        return Rerun(candidate=of_cases(candidate, case_ids), baseline=before)

    return run_again


def with_states(candidate: EvalRun, baseline: EvalRun, *, after: str, before: str) -> RunAgain:
    """Re-runs in which every case ends in the state *after* on the candidate and in *before* on the baseline."""

    def again(whole: EvalRun, case_ids: Sequence[str], state: str) -> EvalRun:
        chosen = of_cases(whole, case_ids)
        made = [result(item.case_id, state, item.category, trial=0) for item in chosen.results]
        return chosen.model_copy(update={"results": tuple({item.case_id: item for item in made}.values())})

    def run_again(case_ids: Sequence[str], /) -> Rerun:
        return Rerun(candidate=again(candidate, case_ids, after), baseline=again(baseline, case_ids, before))

    return run_again


def of_trials(version: str, category: str = "general", **cases: str) -> EvalRun:
    """A run with several trials: ``a="++-"`` is a case that passed twice and then failed; ``!`` is no answer."""
    states = {"+": "pass", "-": "fail", "!": "agent_error", "?": "judge_error"}
    made = [
        result(case_id, states[mark], category, trial=number)
        for case_id, marks in cases.items()
        for number, mark in enumerate(marks)
    ]
    return run(*made, version=version)
