"""How a cycle ended, in words, and the exit status that follows."""

import sys

from naoshi.errors import WaitingError
from naoshi.flow.loop import Loop
from naoshi.records import Cycle, CycleState
from naoshi.ui.cli.output import Output, counted, visible

_STATUS = {
    CycleState.released: 0,
    CycleState.nothing_to_do: 0,
    CycleState.refused: 1,
    CycleState.waiting: WaitingError.exit_status,
    CycleState.running: WaitingError.exit_status,
}


def show_cycle(loop: Loop, cycle: Cycle, out: Output) -> int:
    """Show how *cycle* ended or what it waits for, and return the exit status."""
    told = "; ".join(cycle.reasons)
    headline = {
        CycleState.released: f"released {cycle.version}",
        CycleState.refused: f"nothing released, {cycle.base_version} stays: {told}",
        CycleState.nothing_to_do: f"nothing to do, {cycle.base_version} stays: {told}",
    }.get(cycle.state)
    if headline is not None:
        out.say(f"cycle {cycle.number}: {headline}", f"  {_counts(cycle)}")
    else:
        out.clear()
        print(visible(WaitingError(told, hint=_what_to_do(cycle)).line()), file=sys.stderr)
    out.result(cycle)
    return _STATUS[cycle.state]


def _counts(cycle: Cycle) -> str:
    return ", ".join(
        (
            counted(cycle.corrections, "correction"),
            f"{cycle.not_cases} of them no case",
            counted(cycle.cases, "case"),
            counted(cycle.questions, "question"),
        )
    )


def _what_to_do(cycle: Cycle) -> str:
    command = "triage" if cycle.stage == "triage" else "review"
    return f"answer with `naoshi {command}`, then run `naoshi cycle` again"
