"""Writing the agent's files into the folder that becomes its git repository."""

from pathlib import Path
from typing import Final

from naoshi.errors import InputError
from naoshi.system.files import write_durably

_HERE: Final = Path(__file__).resolve().parent
_PARTS: Final = ("runner.py", "receipts_agent", "harness")


def agent_files() -> dict[str, bytes]:
    """Return the agent's files: path relative to the repository (with ``/``) to content, sorted by path."""
    found: dict[str, bytes] = {}
    for part in _PARTS:
        place = _HERE / part
        paths = [place] if place.is_file() else [*place.glob("*.py"), *place.glob("*.json")]
        for path in paths:
            found[path.relative_to(_HERE).as_posix()] = path.read_bytes()
    return dict(sorted(found.items()))


def write_agent(target: Path) -> tuple[Path, ...]:
    """Write the agent into *target*, which must not exist or be empty, and return the files' paths.

    Raises:
        InputError: there is something at *target* already.
        StoreError: the disk or the rights do not allow it.
    """
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(f"there is something at {target} already", hint="give a new or an empty folder")
    written: list[Path] = []
    for name, content in agent_files().items():
        path = target / name
        write_durably(path, content)
        written.append(path)
    return tuple(written)
