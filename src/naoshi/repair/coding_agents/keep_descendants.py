"""The first program of a coding agent outside of a sandbox: it becomes the parent of what is left, and ends it.

It is started as a script by the plain interpreter and knows the standard library alone. On Linux the kernel gives it
each process below it that lost its parent, however far that has gone from its folder and environment. It ends them all
when the program ends, when it is told to stop, and when the other end of the channel is closed, as it is when Naoshi
itself is killed. Called as

    python -I -S keep_descendants.py CHANNEL PROGRAM ARGUMENT...

A changed agent that is judged has it above too; there is no channel then (``-``), and the exit status tells enough.
"""

import ctypes
import json
import os
import select
import signal
import socket
import sys
import time
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_PROC = Path("/proc")
_GRACE_SECONDS = 0.4
_GIVING_UP_SECONDS = 10.0
_POLL_SECONDS = 0.02
_STOPPED = 143

_stopping = False


def run(words: list[str]) -> int:
    """Do what *words* say and return the exit status of the program."""
    channel = None if words[0] == "-" else socket.socket(fileno=int(words[0]))
    if channel is not None:
        channel.set_inheritable(False)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _stop)
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        child = os.posix_spawnp(words[1], words[1:], os.environ, setsigdef=[signal.SIGPIPE, signal.SIGXFSZ])
    except OSError as error:
        _tell(channel, missing=error.strerror or str(error))
        return 127
    status = _awaited(child, channel)
    if status is None:
        _end_descendants(politely=True)
        return _STOPPED
    left = _left()
    _end_descendants()
    _tell(channel, status=status, left=left)
    return status if status >= 0 else 128 - status


def _stop(number: int, frame: object) -> None:
    global _stopping
    _stopping = True


def _awaited(child: int, channel: socket.socket | None) -> int | None:
    """Return the exit status of *child* (negative: the signal that ended it), or None when it is to be stopped."""
    while not _stopping:
        ended = _reaped()
        if child in ended:
            return os.waitstatus_to_exitcode(ended[child])
        readable, _, _ = select.select([channel] if channel is not None else [], [], [], _POLL_SECONDS)
        if channel is not None and readable and not channel.recv(1):
            return None
    return None


def _reaped() -> dict[int, int]:
    """Return the children that have ended, with how; their places in the table of processes are given back."""
    ended: dict[int, int] = {}
    while True:
        try:
            number, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if number == 0:
            return ended
        ended[number] = status


def _left() -> int:
    """Return how many processes still run after a moment of grace."""
    deadline = time.monotonic() + _GRACE_SECONDS
    while (count := len(_descendants())) and time.monotonic() < deadline:
        _reaped()
        time.sleep(_POLL_SECONDS)
    return count


def _end_descendants(*, politely: bool = False) -> None:
    """End every process below this one, those that appear meanwhile too."""
    deadline = time.monotonic() + _GRACE_SECONDS
    if politely:
        _send(signal.SIGTERM)
        while _descendants() and time.monotonic() < deadline:
            _reaped()
            time.sleep(_POLL_SECONDS)
    deadline = time.monotonic() + _GIVING_UP_SECONDS
    while _descendants() and time.monotonic() < deadline:
        # Stopped first, so that none makes another while its turn comes.
        _send(signal.SIGSTOP)
        _send(signal.SIGKILL)
        _reaped()
        time.sleep(_POLL_SECONDS)


def _send(number: signal.Signals) -> None:
    for process in _descendants():
        try:
            os.kill(process, number)
        except (ProcessLookupError, PermissionError):
            continue


def _descendants() -> list[int]:
    """Return every process below this one that has not ended."""
    children: dict[int, list[int]] = {}
    ended: set[int] = set()
    for entry in _PROC.iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            state, parent = (entry / "stat").read_bytes().rpartition(b")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        children.setdefault(int(parent), []).append(int(entry.name))
        if state in (b"Z", b"X"):
            ended.add(int(entry.name))
    found: list[int] = []
    line = [os.getpid()]
    while line:
        below = children.get(line.pop(), [])
        found += below
        line += below
    return [process for process in found if process not in ended]


def _tell(channel: socket.socket | None, **facts: object) -> None:
    if channel is None:
        print(*(fact for name, fact in facts.items() if name == "missing"), end="", file=sys.stderr)
        return
    try:
        channel.sendall(json.dumps(facts).encode() + b"\n")
    except OSError:
        return


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
