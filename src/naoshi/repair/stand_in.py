"""Programs of version managers such as pyenv: what stands in for a program, and what belongs to the real one."""

import os
import shutil
from pathlib import Path

from naoshi.errors import MissingProgramError
from naoshi.system.process import run

_STAND_INS = "shims"
_WHO_KNOW = ("pyenv", "nodenv", "rbenv", "asdf", "mise")
_INSTALLED_IN = frozenset({"versions", "installs"})
_SECONDS = 20.0


def program_behind(place: Path, *, folder: Path) -> Path:
    """Return the program that *place* would start in *folder*: itself, unless a version manager put it there.

    Such a stand-in asks its manager, which cannot be had inside a sandbox.

    Raises:
        MissingProgramError: the manager does not say which program it is.
    """
    if place.parent.name != _STAND_INS:
        return place
    for manager in _who_knows(place):
        done = run([manager, "which", place.name], folder=folder, environment=dict(os.environ), timeout=_SECONDS)
        told = Path((done.stdout.strip().splitlines() or [""])[-1])
        if done.status == 0 and told.is_absolute() and told.is_file():
            return told
    hint = "give the full path of the program itself"
    raise MissingProgramError(f"{place} stands in for a program, and its version manager does not say which", hint=hint)


def installation_of(program: Path) -> Path | None:
    """Return the folder in which a version manager installed *program* with all that it needs, or None."""
    is_installed = program.parent.name == "bin" and not _INSTALLED_IN.isdisjoint(program.parts)
    return program.parents[1] if is_installed else None


def _who_knows(place: Path) -> list[str]:
    beside = [place.parents[1] / "bin" / name for name in _WHO_KNOW]
    named = [shutil.which(name) for name in _WHO_KNOW]
    return [*(str(path) for path in beside if os.access(path, os.X_OK)), *(name for name in named if name)]
