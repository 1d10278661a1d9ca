"""The gate in a pipeline: plain lines for the log, files for those who read the run."""

import os
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from naoshi.app.settings import settings_at
from naoshi.errors import RepositoryError, StoreError, UsageError
from naoshi.evals.judging.settings import MARKS
from naoshi.flow.loop import Loop
from naoshi.flow.pipeline import PipelineResult, judge_clone, keep_baseline
from naoshi.gate.explain import explain
from naoshi.gate.trials import is_unknown
from naoshi.records import ResultState, VerdictOutcome
from naoshi.records.language import Language
from naoshi.ui.ci.junit import write_junit
from naoshi.ui.ci.step_summary import append_summary, summary
from naoshi.ui.cli.output import Output, counted, one_line, visible
from naoshi.ui.cli.run_show import show_run
from naoshi.ui.cli.session import session

_LINE_EACH_SECONDS = 10.0
_SHOWN = 5
_EXIT = {
    VerdictOutcome.pass_: 0,
    VerdictOutcome.regression: 1,
    VerdictOutcome.inconclusive: 3,
    VerdictOutcome.incomparable: 4,
}


def keep_and_show(folder: Path, out: Output, *, path: Path | None, judges: bool = False) -> int:
    """Keep the work tree's run of all cases as the baseline, and say what to commit.

    Raises:
        UsageError: options of judging were given too (*judges*), which nothing would come of.
    """
    if judges:
        raise UsageError("--keep judges nothing; leave --from and --junit out")
    with _pipeline(folder, out) as loop:
        kept = keep_baseline(loop, path)
        passed = sum(item.state is ResultState.pass_ for item in kept.results)
        out.say(
            f"baseline of {kept.commit[:12]}: {passed} of {counted(len(kept.results), 'result')} pass; "
            "commit the file to have it in the pipeline"
        )
        unknown = sum(is_unknown(item) for item in kept.results)
        if unknown:
            out.say(
                f"NOTE {counted(unknown, 'result')} of it not run or not graded, so that every verdict on such a case "
                "will be inconclusive: see to the judge (`naoshi doctor`) and keep the baseline again"
            )
        out.result({"commit": kept.commit, "passed": passed, "results": len(kept.results)})
    return 0


def judge_and_show(folder: Path, out: Output, *, smoke: bool, path: Path | None, ref: str, junit: Path | None) -> int:
    """Judge the work tree, write what was asked for, and return the exit status."""
    with _pipeline(folder, out) as loop:
        found = judge_clone(_bar_of(loop, ref), smoke=smoke, path=path, ref=ref)
        scope = "smoke suite" if smoke else "all cases"
        place = os.environ.get("GITHUB_STEP_SUMMARY")
        if place:
            found = _summarised(found, Path(place), scope, loop.settings.language)
        _show(loop, found, scope, out)
        if junit is not None:
            _write_junit(junit, found)
    return _EXIT[found.verdict.outcome]


def _write_junit(path: Path, found: PipelineResult) -> None:
    try:
        write_junit(path, found.run, found.verdict)
    except StoreError as error:
        raise StoreError(error.message, hint="name another file with --junit") from error


def _bar_of(loop: Loop, ref: str) -> Loop:
    """Return *loop* with the gate's settings, the time of the smoke suite, and the judge's marks, as *ref* has them."""
    if not ref:
        return loop
    try:
        there = settings_at(loop.git, loop.git.commit_of(ref))
    except RepositoryError as error:
        hint = "fetch it first (`git fetch origin`; in a workflow `fetch-depth: 0`)"
        raise RepositoryError(error.message, hint=hint) from error
    evals = loop.settings.evals.model_copy(update={"smoke_seconds": there.evals.smoke_seconds})
    judge = loop.settings.judge.model_copy(update={name: getattr(there.judge, name) for name in MARKS})
    return replace(loop, settings=loop.settings.model_copy(update={"gate": there.gate, "evals": evals, "judge": judge}))


def _summarised(found: PipelineResult, place: Path, scope: str, language: Language) -> PipelineResult:
    """Append the summary to *place*; where that cannot be done the verdict stands all the same, with a note."""
    try:
        text = summary(found.run, found.verdict, scope=scope, notes=found.notes, language=language)
        append_summary(place, text)
    except StoreError as error:
        return replace(found, notes=(*found.notes, error.message))
    return found


def harmless(line: str) -> str:
    """Return *line* as text for a pipeline's log, in which nothing reads as a command to the pipeline."""
    shown = visible(line)
    shown = shown.replace("##[", "# #[").replace("##vso", "# #vso").replace("##teamcity", "# #teamcity")
    return f". {shown}" if shown.lstrip().startswith("::") else shown


def _show(loop: Loop, found: PipelineResult, scope: str, out: Output) -> None:
    log = _log(out)
    choice, verdict = found.choice, found.verdict
    log.say(f"{scope}: {counted(len(choice.cases), 'case')} of {counted(len(choice.covered), 'group')}")
    log.say(*(f"not covered: {one_line(name)}" for name in choice.left_out[:_SHOWN]))
    if len(choice.left_out) > _SHOWN:
        log.say(f"and {len(choice.left_out) - _SHOWN} groups more that do not fit the time")
    show_run(found.run, log)
    log.say(*explain(verdict, loop.settings.language).rstrip().splitlines())
    log.say(*(f"NOTE {note}" for note in found.notes))
    out.result(
        {
            "verdict": verdict,
            "run": found.run,
            "baseline": found.baseline.commit,
            "covered": choice.covered,
            "left_out": choice.left_out,
            "notes": found.notes,
        }
    )


class _Log(Output):
    """An output whose lines a pipeline cannot take for commands."""

    def say(self, *lines: str, raw: bool = False) -> None:
        super().say(*(harmless(part) for line in lines for part in line.split("\n")), raw=True)

    def progress(self, line: str) -> None:
        print(harmless(line), file=sys.stderr, flush=True)


def _log(out: Output) -> Output:
    """Return an output like *out* whose lines a pipeline cannot take for commands."""
    return _Log(as_json=out.as_json)


@contextmanager
def _pipeline(folder: Path, out: Output) -> Generator[Loop]:
    log = _log(out)
    with session(folder, log) as loop:
        yield replace(loop, progress=_now_and_then(log.progress))


def _now_and_then(tell: Callable[[str], None]) -> Callable[[str], None]:
    """Return what passes a line on to *tell* every few seconds: a log has no place for a bar that moves."""
    last = time.monotonic()

    def progress(line: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _LINE_EACH_SECONDS:
            last = now
            tell(line)

    return progress
