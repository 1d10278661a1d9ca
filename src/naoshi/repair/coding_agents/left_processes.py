"""Processes that a coding agent left behind, found by what they inherited or where they stand."""

import os
import signal
import time
from pathlib import Path

_PROC = Path("/proc")
_GRACE_SECONDS = 0.4
_GIVING_UP_SECONDS = 10.0
_POLL_SECONDS = 0.02


def left_processes(folder: Path, *, besides: int | None = None) -> tuple[int, ...]:
    """Return the processes that work in *folder* or have it in their environment, *besides* and ourselves not counted.

    Where there is no ``/proc`` none is found; the process group is ended in any case.
    """
    if not _PROC.is_dir():
        return ()
    ours = {os.getpid(), os.getppid(), besides}
    mark = os.fsencode(folder.resolve())
    names = [int(entry.name) for entry in _PROC.iterdir() if entry.name.isdecimal()]
    return tuple(pid for pid in names if pid not in ours and _belongs(pid, mark))


def end_left_processes(folder: Path) -> tuple[int, ...]:
    """End what is left in *folder* after a moment of grace, and return the processes that had to be ended."""
    deadline = time.monotonic() + _GRACE_SECONDS
    left = left_processes(folder)
    while left and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
        left = left_processes(folder)
    found = left
    while left:
        for pid in left:
            _kill(pid)
        time.sleep(_POLL_SECONDS)
        left = left_processes(folder)
        found = tuple(sorted({*found, *left}))
        if time.monotonic() > deadline + _GIVING_UP_SECONDS:
            break
    return found


def _belongs(pid: int, mark: bytes) -> bool:
    place = _PROC / str(pid)
    try:
        if _is_zombie(pid):
            return False
        current = os.fsencode((place / "cwd").readlink())
        if current == mark or current.startswith(mark + b"/"):
            return True
        environment = (place / "environ").read_bytes()
        return b"=" + mark + b"/" in environment or b"=" + mark + b"\0" in environment
    except OSError:
        return False


def _is_zombie(pid: int) -> bool:
    try:
        return (_PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()[:1] == [b"Z"]
    except OSError:
        return True


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
