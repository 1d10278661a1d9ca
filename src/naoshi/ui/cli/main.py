"""The program `naoshi`: how its process begins and ends."""

import atexit
import gc
import os
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

from naoshi.evals.compose_ahead import begin_composing, end_composing
from naoshi.ui.cli.no_plugins import NoPlugins

_SELDOM = 20_000


def main() -> None:
    """Run the command line and end the process with its exit status."""
    _open_closed_streams()
    for stop in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(stop, _interrupt)
    # Loading modules makes many objects and no garbage.
    gc.set_threshold(_SELDOM)
    # Pydantic would look through every installed package for plugins, which none of our commands uses.
    if os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__") == "__all__":
        NoPlugins.stand_in()
    begin_composing(sys.argv[1:])
    _end(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the command line *arguments*; return the exit status (see docs/cli.md). Nothing is raised without --debug."""
    # What this loads (Typer, before all) is loaded when the process is ready for it.
    from naoshi.ui.cli.command_line import run_words

    return run_words(arguments)


def _end(status: int) -> None:
    end_composing()
    # Imported by now in any case.
    from naoshi.ui.cli.command_line import INTERRUPTED

    if status != INTERRUPTED:
        if threading.active_count() > 1:
            sys.exit(status)
        atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
    # All that is left goes with the process, and takes long to be taken apart one by one. After an interrupt everything
    # was cleaned up too, and a thread that waits at the terminal must not hold the process.
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):
            stream.flush()
    os._exit(status)


def _open_closed_streams() -> None:
    """Give a process that was started with a closed stream (`>&-`) the null device there.

    What it opens next would take the number of the closed one, and be written to by whoever prints.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # The lowest free number is taken, which is this one: those below are open by now.
            taken = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(taken, "w" if number else "r", encoding="utf-8", closefd=False))


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Take a polite signal as Ctrl-C, so that what was started is ended and nothing is left half done."""
    raise KeyboardInterrupt
