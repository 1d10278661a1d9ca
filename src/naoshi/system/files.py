"""Files that survive a crash: written beside, fsynced, renamed."""

import os
import secrets
from pathlib import Path

from naoshi.errors import InputError, MissingPathError, StoreError


def write_durably(path: Path, content: bytes | str, *, mode: int = 0o644) -> None:
    """Put *content* at *path* so that a crash leaves the old file or the new one, never a part.

    A lone surrogate in a text, which UTF-8 cannot hold, is written as its escape.

    Raises:
        StoreError: the disk or the rights do not allow it; the old file is untouched.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    beside = path.with_name(f".{path.name[:100]}.{secrets.token_hex(6)}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            beside.replace(path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise StoreError(f"cannot write {str(path)!r}: it is no path") from error


def sync_folder(folder: Path) -> None:
    """Make the names in *folder* durable (a rename is only as durable as its folder)."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, data: bytes, *, at: int = 0) -> None:
    """Write all of *data* to the open file *descriptor*, from the byte *at* on. Nothing is synced.

    Raises:
        OSError: the disk does not allow it; a part may be written.
    """
    written = 0
    while written < len(data):
        written += os.pwrite(descriptor, data[written:], at + written)


def inside(root: Path, relative: str) -> Path:
    """Return the real path of *relative* below *root*, links followed.

    Raises:
        InputError: it is absolute, is no path, leads round in a circle, or leads out of *root*.
    """
    if "\0" in relative or Path(relative).is_absolute():
        raise InputError(f"the path {relative!r} does not stay inside {root}")
    real_root = root.resolve()
    try:
        real = (real_root / relative).resolve()
    except (RuntimeError, OSError, ValueError) as error:
        raise InputError(f"the path {relative!r} leads nowhere") from error
    if real != real_root and real_root not in real.parents:
        raise InputError(f"the path {relative!r} does not stay inside {root}")
    # From Python 3.13 on a link that leads round in a circle is returned as it stands.
    if any(_is_link(place) for place in (real, *real.parents)):
        raise InputError(f"the path {relative!r} leads nowhere")
    return real


def _is_link(place: Path) -> bool:
    try:
        return place.is_symlink()
    except OSError:
        # A name that the file system refuses, for its length before all, is no link; whoever opens it is told.
        return False


def read_text(path: Path) -> str:
    """Return the UTF-8 text of *path* (a byte-order mark is dropped).

    Raises:
        MissingPathError: there is no such file.
        InputError: it is a folder, cannot be read, or is not UTF-8.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        raise MissingPathError(f"there is no file {path}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text (byte {error.start})") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except ValueError as error:
        raise MissingPathError(f"{str(path)!r} is no path") from error
