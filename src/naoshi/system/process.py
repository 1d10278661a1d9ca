"""Child programs, bounded in time and output, ended with all that they started."""

import os
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from naoshi.errors import MissingProgramError

_GRACE_SECONDS = 0.5
_FIRST_PAUSE_SECONDS = 0.0005
_POLL_SECONDS = 0.05


@dataclass(frozen=True, kw_only=True)
class Finished:
    """How a program ended. ``status`` is its exit status (negative: the signal that ended it).

    ``stdout`` and ``stderr`` are cut at the limit; ``flooded`` and ``timed_out`` say that it was ended for that.
    """

    status: int
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool = False
    flooded: bool = False


def command_words(command: str | Sequence[str]) -> list[str]:
    """Return *command* as words: a list as it is, a text split as a shell would, without a shell."""
    return shlex.split(command) if isinstance(command, str) else list(command)


def start(
    command: Sequence[str], *, folder: Path, environment: Mapping[str, str] | None = None, **streams: object
) -> subprocess.Popen[bytes]:
    """Start *command* in *folder* as the leader of its own process group.

    Raises:
        MissingProgramError: the program is not on this machine, or the command is none that can be started.
    """
    if not command:
        raise MissingProgramError("the command is empty")
    if not folder.is_dir():
        raise MissingProgramError(f"cannot start {command[0]!r}: there is no folder {folder}")
    try:
        return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
            list(command),
            cwd=folder,
            env=dict(environment) if environment is not None else None,
            start_new_session=True,
            **streams,  # pyright: ignore[reportArgumentType]
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it holds characters that no program can be given"
        raise MissingProgramError(f"cannot start {command[0][:200]!r}: {reason}") from error


def end(process: subprocess.Popen[bytes]) -> None:
    """End *process* and its whole group: politely, then surely. Ending one that has ended is allowed."""
    _signal_group(process, signal.SIGTERM)
    try:
        process.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        pass
    finally:
        # Also when a second Ctrl-C cuts the wait short.
        _signal_group(process, signal.SIGKILL)
    process.wait()


def run(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    timeout: float,
    output_limit: int = 16 * 1024 * 1024,
    stopping: Callable[[], bool] = lambda: False,
) -> Finished:
    """Run *command* to its end, at most *timeout* seconds and *output_limit* bytes on each stream.

    Once *stopping* says so its time is over. Nothing that it started outlives it.

    Raises:
        MissingProgramError: the program is not on this machine.
    """
    begun = time.monotonic()
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        source.write(stdin)
        source.seek(0)
        process = start(command, folder=folder, environment=environment, stdin=source, stdout=out, stderr=err)
        timed_out = flooded = False
        pause = _FIRST_PAUSE_SECONDS
        try:
            while process.poll() is None:
                timed_out = time.monotonic() - begun > timeout or stopping()
                flooded = max(os.fstat(out.fileno()).st_size, os.fstat(err.fileno()).st_size) > output_limit
                if timed_out or flooded:
                    break
                # Most programs (git) end within milliseconds; the pauses grow so that these are not waited for.
                time.sleep(pause)
                pause = min(2 * pause, _POLL_SECONDS)
        finally:
            end(process)
        return Finished(
            status=process.returncode,
            stdout=_head(out.fileno(), output_limit),
            stderr=_head(err.fileno(), output_limit),
            seconds=time.monotonic() - begun,
            timed_out=timed_out,
            flooded=flooded or os.fstat(out.fileno()).st_size > output_limit,
        )


def _head(descriptor: int, limit: int) -> str:
    return os.pread(descriptor, limit, 0).decode("utf-8", "replace")


def _signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):
        pass
