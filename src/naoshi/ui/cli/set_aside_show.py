"""What stands beside every total: the cases without a say in the gate, and how much each source counts."""

from collections import Counter

from naoshi.evals.suites.source_weights import category_rates
from naoshi.flow.loop import Loop
from naoshi.flow.quarantine import SetAside
from naoshi.records import EvalRun
from naoshi.ui.cli.output import Output, counted

_LOPSIDED = 0.9


def show_set_aside(loop: Loop, run: EvalRun, out: Output) -> None:
    """Say which results of *run* have no say in the gate, and where a few sources carry a category."""
    aside = SetAside.of(loop).standings
    mine = [(item, aside[key]) for item in run.results if (key := (item.case_id, item.content_hash)) in aside]
    if mine:
        kinds = Counter(standing.value.replace("_", " ") for _, standing in mine)
        told = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
        states = Counter(item.state.value for item, _ in mine)
        became = ", ".join(f"{count} {state}" for state, count in sorted(states.items()))
        out.say(f"{counted(len(mine), 'result')} among them without a say in the gate ({told}): {became}")
    for rate in category_rates(run.results):
        if rate.effective < _LOPSIDED * rate.cases:
            out.say(
                f"{rate.category}: {rate.cases} cases from {counted(rate.sources, 'source')} count as "
                f"{rate.effective:.1f}; {rate.by_case:.1%} of the cases pass, {rate.by_source:.1%} by source"
            )
