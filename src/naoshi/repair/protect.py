"""What a change may touch and what it may not: evals, tests, thresholds, settings, and the files around git."""

import hashlib
import os
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from naoshi.errors import ChangeRefusedError
from naoshi.system.git import Git

_LARGEST = 1024**3
_UNREADABLE = "unreadable"


def is_within(path: str, places: Iterable[str]) -> bool:
    """Return whether *path* is one of *places*: ``folder/``, ``**/name`` at any depth, or one exact file.

    Case and the ways to compose a character are made equal, since some file systems do not tell them apart.
    """
    wanted = _folded(path)
    return any(_covers(_folded(place), wanted) for place in places)


def protected_blobs(git: Git, commit: str, protected: Sequence[str]) -> dict[str, str]:
    """Return each protected path of *commit* with git's mode and name of its content."""
    listing = git("ls-tree", "-r", "-z", "--full-tree", commit)
    entries = (entry.split("\t", 1) for entry in listing.split("\0") if entry)
    return {path: what for what, path in entries if is_within(path, protected)}


def require_protected_kept(git: Git, *, base: str, commit: str, protected: Sequence[str]) -> None:
    """Check that *commit* (or tree) has every protected path of *base* as it was, and no other one.

    Raises:
        ChangeRefusedError: it has not; the paths are named.
    """
    before, after = protected_blobs(git, base, protected), protected_blobs(git, commit, protected)
    touched = sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))
    if touched:
        raise ChangeRefusedError(f"the change touches protected paths: {named(touched)}")


def file_hashes(folder: Path, protected: Sequence[str]) -> dict[str, str]:
    """Return the SHA-256 of each protected file below *folder*; a symbolic link counts as the text it points to.

    A file of more than 1 GiB counts by its size; what cannot be read, or lies too deep for that, as unreadable.
    """
    hashes: dict[str, str] = {}
    for relative, entry in _entries(folder):
        if not is_within(relative, protected):
            continue
        if entry is None:
            hashes[relative] = _UNREADABLE
        elif entry.is_symlink():
            hashes[relative] = hashlib.sha256(b"link:" + os.fsencode(Path(entry.path).readlink())).hexdigest()
        elif entry.is_file(follow_symlinks=False):
            hashes[relative] = _hash_of(entry)
    return dict(sorted(hashes.items()))


def _entries(folder: Path) -> Iterator[tuple[str, os.DirEntry[str] | None]]:
    """Yield what is below *folder* by relative path, git's own folder aside; None stands for what cannot be read."""
    waiting = [""]
    while waiting:
        place = waiting.pop()
        try:
            with os.scandir(f"{folder}/{place}") as found:
                entries = list(found)
        except OSError:
            yield place, None
            continue
        for entry in entries:
            relative = f"{place}/{entry.name}" if place else entry.name
            if entry.is_dir(follow_symlinks=False):
                waiting += [relative] if relative != ".git" else []
            else:
                yield relative, entry


def _hash_of(entry: os.DirEntry[str]) -> str:
    try:
        size = entry.stat(follow_symlinks=False).st_size
        if size > _LARGEST:
            return f"{size} bytes"
        with Path(entry.path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return _UNREADABLE


def repository_hashes(git: Git, protected: Sequence[str], *, besides: Sequence[Path] = ()) -> dict[str, str]:
    """Return hashes of what a program has no business with in the user's own repository, and of the files *besides*.

    These are its hooks and settings, Naoshi's branches and tags, what stands in for other objects, and the protected
    files as they lie in the work tree.
    """
    common = Path(git("rev-parse", "--path-format=absolute", "--git-common-dir"))
    references = git("for-each-ref", "refs/heads/naoshi", "refs/tags/naoshi", "refs/replace")
    hashes = {"git: references": hashlib.sha256(references.encode()).hexdigest()}
    for folder in ("hooks", "info"):
        everything = file_hashes(common / folder, ("./",)) if (common / folder).is_dir() else {}
        hashes |= {f"git: {folder}/{name}": digest for name, digest in everything.items()}
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    places = {path: git.folder / path for path in listed if path and is_within(path, protected)}
    places |= {"git: config": common / "config", **{str(place): place for place in besides}}
    for name, place in places.items():
        if place.is_file():
            hashes[name] = hashlib.sha256(place.read_bytes()).hexdigest()
    return hashes


def altered(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[str, ...]:
    """Return the paths whose hash differs, that are gone, or that are new."""
    return tuple(sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path)))


def named(paths: Sequence[str], *, limit: int = 5) -> str:
    """Return *paths* as one phrase, the first *limit* of them by name; odd characters are shown escaped."""
    shown = ", ".join(path if path.isprintable() else ascii(path) for path in paths[:limit])
    return shown + (f" and {len(paths) - limit} more" if len(paths) > limit else "")


def _covers(place: str, path: str) -> bool:
    if place.startswith("**/"):
        name = place.removeprefix("**/")
        return path == name or path.endswith(f"/{name}")
    if place.endswith("/"):
        # A file or link put where the folder was counts as the folder.
        return place == "./" or path.startswith(place) or path == place.removesuffix("/")
    return path == place


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
