"""One run of a coding agent's program: bounded in time, output and tokens, and ended with all that it started."""

import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from naoshi.errors import CodingAgentError, CodingAgentLimitError, MissingProgramError, MissingSandboxError, NaoshiError
from naoshi.repair.coding_agents.base import WorkOrder
from naoshi.repair.coding_agents.kept import Kept, can_keep
from naoshi.repair.coding_agents.left_processes import end_left_processes
from naoshi.repair.sandbox import Enclosed, Sandbox
from naoshi.system.process import end, start

_POLL_SECONDS = 0.01
_TOKENS_SECONDS = 0.5
_LOG_BYTES = 64 * 1024
_LINE_BYTES = 1024 * 1024
_HARMLESS = ("PATH", "LANG", "LANGUAGE", "TZ", "TERM", "PYTHONPATH", "PYTHONHOME", "SYSTEMROOT")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """``timeout`` is in seconds, ``output_limit`` in bytes on each stream, ``token_limit`` in tokens of the model."""

    timeout: float = 600.0
    output_limit: int = 4 * 1024 * 1024
    token_limit: int = 2_000_000


@dataclass(frozen=True, kw_only=True)
class ProgramEnd:
    """How the program ended. ``error`` says why it was stopped, could not start, or left processes running."""

    status: int
    error: NaoshiError | None
    out: str
    err: str
    seconds: float

    @property
    def log(self) -> str:
        """Return the end of what it printed on both streams."""
        return self.out + self.err

    def complaint(self) -> str | None:
        """Return its exit status in words with the last line that it printed as an error; None for the status 0."""
        if self.status == 0:
            return None
        last = next((line.strip() for line in reversed(self.err.splitlines()) if line.strip()), "it printed nothing")
        how = f"was ended by signal {-self.status}" if self.status < 0 else f"ended with status {self.status}"
        return f"it {how}: {last[:300]}"


