"""A place of its own for a coding agent: a work tree, a home folder, and copies of the documents it may read."""

import json
import os
import shutil
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from naoshi.errors import InputError, StoreError
from naoshi.repair.coding_agents.left_processes import end_left_processes
from naoshi.repair.protect import is_within
from naoshi.system.files import inside, write_durably
from naoshi.system.git import Git
from naoshi.system.remove_tree import remove_tree

HANDOFF_FILE = "codex_handoff.md"
TASK_FILE = "task.md"
GIVEN = (HANDOFF_FILE, TASK_FILE, ".naoshi/")
"""What we put into the checkout. It is never part of the change."""

_OWNER = "owner.json"
_DOCUMENTS_LIMIT = 256 * 1024 * 1024


@dataclass(frozen=True, kw_only=True)
class Workspace:
    """Folders below ``folder``: ``checkout`` (a work tree with its own repository), ``home``, ``data``, ``scratch``.

    The checkout's repository has one commit and no tie to the user's: what the coding agent commits, configures or
    hooks there reaches nobody, and no file that is hidden from it can be found in a history.
    """

    git: Git
    base_commit: str
    folder: Path
    hidden: tuple[str, ...]
    identity: tuple[int, int]
    index: Path

    @property
    def checkout(self) -> Path:
        """Where the coding agent works."""
        return self.folder / "checkout"

    @property
    def home(self) -> Path:
        """The coding agent's home folder, empty at first."""
        return self.folder / "home"

    @property
    def data_root(self) -> Path:
        """Copies of the cited documents, under their own paths."""
        return self.folder / "data"

    @property
    def scratch(self) -> Path:
        """For the coding agent's temporary files."""
        return self.folder / "scratch"

    def give(self, files: Mapping[str, str]) -> None:
        """Put *files* (path in the checkout → text) there. They must be of `GIVEN`."""
        for path, text in files.items():
            place = inside(self.checkout, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode("utf-8", "backslashreplace"))

    def give_documents(self, paths: Iterable[str], *, root: Path) -> tuple[str, ...]:
        """Copy the documents called *paths* from *root*; return those that cannot be given (not there, or too big)."""
        left = _DOCUMENTS_LIMIT
        missing: list[str] = []
        for path in dict.fromkeys(paths):
            source = _document(root, path)
            if source is None or source.stat().st_size > left:
                missing.append(path)
                continue
            left -= source.stat().st_size
            target = self.data_root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        return tuple(missing)

    def size(self, paths: Iterable[str]) -> int:
        """Return how many bytes the files *paths* of the checkout have together."""
        return sum((self.checkout / path).lstat().st_size for path in paths if self._exists(path))

    def replaced(self) -> bool:
        """Return whether the checkout is no longer the folder that we made; then nothing in it may be touched."""
        try:
            found = self.checkout.lstat()
        except OSError:
            return True
        return (found.st_dev, found.st_ino) != self.identity or self.checkout.resolve() != self.checkout

    def touched(self) -> tuple[str, ...]:
        """Return the paths that now differ from the base, as files on disk, ignored ones left out."""
        self._git_there("read-tree", self.base_commit)
        told = self._git_there("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all")
        paths = [entry[3:].rstrip("/") for entry in told.split("\0") if entry]
        return tuple(path for path in paths if not is_within(path, GIVEN))

    def take_tree(self) -> str:
        """Return the git tree of what the coding agent left, whatever it committed itself.

        Hidden files are in it as they were, and what we put into the checkout is not. The objects are written to the
        user's repository, where nothing refers to them yet.
        """
        for path in GIVEN:
            remove_tree(self.checkout / path)
        # Afresh, since the coding agent may have found the index that was there before.
        self._git_there("read-tree", self.base_commit)
        self._git_there("add", "--all")
        listing = self.git("ls-tree", "-r", "-z", "--full-tree", self.base_commit)
        entries = [entry for entry in listing.split("\0") if entry]
        kept = [entry for entry in entries if is_within(entry.split("\t", 1)[1], (*GIVEN, *self.hidden))]
        if kept:
            self._git_there("update-index", "-z", "--index-info", stdin="\0".join([*kept, ""]))
        return self._git_there("write-tree")

    def tampering(self) -> tuple[str, ...]:
        """Return what was done in the checkout that no honest change needs: git made to run code, hidden files."""
        place = self.checkout / ".git"
        config = place / "config"
        if place.is_symlink() or not place.is_dir() or config.is_symlink() or not config.is_file():
            return ("the repository of the checkout was replaced",)
        hooks = sorted(item.name for item in (place / "hooks").glob("*")) if (place / "hooks").is_dir() else []
        found = [f"a git hook was written: {name}" for name in hooks]
        settings = config.read_text(encoding="utf-8", errors="replace").casefold()
        if "hookspath" in settings or "fsmonitor" in settings:
            found.append("git was configured to run a program")
        found += [f"a hidden file was put back: {path}" for path in self._hidden_paths() if self._exists(path)]
        return tuple(found)

    def _exists(self, path: str) -> bool:
        return os.path.lexists(self.checkout / path)

    def _git_there(self, *words: str, stdin: str = "") -> str:
        place = {
            "GIT_DIR": self.git("rev-parse", "--absolute-git-dir"),
            "GIT_WORK_TREE": str(self.checkout),
            "GIT_INDEX_FILE": str(self.index),
        }
        data = stdin.encode("utf-8", "surrogateescape")
        return Git(folder=self.checkout)(*words, stdin=data, environment=place)

    def _hidden_paths(self) -> list[str]:
        listing = self.git("ls-tree", "-r", "-z", "--name-only", "--full-tree", self.base_commit)
        return [path for path in listing.split("\0") if path and is_within(path, self.hidden)]


