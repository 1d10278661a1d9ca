"""One run, shown to people."""

from naoshi.records.eval_run import CaseResult, EvalRun, ResultState
from naoshi.ui.cli.output import Output, one_line

_SHOWN = 10


def show_run(run: EvalRun, out: Output) -> None:
    """Show how many cases of each category are in each of the five states, and the first that did not pass."""
    counts = ", ".join(f"{count} {state.value}" for state, count in run.counts().items())
    out.say(f"run {run.run_id} of {run.version}: {counts}")
    by_category: dict[str, list[CaseResult]] = {}
    for result in run.results:
        by_category.setdefault(result.category, []).append(result)
    states = list(ResultState)
    out.table(
        ("category", "cases", *(state.value for state in states)),
        [
            (name, len(found), *(sum(result.state is state for result in found) for state in states))
            for name, found in sorted(by_category.items())
        ],
    )
    others = [result for result in run.results if result.state is not ResultState.pass_]
    out.say(*(f"  {item.state.value:<11} {item.case_id}: {one_line(item.reason, most=90)}" for item in others[:_SHOWN]))
    if len(others) > _SHOWN:
        out.say(f"  and {len(others) - _SHOWN} more (all of them with --json)")
