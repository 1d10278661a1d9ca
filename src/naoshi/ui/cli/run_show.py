"""One run, shown to people."""

from naoshi.records.eval_run import CaseResult, EvalRun, ResultState
from naoshi.records.run_judge import RunJudge
from naoshi.ui.cli.output import Output, one_line

_SHOWN = 10


def show_run(run: EvalRun, out: Output) -> None:
    """Show how many cases of each category are in each of the five states, and the first that did not pass.

    A case that was tried several times is in the state that most trials say; how often it passed stands beside it.
    """
    counts = ", ".join(f"{count} {state.value}" for state, count in run.case_counts().items())
    out.say(f"run {run.run_id} of {run.version}: {counts}")
    states = run.case_states()
    trials: dict[str, list[CaseResult]] = {}
    by_category: dict[str, list[ResultState]] = {}
    for result in run.results:
        seen = trials.setdefault(result.case_id, [])
        if not seen:
            by_category.setdefault(result.category, []).append(states[result.case_id])
        seen.append(result)
    out.table(
        ("category", "cases", *(state.value for state in ResultState)),
        [
            (name, len(found), *(found.count(state) for state in ResultState))
            for name, found in sorted(by_category.items())
        ],
    )
    others = [found for found in trials.values() if any(item.state is not ResultState.pass_ for item in found)]
    out.say(*(_line(found, states[found[0].case_id]) for found in others[:_SHOWN]))
    if len(others) > _SHOWN:
        out.say(f"  and {len(others) - _SHOWN} more (all of them with --json)")
    if run.judge is not None and run.judge.grades + run.judge.errors:
        _show_judge(run.judge, out)


def _show_judge(judge: RunJudge, out: Output) -> None:
    """Show who graded the rubrics, whether that counts, and what it took."""
    how = "decided" if judge.decides else f"advised only: {judge.advice}"
    kin = "; of the agent's own family or an unknown one, which was allowed" if judge.same_family_allowed else ""
    cost = "" if judge.cost is None else f", ${judge.cost:.4f}"
    out.say(
        f"judge {judge.model} {how}{kin}",
        f"  {judge.grades} grades, {judge.errors} without one; {judge.requests} requests, "
        f"{judge.input_tokens + judge.output_tokens} tokens{cost}",
    )


def _line(trials: list[CaseResult], state: ResultState) -> str:
    shown = next((item for item in trials if item.state is not ResultState.pass_), trials[0])
    passed = sum(item.state is ResultState.pass_ for item in trials)
    tried = f" ({passed} of {len(trials)} trials pass)" if len(trials) > 1 else ""
    return f"  {state.value:<11} {shown.case_id}{tried}: {one_line(shown.reason, most=90)}"
