"""Which program holds a claim, and whether it is still there."""

import os
from pathlib import Path

_STAT_FIELDS_BEFORE_START = 19


def this_owner() -> str:
    """Return what stands for this process: its machine, its number, and when it started."""
    pid = os.getpid()
    return f"{os.uname().nodename}:{pid}:{_started(pid)}"


def is_gone(owner: str) -> bool | None:
    """Return whether the process is gone, or None where that cannot be told from here (another machine)."""
    machine, _, rest = owner.rpartition(":")[0].rpartition(":")
    if machine != os.uname().nodename or not rest.isdecimal():
        return None
    pid = int(rest)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return None
    # A number is given again to another process; the time of its start is not.
    return _started(pid) != owner.rpartition(":")[2]


def _started(pid: int) -> str:
    """Return the process's start in ticks since the machine's, or 0 where the system does not say."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "0"
    # The program's name comes in brackets and may hold anything; the fields are counted after it.
    fields = stat.rpartition(")")[2].split()
    return fields[_STAT_FIELDS_BEFORE_START] if len(fields) > _STAT_FIELDS_BEFORE_START else "0"
