"""A coding agent that is any program: it is started in the checkout, and what it changed there is its answer."""

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO

from naoshi.errors import MissingProgramError
from naoshi.repair.coding_agents.base import Work, WorkOrder
from naoshi.repair.coding_agents.left_processes import end_left_processes
from naoshi.system.process import command_words, end, start

_POLL_SECONDS = 0.01
_LOG_BYTES = 64 * 1024
_HARMLESS = ("PATH", "LANG", "LANGUAGE", "TZ", "TERM", "PYTHONPATH", "PYTHONHOME", "SYSTEMROOT")


@dataclass(frozen=True, kw_only=True)
class CommandAgent:
    """Runs ``command`` in the checkout. ``timeout`` is in seconds, ``output_limit`` in bytes on each stream.

    ``environment`` is handed on besides `PATH`, the language and the time zone; nothing else of ours is.
    """

    command: str | Sequence[str]
    timeout: float = 600.0
    output_limit: int = 4 * 1024 * 1024
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    name: str = "command"

    def work(self, order: WorkOrder) -> Work:
        """Run the program to its end or its limits. Everything that it started is ended with it."""
        begun = time.monotonic()
        words = command_words(self.command)
        if not words:
            return Work(failure="no coding agent is configured: `command` under [repair] is empty", log="", seconds=0,
                        final=True)  # fmt: skip
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            try:
                status, stopped = self._run(words, order, out, err)
            except MissingProgramError as error:
                return Work(failure=f"{error.code}: {error.message}", log="", seconds=0, final=True)
            finally:
                left = end_left_processes(order.checkout.parent)
            log = _tail(out) + _tail(err)
            failure = stopped or _complaint(status, _tail(err))
        if failure is None and left:
            failure = f"it left {len(left)} processes running in the background"
        return Work(failure=failure, log=log, seconds=time.monotonic() - begun)

    def _run(self, words: list[str], order: WorkOrder, out: IO[bytes], err: IO[bytes]) -> tuple[int, str | None]:
        """Return the exit status, and why the program was stopped if it was."""
        begun = time.monotonic()
        process = start(
            words,
            folder=order.checkout,
            environment=self._surroundings(order),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
        stopped: str | None = None
        try:
            while process.poll() is None and stopped is None:
                if time.monotonic() - begun > self.timeout:
                    stopped = f"it did not end within {self.timeout:g} seconds"
                elif max(os.fstat(out.fileno()).st_size, os.fstat(err.fileno()).st_size) > self.output_limit:
                    stopped = f"it printed more than {self.output_limit} bytes"
                else:
                    time.sleep(_POLL_SECONDS)
            if stopped is None and end_left_processes(order.checkout.parent):
                stopped = "it left processes running in the background"
        finally:
            end(process)
        return process.returncode, stopped

    def _surroundings(self, order: WorkOrder) -> dict[str, str]:
        inherited = {
            name: value for name, value in os.environ.items() if name in _HARMLESS or name.startswith("LC_")
        }  # fmt: skip
        return {
            **inherited,
            **self.environment,
            **order.environment,
            "HOME": str(order.home),
            "TMPDIR": str(order.home),
            "NAOSHI_DATA_ROOT": str(order.data_root),
            "PYTHONDONTWRITEBYTECODE": "1",
        }


def _complaint(status: int, told: str) -> str | None:
    if status == 0:
        return None
    last = next((line.strip() for line in reversed(told.splitlines()) if line.strip()), "it printed nothing")
    how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
    return f"it {how}: {last[:300]}"


def _tail(stream: IO[bytes]) -> str:
    size = os.fstat(stream.fileno()).st_size
    return os.pread(stream.fileno(), _LOG_BYTES, max(0, size - _LOG_BYTES)).decode("utf-8", "replace")
