"""The first program inside the sandbox: opens the doors to the model, runs the coding agent, tells what it left.

It is started as a script by the plain interpreter and knows the standard library alone. Each door is a listening
socket inside, handed out through the channel; what connects to it is served outside. Called as

    python -I -S sandbox_inside.py CHANNEL PORT,PORT,... PROGRAM ARGUMENT...
"""

import ctypes
import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

_GRACE_SECONDS = 0.4
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_CLEAR_ALL = 4
_POLL_SECONDS = 0.02


def run(words: list[str]) -> int:
    """Do what *words* say and return the exit status of the program."""
    channel = socket.socket(fileno=int(words[0]))
    channel.set_inheritable(False)
    ports = [int(port) for port in words[1].split(",") if port]
    doors = [socket.create_server(("127.0.0.1", port)) for port in ports]
    socket.send_fds(channel, [b"doors\n"], [door.fileno() for door in doors])
    for door in doors:
        door.close()
    _drop_rights()
    try:
        status = subprocess.call(words[2:])
    except OSError as error:
        channel.sendall(json.dumps({"missing": error.strerror or str(error)}).encode() + b"\n")
        return 127
    channel.sendall(json.dumps({"status": status, "left": _left()}).encode() + b"\n")
    return status if status >= 0 else 128 - status


def _drop_rights() -> None:
    """Keep the right to open low ports from the program; bubblewrap inside bubblewrap refuses to start with any."""
    ctypes.CDLL(None).prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)


def _left() -> int:
    """Return how many processes still run after a moment of grace. All end with the sandbox."""
    deadline = time.monotonic() + _GRACE_SECONDS
    while (count := _running()) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    return count


def _running() -> int:
    others = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal())
    return sum(_lives(number) for number in others if number not in (1, os.getpid()))


def _lives(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_bytes().rpartition(b")")[2].split()[:1] != [b"Z"]
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