@contextmanager
def open_workspace(
    git: Git, *, base_commit: str, worktrees: Path, name: str, hidden: Sequence[str] = ()
) -> Generator[Workspace]:
    """Make the workspace called *name* below *worktrees* and remove it, with all processes in it, whatever happens.

    A workspace of that name that a crash left is removed first.
    """
    with held_folder(worktrees / name) as folder:
        # Beside the workspace, where the coding agent does not come by, and where the next repair finds what is left.
        with held_folder(worktrees / f"{name}-index") as beside:
            index = beside / "index"
            checkout = folder / "checkout"
            export_tree(git, base_commit, checkout, index=index, without=hidden)
            _own_repository(checkout)
            made = checkout.lstat()
            workspace = Workspace(
                git=git,
                base_commit=base_commit,
                folder=folder,
                hidden=tuple(hidden),
                identity=(made.st_dev, made.st_ino),
                index=index,
            )
            for place in (workspace.home, workspace.data_root, workspace.scratch):
                place.mkdir()
            yield workspace


@contextmanager
def held_folder(folder: Path) -> Generator[Path]:
    """Make *folder* anew, marked as ours, and remove it with all processes in it, whatever happens.

    Raises:
        StoreError: the disk or the rights do not allow it.
    """
    clear_workspace(folder)
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise StoreError(f"cannot make the folder {folder}: {error.strerror or error}") from error
    try:
        write_durably(folder / _OWNER, json.dumps({"process": os.getpid(), "started": _started(os.getpid())}))
        yield folder.resolve()
    finally:
        clear_workspace(folder)


def export_tree(
    git: Git, tree: str, place: Path, *, index: Path, without: Sequence[str] = (), only: Sequence[str] = ()
) -> None:
    """Write the files of *tree* to the folder *place*, without a repository; *index* is left as the tree's index.

    Files within *without* are left out; with *only*, nothing but files within it is written.

    Raises:
        RepositoryError: git cannot.
    """
    place.mkdir(parents=True, exist_ok=True)
    environment = {"GIT_INDEX_FILE": str(index)}
    git("read-tree", tree, environment=environment)
    paths = [path for path in git("ls-files", "-z", "--full-name", environment=environment).split("\0") if path]
    words = ("checkout-index", "--force", f"--prefix={place}/")
    if only:
        wanted = [path for path in paths if is_within(path, only)]
        git(*words, "-z", "--stdin", stdin=_listed(wanted), environment=environment)
        return
    unwanted = [path for path in paths if is_within(path, without)]
    # What stays is not named one by one, since the name of a file need not be UTF-8.
    git("update-index", "--force-remove", "-z", "--stdin", stdin=_listed(unwanted), environment=environment)
    git(*words, "--all", environment=environment)


def _listed(paths: Sequence[str]) -> bytes:
    return "".join(f"{path}\0" for path in paths).encode("utf-8", "surrogateescape")


def clear_workspace(folder: Path) -> None:
    """Remove the workspace *folder* and end every process in it. One that is not there is already clear."""
    if folder.is_dir() and not folder.is_symlink():
        end_left_processes(folder)
    remove_tree(folder)


def clear_leftovers(worktrees: Path) -> tuple[str, ...]:
    """Remove the workspaces whose owner no longer runs, and return their names. Call it before a repair."""
    if not worktrees.is_dir():
        return ()
    dead = [folder for folder in sorted(worktrees.iterdir()) if folder.is_dir() and not _owner_runs(folder)]
    for folder in dead:
        clear_workspace(folder)
    return tuple(folder.name for folder in dead)


def _own_repository(checkout: Path) -> None:
    here = Git(folder=checkout)
    here("init", "--quiet", "--template=", "--initial-branch=main")
    here("add", "--all", "--force")
    here("commit", "--quiet", "--allow-empty", "-m", "The agent as it is", environment=here.identity())


def _document(root: Path, path: str) -> Path | None:
    try:
        source = inside(root, path)
    except (InputError, OSError, ValueError):
        return None
    return source if source.is_file() else None


def _owner_runs(folder: Path) -> bool:
    try:
        owner = json.loads((folder / _OWNER).read_text(encoding="utf-8"))
        return owner["started"] is not None and _started(int(owner["process"])) == owner["started"]
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _started(process: int) -> str | None:
    """Return when *process* started, so that another one with its number is not taken for it; None: it does not run."""
    try:
        stat = Path(f"/proc/{process}/stat").read_bytes().rpartition(b")")[2].split()
        return None if stat[0] == b"Z" else stat[19].decode()
    except FileNotFoundError:
        if Path("/proc/self").exists():
            return None
    try:
        os.kill(process, 0)
    except OSError:
        return None
    return sha256(str(process).encode()).hexdigest()[:8]
