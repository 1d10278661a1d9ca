"""The HTML report of the evals, gathered from the store and written."""

from pathlib import Path

from naoshi.flow.left_to_people import left_groups
from naoshi.flow.loop import Loop
from naoshi.flow.present_run import runs_by_version
from naoshi.flow.suites import judged_cases
from naoshi.records.language import Language
from naoshi.ui.cli.output import Output, counted
from naoshi.ui.report.compile_report import Judged, compile_report
from naoshi.ui.report.eval_report import EvalReport
from naoshi.ui.report.render_report import write_report

_USUAL_PLACE = Path("reports") / "evals.html"


def report_and_show(loop: Loop, out: Output, *, output: Path | None, language: Language) -> None:
    """Write the report in *language* to *output* (in `.naoshi/reports` where that is None) and say where it is.

    Raises:
        SuiteError: a suite cannot be read, so that nobody knows what is held out.
        StoreError: the file cannot be written.
    """
    report = gathered_report(loop, language=language)
    path = output or loop.state / _USUAL_PLACE
    size = write_report(report, path)
    hidden = report.held_out + report.gone
    shown = sum(len(group.failing) + len(group.passing) for group in report.rows)
    out.say(f"{path}: {counted(len(report.columns), 'run')}, {counted(shown, 'case')}, {size // 1000} kB")
    if hidden:
        out.say(f"{counted(hidden, 'case')} that may not be shown one by one: in the totals alone")
    out.result({"path": str(path), "bytes": size, "runs": len(report.columns), "cases": shown, "hidden": hidden})


def gathered_report(loop: Loop, *, language: Language) -> EvalReport:
    """Return what the page is to show in *language*, from all that is stored.

    Raises:
        SuiteError: a suite cannot be read.
    """
    verdict = max(loop.store.verdicts.find(), key=lambda verdict: verdict.decided_at, default=None)
    judged = None
    if verdict is not None:
        before = loop.store.runs.get(verdict.baseline_run_id) if verdict.baseline_run_id else None
        judged = Judged(verdict=verdict, before=before, after=loop.store.runs.get(verdict.candidate_run_id))
    return compile_report(
        project=loop.git.folder.name,
        runs=runs_by_version(loop),
        # The suites may have been edited since a case was stored; both have a say in what is held out.
        cases=(*judged_cases(loop), *loop.store.cases.find()),
        judged=judged,
        left=left_groups(loop),
        language=language,
        now=loop.clock(),
    )
