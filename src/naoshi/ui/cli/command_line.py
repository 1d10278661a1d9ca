"""What the command `naoshi` understands, and how every fault becomes one clear line."""

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any, cast

import typer
from typer.core import TyperGroup
from typer.main import get_command

from naoshi import __version__
from naoshi.errors import NaoshiError
from naoshi.ui.cli.output import visible

# The stages in the order of the loop; what goes round by itself and what shows it all stand around them. Beside each
# command stands the module that has it.
_HOME = {
    "init": "start_commands",
    "doctor": "start_commands",
    "status": "loop_commands",
    "cycle": "loop_commands",
    "ingest": "correction_commands",
    "correct": "correction_commands",
    "triage": "correction_commands",
    "signals": "correction_commands",
    "evals": "case_commands",
    "cases": "suite_commands",
    "judge": "judge_commands",
    "diagnose": "repair_commands",
    "halo": "halo_commands",
    "handoff": "repair_commands",
    "repair": "repair_commands",
    "attempts": "repair_commands",
    "certificate": "certificate_commands",
    "gate": "gate_commands",
    "ci": "ci_command",
    "propose": "propose_command",
    "review": "release_commands",
    "release": "release_commands",
    "rollback": "release_commands",
    "ledger": "release_commands",
    "confirm": "confirm_commands",
    "demo": "demo_command",
}


class CommandsInOrder(TyperGroup):
    """Lists the commands in the order in which they are used."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands."""
        return [name for name in _HOME if name in self.commands]


INTERRUPTED = 130
"""The exit status of a command that was stopped."""

_INTERNAL = 70
_BROKEN_PIPE = 128 + 13
# Some releases of Typer bring their own copy of Click; this is the one that they raise.
_WrongUsage: type[Exception] = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")  # pyright: ignore[reportAssignmentType]


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"naoshi {__version__}")
        raise typer.Exit(0)


def naoshi(
    debug: bool = typer.Option(False, "--debug", help="Show the traceback of an error."),
    version: bool = typer.Option(
        False, "--version", help="Say which version of Naoshi this is.", callback=_print_version, is_eager=True
    ),
) -> None:
    """Make an agent better from the corrections that people make to its work."""


def command_line(first: str = "") -> typer.Typer:
    """Return the command line. Where *first* is a command, it has that one (and what shares its module) alone.

    Making all of them takes as long as half of the commands run.
    """
    app = typer.Typer(
        cls=CommandsInOrder,
        name="naoshi",
        help="Make an agent better from the corrections that people make to its work.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(naoshi)
    for home in [_HOME[first]] if first in _HOME else dict.fromkeys(_HOME.values()):
        import_module(f"{__package__}.{home}").add_to(app)
    return app


def run_words(arguments: Sequence[str]) -> int:
    """Run the command line *arguments* as `naoshi.ui.cli.main.run` does."""
    try:
        return _run(arguments)
    finally:
        _leave_unheard()


def _leave_unheard() -> None:
    """Turn a stream that nobody takes anything from to the null device: the interpreter would try again at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def _run(arguments: Sequence[str]) -> int:
    debug = "--debug" in arguments
    words = [word for word in arguments if word != "--debug"] or ["--help"]
    try:
        status = _invoke(words)
        sys.stdout.flush()
    except NaoshiError as error:
        if debug:
            raise
        return _told(words, error.code, error.line(), error.exit_status)
    except (KeyboardInterrupt, EOFError, typer.Abort):
        line = "naoshi: interrupted: stopped by you; run the same command to go on"
        return _told(words, "interrupted", line, INTERRUPTED)
    except BrokenPipeError:
        # Nobody knows what the answer would have been, and a pipeline must not take that for a yes.
        status = _BROKEN_PIPE
    except _WrongUsage as error:
        return _wrong_usage(words, error)
    except Exception as error:
        if debug:
            raise
        told = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        line = f"naoshi: internal-error: {told}; run again with --debug and report it"
        return _told(words, "internal-error", line, _INTERNAL)
    return status


def _invoke(words: Sequence[str]) -> int:
    # Typer's own main would turn an interrupt and a closed pipe into statuses of its own.
    command = get_command(command_line(words[0]))
    try:
        with command.make_context("naoshi", list(words)) as context:
            status = command.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    return status if isinstance(status, int) else 0


def _wrong_usage(words: Sequence[str], error: Exception) -> int:
    told = cast("Any", error)
    context = getattr(told, "ctx", None)
    if context is not None and type(error).__name__ == "NoArgsIsHelpError":
        with suppress(OSError):
            print(context.get_help(), file=sys.stderr, flush=True)
        return 2
    where = context.command_path if context is not None else "naoshi"
    line = f"naoshi: usage: {' '.join(told.format_message().split()).rstrip('.')}; see `{where} --help`"
    return _told(words, "usage", line, 2)


def _told(words: Sequence[str], code: str, line: str, status: int) -> int:
    # Where nothing can be written, the exit status has to do.
    with suppress(OSError):
        print(visible(line), file=sys.stderr, flush=True)
    if "--json" in words:
        with suppress(OSError):
            document = {"error": {"code": code, "message": line, "exit_status": status}}
            print(json.dumps(document, ensure_ascii=False), flush=True)
    return status
