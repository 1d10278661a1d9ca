"""`naoshi init` and `naoshi doctor`: before the loop can run."""

from typing import Annotated

import typer

from naoshi.ui.cli.options import HERE, AsJson, Folder, Language
from naoshi.ui.cli.output import Output


def add_to(app: typer.Typer) -> None:
    """Add these commands to *app*."""
    app.command("init")(init)
    app.command("doctor")(doctor)


def init(
    folder: Folder = HERE,
    language: Annotated[Language, typer.Option(help="Language of questions and explanations.")] = Language.en,
    as_json: AsJson = False,
) -> int:
    """Write naoshi.toml and the folders.

    The folder has to be in a git repository. AGENTS.md gets a section of ours for coding agents; all else stays.
    """
    from naoshi.app.initialise import initialise

    done = initialise(folder, language=language.value)
    out = Output(as_json=as_json)
    out.say(*(f"wrote {path}" for path in done.written), "", "Next:")
    out.say(*(f"  {number}. {step}" for number, step in enumerate(done.next_steps, start=1)))
    out.result({"written": [str(path) for path in done.written], "next": list(done.next_steps)})
    return 0


def doctor(
    ask_judge: Annotated[
        bool, typer.Option("--ask-judge", help="Also ask the judge of rubrics for one grade, over the network.")
    ] = False,
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Say what is missing here and how to get it.

    Nothing is sent anywhere unless an option says so. Exit status 1 when something that is needed is missing.
    """
    from naoshi.app.doctor import examine

    findings = examine(folder, ask_judge=ask_judge)
    out = Output(as_json=as_json)
    marks = {"ok": "ok", "missing": "MISSING", "optional": "not there"}
    for finding in findings:
        remedy = f" → {finding.remedy}" if finding.remedy else ""
        out.say(f"{marks[finding.state]:<10} {finding.subject:<14} {finding.detail}{remedy}")
    out.result({"findings": findings})
    return 1 if any(finding.state == "missing" for finding in findings) else 0
