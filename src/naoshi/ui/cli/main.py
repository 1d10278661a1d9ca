"""The command `naoshi`: what it understands, and how every fault becomes one clear line."""

import json
import os
import sys
from collections.abc import Sequence

import click
import typer

from naoshi.errors import NaoshiError
from naoshi.ui.cli import case_commands, demo_command, loop_commands, release_commands, start_commands, work_commands

app = typer.Typer(
    name="naoshi",
    help="Make an agent better from the corrections that people make to its work.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for group in (start_commands, work_commands, case_commands, loop_commands, release_commands, demo_command):
    group.add_to(app)

_INTERRUPTED = 130
_INTERNAL = 70


@app.callback()
def naoshi(
    debug: bool = typer.Option(False, "--debug", help="Show the traceback of an error."),  # noqa: ARG001
) -> None:
    """Make an agent better from the corrections that people make to its work."""


def main() -> None:
    """Run the command line and end the process with its exit status."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the command line *arguments*; return the exit status (see docs/cli.md). Nothing is raised without --debug."""
    debug = "--debug" in arguments
    words = [word for word in arguments if word != "--debug"]
    try:
        status = app(words, standalone_mode=False, prog_name="naoshi")
        sys.stdout.flush()
    except NaoshiError as error:
        if debug:
            raise
        return _told(words, error.code, error.line(), error.exit_status)
    except click.ClickException as error:
        return _told(words, "usage", _usage_line(error), 2)
    except (KeyboardInterrupt, click.Abort):
        print("naoshi: interrupted: stopped by you; run the same command to go on", file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader has gone; nothing more can be said to it, and the interpreter must not try at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001 - the last resort: no person sees a traceback unasked
        if debug:
            raise
        told = " ".join(f"{type(error).__name__}: {error}".split())[:300]
        line = f"naoshi: internal-error: {told}; run again with --debug and report it"
        return _told(words, "internal-error", line, _INTERNAL)
    return status if isinstance(status, int) else 0


def _told(words: Sequence[str], code: str, line: str, status: int) -> int:
    print(line, file=sys.stderr)
    if "--json" in words:
        print(json.dumps({"error": {"code": code, "message": line, "exit_status": status}}, ensure_ascii=False))
    return status


def _usage_line(error: click.ClickException) -> str:
    where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "naoshi"
    return f"naoshi: usage: {' '.join(error.format_message().split()).rstrip('.')}; see `{where} --help`"
