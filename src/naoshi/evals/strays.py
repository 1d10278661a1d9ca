"""Ends the processes of agents that left their process groups, where the system lets us see them (Linux)."""

import os
import signal
from collections.abc import Collection

MARK = "NAOSHI_AGENT_PROCESS"
_PROC = "/proc"
_ROUNDS = 5


def end_strays(tokens: Collection[str]) -> int:
    """End every process whose environment carries ``MARK=token`` for one of *tokens*; return how many there were.

    Looking through all processes takes milliseconds, so that several agents should be looked for at once.
    """
    entries = {f"{MARK}={token}".encode() for token in tokens}
    ended = 0
    for _ in range(_ROUNDS):
        found = _marked(entries) if entries else []
        for process_id in found:
            try:
                os.kill(process_id, signal.SIGKILL)
                ended += 1
            except (ProcessLookupError, PermissionError):
                continue
        if not found:
            break
    return ended


def _marked(entries: Collection[bytes]) -> list[int]:
    try:
        names = os.listdir(_PROC)  # noqa: PTH208 - a path object for each process takes longer than reading it
    except OSError:
        return []
    own = os.getpid()
    return [int(name) for name in names if name.isdigit() and int(name) != own and _carries(name, entries)]


def _carries(name: str, entries: Collection[bytes]) -> bool:
    try:
        with open(f"{_PROC}/{name}/environ", "rb", buffering=0) as file:  # noqa: PTH123 - as above
            environment = file.read()
    except OSError:
        return False
    return any(entry in environment for entry in entries) and any(
        entry in entries for entry in environment.split(b"\0")
    )
