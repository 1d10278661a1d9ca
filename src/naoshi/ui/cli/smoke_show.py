"""The smoke suite, run and shown."""

from pathlib import Path

from naoshi.evals.promptfoo.results_writer import write_results
from naoshi.flow.loop import Loop
from naoshi.flow.smoke import run_smoke, smoke_suite
from naoshi.records import ResultState
from naoshi.ui.cli.output import Output, counted, one_line
from naoshi.ui.cli.run_show import show_run
from naoshi.ui.cli.set_aside_show import show_set_aside

_SHOWN = 5


def run_smoke_and_show(loop: Loop, out: Output, *, commit: str, output: Path | None = None) -> bool:
    """Run the smoke suite on *commit* (the version in force where it is empty); return whether every case passed.

    The results are also written to *output*, in the shape of Promptfoo's.

    Raises:
        NotFoundError: there is no case, or none that fits the time.
    """
    choice = smoke_suite(loop)
    left = f"; {len(choice.left_out)} do not fit" if choice.left_out else ""
    out.say(
        f"smoke suite: {counted(len(choice.cases), 'case')} of {counted(len(choice.covered), 'group')}{left}, "
        f"about {choice.seconds:.1f} s"
    )
    out.say(*(f"  not covered: {one_line(name)}" for name in choice.left_out[:_SHOWN]))
    run = run_smoke(loop, choice, commit=commit)
    if output is not None:
        write_results(output, run, choice.cases)
    show_run(run, out)
    show_set_aside(loop, run, out)
    out.say("a smoke run is a quick look: a release always stands on a run of all cases")
    out.result({"run": run, "covered": choice.covered, "left_out": choice.left_out, "expected_seconds": choice.seconds})
    return run.counts()[ResultState.pass_] == len(run.results)
