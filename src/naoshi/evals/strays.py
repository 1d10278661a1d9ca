"""Ends the processes of an agent that left its process group, where the system lets us see them (Linux)."""

import os
import signal
from pathlib import Path

MARK = "NAOSHI_AGENT_PROCESS"
_PROC = Path("/proc")
_ROUNDS = 5


def end_strays(token: str) -> int:
    """End every process whose environment carries ``MARK=token``; return how many there were."""
    ended = 0
    for _ in range(_ROUNDS):
        found = _marked(f"{MARK}={token}".encode())
        for process_id in found:
            try:
                os.kill(process_id, signal.SIGKILL)
                ended += 1
            except (ProcessLookupError, PermissionError):
                continue
        if not found:
            break
    return ended


def _marked(entry: bytes) -> list[int]:
    if not _PROC.is_dir():
        return []
    found: list[int] = []
    for folder in _PROC.iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            if entry in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
        except OSError:
            continue
    return found