@dataclass(frozen=True, kw_only=True)
class ProgramRun:
    """How to run a coding agent's program. ``environment`` is handed on besides `PATH`, language and time zone.

    ``stdin`` is its input. ``on_line`` is told each line of its output as it comes, ``tokens`` says how many tokens
    the model has read and written so far.
    """

    limits: Limits
    sandbox: Sandbox | None
    environment: Mapping[str, str]
    stdin: str = ""
    on_line: Callable[[str], None] = lambda _: None
    tokens: Callable[[], int] = lambda: 0

    def run(self, words: Sequence[str], order: WorkOrder) -> ProgramEnd:
        """Run the program to its end or its limits. Everything that it started is ended with it."""
        begun = time.monotonic()
        with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            source.write(self.stdin.encode("utf-8", "backslashreplace"))
            source.seek(0)
            status, error = -1, None
            try:
                status, error = self._watched(words, order, source, out, err)
            except (MissingProgramError, CodingAgentError) as raised:
                error = raised
            finally:
                left = end_left_processes(order.folder)
            if isinstance(error, MissingSandboxError):
                error = MissingSandboxError(f"{error.message}: {_last_line(_tail(err))}")
            if error is None and left:
                error = CodingAgentError(f"it left {len(left)} processes running in the background")
            return ProgramEnd(status=status, error=error, out=_tail(out), err=_tail(err),
                              seconds=time.monotonic() - begun)  # fmt: skip

    def _watched(
        self, words: Sequence[str], order: WorkOrder, source: IO[bytes], out: IO[bytes], err: IO[bytes]
    ) -> tuple[int, NaoshiError | None]:
        """Return the exit status, and why the program was stopped if it was."""
        lines = _Lines(out, self.on_line)
        with self._started(words, order, source, out, err) as (process, enclosed):
            stopped = self._awaited(process, out, err, lines)
            if stopped is None and enclosed is None and end_left_processes(order.folder):
                stopped = CodingAgentError("it left processes running in the background")
            status = process.poll()
            if enclosed is not None and stopped is None:
                status, stopped = _told_by(enclosed, status, words[0])
        lines.read()
        return process.returncode if status is None else status, stopped

    @contextmanager
    def _started(
        self, words: Sequence[str], order: WorkOrder, source: IO[bytes], out: IO[bytes], err: IO[bytes]
    ) -> Generator[tuple[subprocess.Popen[bytes], Enclosed | Kept | None]]:
        surroundings = self._surroundings(order)
        streams = {"stdin": source, "stdout": out, "stderr": err}
        if self.sandbox is None and can_keep():
            with Kept(words, folder=order.checkout, environment=surroundings, streams=streams) as kept:
                yield kept.process, kept
            return
        if self.sandbox is None:
            process = start(words, folder=order.checkout, environment=surroundings, **streams)
            try:
                yield process, None
            finally:
                end(process)
            return
        enclosed = self.sandbox.enclose(words, order, surroundings, **streams)
        try:
            with enclosed:
                yield enclosed.process, enclosed
        finally:
            end(enclosed.process)

    def _awaited(
        self, process: subprocess.Popen[bytes], out: IO[bytes], err: IO[bytes], lines: "_Lines"
    ) -> NaoshiError | None:
        begun = counted = time.monotonic()
        while process.poll() is None:
            lines.read()
            now = time.monotonic()
            if now - begun > self.limits.timeout:
                return CodingAgentLimitError(f"it did not end within {self.limits.timeout:g} seconds")
            if max(_size(out), _size(err)) > self.limits.output_limit:
                return CodingAgentLimitError(f"it printed more than {self.limits.output_limit} bytes")
            if now - counted > _TOKENS_SECONDS:
                counted = now
                if (used := self.tokens()) > self.limits.token_limit:
                    return CodingAgentLimitError(f"it used {used} tokens, more than the {self.limits.token_limit}")
            time.sleep(_POLL_SECONDS)
        return None

    def _surroundings(self, order: WorkOrder) -> dict[str, str]:
        inherited = {
            name: value for name, value in os.environ.items() if name in _HARMLESS or name.startswith("LC_")
        }  # fmt: skip
        return {
            **inherited,
            **self.environment,
            **order.environment,
            "HOME": str(order.home),
            "TMPDIR": str(order.scratch),
            "NAOSHI_DATA_ROOT": str(order.data_root),
            "PYTHONDONTWRITEBYTECODE": "1",
        }


class _Lines:
    """Whole lines of a growing file, each told once; what is longer than any event is told cut."""

    def __init__(self, stream: IO[bytes], tell: Callable[[str], None]) -> None:
        self._descriptor = stream.fileno()
        self._tell = tell
        self._place = 0
        self._begun = b""

    def read(self) -> None:
        while piece := os.pread(self._descriptor, _LINE_BYTES, self._place):
            self._place += len(piece)
            *whole, rest = (self._begun + piece).split(b"\n")
            self._begun = rest[:_LINE_BYTES]
            for line in whole:
                self._tell(line.decode("utf-8", "replace"))


def _told_by(
    enclosed: Enclosed | Kept, status: int | None, program: str
) -> tuple[int | None, NaoshiError | None]:  # fmt: skip
    found, left, missing = enclosed.report()
    where = " in the sandbox" if isinstance(enclosed, Enclosed) else ""
    if missing:
        return status, MissingProgramError(f"cannot start {program[:200]!r}{where}: {missing}")
    if found is None and isinstance(enclosed, Kept):
        return status, CodingAgentError("it ended the process that watched over it")
    if left:
        return found, CodingAgentError(f"it left {left} processes running in the background")
    return (status if found is None else found), None


def _size(stream: IO[bytes]) -> int:
    return os.fstat(stream.fileno()).st_size


def _tail(stream: IO[bytes]) -> str:
    size = _size(stream)
    return os.pread(stream.fileno(), _LOG_BYTES, max(0, size - _LOG_BYTES)).decode("utf-8", "replace")


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "it says nothing")[:300]
