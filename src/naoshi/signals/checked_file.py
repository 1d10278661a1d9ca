"""Reading files that an agent names: only regular files below a root, never more than a limit, never a crash."""

import stat
from dataclasses import dataclass
from pathlib import Path

from naoshi.errors import InputError
from naoshi.signals.failure_type import FailureType
from naoshi.system.files import inside


@dataclass(frozen=True, kw_only=True)
class FileFault:
    """Why a named file is of no use, as a failure type and in words."""

    failure_type: FailureType
    reason: str


def read_checked(root: Path, relative: str, *, largest: int) -> bytes | FileFault:
    """Return the bytes of the file that *relative* names below *root*, or why there are none.

    Nothing outside *root* is opened, links followed; a pipe or device is not opened either.
    ``largest`` is in bytes.
    """
    try:
        path = inside(root, relative)
    except InputError:
        return FileFault(failure_type=FailureType.file_outside_root, reason="it leads out of the root")
    except (OSError, ValueError, RuntimeError):
        return FileFault(failure_type=FailureType.file_missing, reason="it is no possible path")
    try:
        # `exists` would hide what is wrong with a name, and does so differently from one Python to the next.
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            return FileFault(failure_type=FailureType.file_not_a_file, reason="it is not a file")
        if found.st_size > largest:
            return FileFault(failure_type=FailureType.file_too_large, reason=f"it is larger than {largest} bytes")
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return FileFault(failure_type=FailureType.file_missing, reason="there is no such file")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else None
        return FileFault(failure_type=FailureType.file_unreadable, reason=f"it cannot be read ({why or error})")


def read_checked_text(root: Path, relative: str, *, largest: int) -> str | FileFault:
    """Return the UTF-8 text of the file that *relative* names below *root*, or why there is none."""
    content = read_checked(root, relative, largest=largest)
    if isinstance(content, FileFault):
        return content
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return FileFault(failure_type=FailureType.file_not_utf8, reason=f"it is not UTF-8 text (byte {error.start})")
