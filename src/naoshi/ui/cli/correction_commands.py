"""`naoshi ingest`, `correct`, `signals` and `triage`: what came in, and what may become a case."""

from pathlib import Path
from typing import Annotated

import typer

from naoshi.ui.cli.options import HERE, AnswerTo, AsJson, By, Folder, Listed
from naoshi.ui.cli.output import Output


def add_to(app: typer.Typer) -> None:
    """Add these commands to *app*."""
    app.command("ingest")(ingest)
    app.command("correct")(correct)
    app.command("signals")(signals)
    app.command("triage")(triage)


def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Trace files (flat OpenTelemetry JSON lines), or their folders.")],
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Bring in traces of the agent's runs.

    A line that cannot be read goes to quarantine; importing a file twice adds nothing.
    """
    from naoshi.capture.trace_import import import_traces
    from naoshi.flow.masking import stored
    from naoshi.ui.cli.incoming_show import show_import
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        show_import(import_traces(loop.store, paths, now=loop.clock(), redact=stored(loop)), out)
    return 0


def correct(
    table: Annotated[
        Path | None, typer.Argument(help="A CSV file of corrections; without it the options name one.")
    ] = None,
    trace: Annotated[str, typer.Option(help="The run that is corrected.")] = "",
    artifact: Annotated[str, typer.Option(help="The artifact of the run, or `output`.")] = "",
    field: Annotated[str, typer.Option(help="The field of the artifact.")] = "",
    value: Annotated[str | None, typer.Option(help="What the field should be; empty text says: nothing.")] = None,
    reason: Annotated[str, typer.Option(help="Why.")] = "",
    by: By = "",
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Take in what people corrected.

    Either a CSV table with the columns trace_id, artifact, field, corrected and practitioner, or one correction by its
    options. A row that cannot be read goes to quarantine.
    """
    from naoshi.ui.cli.correcting import NamedCorrection, take_and_show
    from naoshi.ui.cli.session import session

    named = NamedCorrection(trace_id=trace, artifact=artifact, field=field, value=value, reason=reason, by=by)
    named.require_either(table)
    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        take_and_show(loop, out, table=table, named=named)
    return 0


def signals(
    version: Annotated[str, typer.Option(help="Look at the traces of this version only.")] = "",
    check: Annotated[bool, typer.Option("--check", help="Exit status 1 when a coded check found a failure.")] = False,
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Find signs of failure, grouped and ranked.

    The output contract and the evidence coverage of the traces are checked; corrections count once they are triaged.
    """
    from naoshi.flow.left_to_people import left_groups
    from naoshi.flow.steps.observe import observe
    from naoshi.ui.cli.incoming_show import coded_failures, require_traces, show_signals
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        require_traces(loop, version)
        seen = observe(loop, version=version or None)
        show_signals(seen, out, left=left_groups(loop))
    return 1 if check and coded_failures(seen) else 0


def triage(
    listed: Listed = False,
    answer: AnswerTo = None,
    by: By = "",
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Decide which corrections are defects.

    Questions are asked at the terminal, or answered one by one with --answer. Exit status 3 while some are open.
    """
    from naoshi.ui.cli.triage_asking import answer_triage, ask_triage, list_triage

    out = Output(as_json=as_json)
    if listed:
        return list_triage(folder, out)
    if answer is not None:
        return answer_triage(folder, out, question=answer[0], reply=answer[1], by=by)
    return ask_triage(folder, out, by=by)
