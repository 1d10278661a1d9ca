"""Running the demo and showing it while it happens."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from naoshi.demo.report.document import CycleRow, DemoReport
from naoshi.demo.report.render_report import write_report
from naoshi.demo.report.rows import RowTable
from naoshi.demo.run import DemoSettings, report_of, run_demo
from naoshi.flow.people import People
from naoshi.ui.cli.output import Output
from naoshi.ui.cli.terminal_people import terminal_people

_LOOK_AT = {
    "report": "the curve, in a browser",
    "handoff": "what the mender was told last",
    "diagnose_suite": "the cases that it saw",
    "validate_suite": "the cases that judged its changes",
    "agent": "the agent; `git log` there shows the releases",
}


def show_demo(settings: DemoSettings, out: Output, *, interactive: bool, compare: bool) -> DemoReport:
    """Run the demo, show each cycle as it ends, and write `report.html` into the workspace.

    Raises:
        InputError: the documents or the workspace cannot be used.
    """
    rows = _show_rows(settings, out, _person_at_terminal(settings, out) if interactive else None)
    naive = None
    if compare:
        out.say("", "the same without triage, every correction believed:")
        naive = _show_rows(replace(settings, workspace=settings.workspace / "naive", triage=False), out, None)
    report = report_of(settings, rows, naive)
    write_report(report, settings.workspace / "report.html")
    out.say("", *_results(report), "", "What to look at:", *_places(report))
    return report


def _show_rows(settings: DemoSettings, out: Output, people: Callable[[int], People] | None) -> Sequence[CycleRow]:
    table = RowTable(language=settings.language, colour=out.colour)
    return run_demo(
        settings,
        people_for=people,
        on_row=lambda row: out.say(*table.lines(row), raw=True),
        report=out.passing_or_line,
    )


def _person_at_terminal(settings: DemoSettings, out: Output) -> Callable[[int], People]:
    people = terminal_people(out, actor="you", language=settings.language)
    return lambda number: people


def _results(report: DemoReport) -> list[str]:
    first, last = report.cycles[0].holdout, report.cycles[-1].holdout
    lines = [
        f"held-out receipts with at least 75 % of their fields right: {first.at_least_75:.0%} → "
        f"{last.at_least_75:.0%} of {last.documents}"
    ]
    if report.naive:
        before, after = report.naive[0].holdout, report.naive[-1].holdout
        lines.append(f"the same without triage: {before.at_least_75:.0%} → {after.at_least_75:.0%}")
    return [*lines, f"regressions shipped: {report.regressions_shipped}"]


def _places(report: DemoReport) -> list[str]:
    named = [(note, report.artifacts[name]) for name, note in _LOOK_AT.items() if name in report.artifacts]
    return [f"  {path}  ({note})" for note, path in named]
