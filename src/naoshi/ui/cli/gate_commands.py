"""`naoshi gate`: the verdict on a candidate, what it means, two files of results, and the gate's test of itself."""

from pathlib import Path
from typing import Annotated

import typer

from naoshi.errors import UsageError
from naoshi.ui.cli.options import HERE, AsJson, Folder, GatePolicyName, In
from naoshi.ui.cli.output import Output


def add_to(app: typer.Typer) -> None:
    """Add these commands to *app*."""
    group = typer.Typer(help="Hold a candidate against the baseline.")
    group.callback(invoke_without_command=True)(gate)
    group.command("explain")(explain)
    group.command("compare")(compare)
    group.command("self-test")(self_test)
    app.add_typer(group, name="gate")


def gate(
    context: typer.Context,
    run_id: Annotated[str, typer.Option("--run", help="Judge this run instead of the latest certified change.")] = "",
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Hold a candidate against the baseline.

    Exit status: 0 pass, 1 regression, 3 inconclusive, 4 incomparable.

    Raises:
        UsageError: options of a command stand before its name.
    """
    if context.invoked_subcommand is not None:
        if run_id or as_json or folder != HERE:
            raise UsageError(f"options of `gate {context.invoked_subcommand}` stand after it")
        return 0
    from naoshi.ui.cli.gate_show import judge_and_show
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        return judge_and_show(loop, out, run_id=run_id)


def explain(
    name: Annotated[
        str, typer.Argument(help="A verdict, a run that was judged, or a cycle (its number will do); else the latest.")
    ] = "",
    language: In = None,
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Tell a verdict in plain words.

    What both policies say, each category with its effect and how sure it is, the smallest loss that would have been
    seen, the cases that flipped, and what to do next. Exit status 0, whatever the verdict.
    """
    from naoshi.ui.cli.gate_show import explain_and_show
    from naoshi.ui.cli.session import session

    out = Output(as_json=as_json)
    with session(folder, out) as loop:
        explain_and_show(loop, out, name=name, language=language.value if language else loop.settings.language)
    return 0


def compare(
    baseline: Annotated[Path, typer.Argument(help="Results of the version to hold against (.json).")],
    candidate: Annotated[Path, typer.Argument(help="Results of the candidate on the same suite (.json).")],
    again: Annotated[
        list[str] | None,
        typer.Option(
            "--again",
            metavar="BASELINE,CANDIDATE",
            help="Results of one more run of both on cases that flipped; may be given several times.",
        ),
    ] = None,
    policy: Annotated[
        GatePolicyName | None, typer.Option("--policy", help="Decide by this policy, not by the settings'.")
    ] = None,
    language: In = None,
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Hold two files of results against each other.

    Each is what `naoshi evals run --output` or `promptfoo eval --output` wrote, or what `naoshi evals run --json`
    printed. Nothing is run and nothing is stored; of naoshi.toml, if there is one, [gate] and the language are read.
    Exit status: 0 pass, 1 regression, 3 inconclusive, 4 incomparable.
    """
    from naoshi.ui.cli.gate_files import compare_and_show

    return compare_and_show(
        baseline,
        candidate,
        folder,
        Output(as_json=as_json),
        again=tuple(again or ()),
        policy=policy.value if policy else None,
        language=language.value if language else None,
    )


def self_test(
    suite: Annotated[
        Path | None,
        typer.Argument(help="Test on this suite alone (.yaml), or on the results in this file (.json)."),
    ] = None,
    language: In = None,
    folder: Folder = HERE,
    as_json: AsJson = False,
) -> int:
    """Ask the gate questions whose answers are known.

    They are made of the results of your suite. Known regressions are put into a copy of the latest results and have to
    block; the results held against themselves have to pass. A cycle does this by itself before its first verdict on a
    suite. Exit status 1 when the gate fails.
    """
    out = Output(as_json=as_json)
    if suite is not None and suite.suffix == ".json":
        from naoshi.ui.cli.gate_files import test_file_and_show

        chosen = language.value if language else None
        return 0 if test_file_and_show(suite, folder, out, language=chosen) else 1
    from naoshi.ui.cli.gate_show import test_and_show
    from naoshi.ui.cli.session import session

    with session(folder, out) as loop:
        chosen = language.value if language else loop.settings.language
        return 0 if test_and_show(loop, out, suite=suite, language=chosen) else 1
