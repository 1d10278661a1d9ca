"""What the file system under a folder promises beyond POSIX."""

import os
from pathlib import Path

_MOUNTS = Path("/proc/self/mountinfo")
# On ext4 a new file's name and inode are of one transaction, which the file's fsync commits.
_NAMING = frozenset({"ext4"})


def syncs_new_names(folder: Path) -> bool:
    """Return whether the fsync of a file made in *folder* makes its name durable too, not only its content.

    POSIX asks for a sync of the folder besides. Where the file system is not known, the answer is False.
    """
    try:
        device = folder.stat().st_dev
        mounts = _MOUNTS.read_text("utf-8", "replace")
    except OSError:
        return False
    kinds = {kind for number, kind in map(_mounted, mounts.splitlines()) if number == device}
    return bool(kinds) and kinds <= _NAMING


def _mounted(line: str) -> tuple[int, str]:
    """Return the device and the kind of file system of a line of the table of mounts."""
    before, _, after = line.partition(" - ")
    major, _, minor = before.split()[2].partition(":")
    return os.makedev(int(major), int(minor)), after.split()[0]
