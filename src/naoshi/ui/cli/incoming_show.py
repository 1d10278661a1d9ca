"""What came in and what it tells, for people: imports, corrections, signals."""

from collections.abc import Sequence

from naoshi.capture.trace_import import ImportReport
from naoshi.errors import InputError, NotFoundError
from naoshi.flow.corrections import CorrectionsTaken
from naoshi.flow.left_to_people import LeftGroup
from naoshi.flow.loop import Loop
from naoshi.flow.steps.observe import Observed
from naoshi.records import Signal, SignalSource
from naoshi.ui.cli.attempts_show import told_left
from naoshi.ui.cli.output import Output, counted, one_line

_SHOWN = 20


def show_import(report: ImportReport, out: Output) -> None:
    """Show what an import brought in, and each line that went to quarantine.

    Raises:
        InputError: there were lines, and none of them could be read.
    """
    orphans = f" ({counted(report.orphans, 'span')} without the parent)" if report.orphans else ""
    out.say(
        f"{counted(report.traces_added, 'new trace')}, {report.traces_extended} extended, "
        f"{counted(report.spans_added, 'span')}{orphans}, from {counted(report.lines, 'line')} of "
        f"{counted(report.files, 'file')}"
    )
    if not report.traces_added and not report.traces_extended and not report.quarantined:
        out.say("nothing new: what these files hold is stored, or in quarantine, already")
    _show_quarantine(report.reasons, out)
    if report.lines and report.quarantined == report.lines:
        told = f"none of the {report.lines} lines is a span of a trace; they are in quarantine"
        raise InputError(told, hint="hand in flat OpenTelemetry JSON lines, as `naoshi.capture` writes them")
    out.result(report)


def show_corrections(taken: CorrectionsTaken, out: Output) -> None:
    """Show what was taken in, and each row that went to quarantine.

    Raises:
        InputError: there were rows, and none of them could be read.
    """
    known = len(taken.corrections) - taken.added
    out.say(f"{counted(taken.added, 'new correction')}" + (f", {known} known already" if known else ""))
    _show_quarantine([f"{line.file}:{line.line}: {line.reason}" for line in taken.quarantined], out)
    if taken.quarantined and not taken.corrections:
        raise InputError(f"none of the {len(taken.quarantined)} rows is a correction; they are in quarantine")
    out.result(taken)


def require_traces(loop: Loop, version: str) -> None:
    """Check that there is something to look at.

    Raises:
        NotFoundError: there is no trace, or none of *version*.
    """
    count = loop.store.traces.count(agent_version=version) if version else loop.store.traces.count()
    if not count:
        of = f" of version {version}" if version else ""
        raise NotFoundError(f"there is no trace{of} yet", hint="bring traces in with `naoshi ingest`")


def show_signals(seen: Observed, out: Output, *, left: Sequence[LeftGroup] = ()) -> None:
    """Show the groups of failures, ranked, and those that are *left* to people."""
    if not seen.signals:
        out.say("no sign of failure: the coded checks found nothing, and no correction was triaged as a defect")
    else:
        out.say(f"{counted(len(seen.signals), 'signal')} ({seen.fresh} new) in {counted(len(seen.groups), 'group')}")
        out.table(
            ("rank", "artifact", "failure", "count", "share", "found by", "example"),
            [
                (
                    item.rank,
                    item.artifact,
                    item.failure_type,
                    item.count,
                    f"{item.share:.0%}",
                    ", ".join(f"{name} {count}" for name, count in item.sources.items()),
                    one_line(item.example, most=60),
                )
                for item in seen.groups[:_SHOWN]
            ],
        )
        _say_more(len(seen.groups), out)
        out.say(*(told_left(item) for item in left))
    out.result(seen)


def coded_failures(seen: Observed) -> tuple[Signal, ...]:
    """Return the signals that the coded checks gave."""
    coded = (SignalSource.contract, SignalSource.evidence)
    return tuple(signal for signal in seen.signals if signal.source in coded)


def _show_quarantine(reasons: Sequence[str], out: Output) -> None:
    if not reasons:
        return
    out.say(f"{counted(len(reasons), 'line')} in quarantine:", *(f"  {reason}" for reason in reasons[:_SHOWN]))
    _say_more(len(reasons), out)


def _say_more(count: int, out: Output) -> None:
    if count > _SHOWN:
        out.say(f"  and {count - _SHOWN} more (all of them with --json)")
