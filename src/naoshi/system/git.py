"""The git program, as users debug with it."""

import hashlib
import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from naoshi.errors import DirtyRepositoryError, RepositoryError
from naoshi.system.process import Finished, run
from naoshi.system.remove_tree import remove_tree

_TIMEOUT_SECONDS = 120.0
# Settings of the user or of the repository must not run programs, open an editor or sign while we work, and no object
# may stand in for another, as a commit has to be what its name says.
_QUIET = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
}
_SAFE = ("-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false", "-c", "tag.gpgSign=false",
         "-c", "core.quotePath=false", "-c", "core.fsmonitor=false", "-c", "gc.auto=0")  # fmt: skip
_OURS = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY")


@dataclass(frozen=True, kw_only=True)
class Git:
    """A git work tree at ``folder`` (its top level). Hooks, signing and prompts are off."""

    folder: Path
    author: tuple[str, str] = field(default=("Naoshi", "naoshi@localhost"))

    @classmethod
    def at(cls, folder: Path) -> "Git":
        """Return the repository that *folder* lies in.

        Raises:
            RepositoryError: it lies in none.
        """
        if not folder.is_dir():
            raise RepositoryError(f"there is no folder {folder}")
        found = cls(folder=folder).attempt("rev-parse", "--show-toplevel")
        if found.status != 0:
            raise RepositoryError(f"{folder} is not inside a git repository")
        return cls(folder=Path(found.stdout.strip()))

    def attempt(self, *words: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None) -> Finished:
        """Run ``git WORDS`` and return how it ended, whatever that is."""
        inherited = {name: value for name, value in os.environ.items() if name not in _OURS}
        merged = {**inherited, **_QUIET, **(environment or {})}
        return run(
            ["git", *_SAFE, *words], folder=self.folder, environment=merged, stdin=stdin, timeout=_TIMEOUT_SECONDS
        )

    def __call__(self, *words: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None) -> str:
        """Run ``git WORDS`` and return what it printed, the last line break dropped.

        Raises:
            RepositoryError: it failed; the message has git's own last line.
        """
        done = self.attempt(*words, stdin=stdin, environment=environment)
        if done.status != 0:
            told = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
            raise RepositoryError(f"git {words[0]} failed: {told}")
        return done.stdout.removesuffix("\n")

    def commit_of(self, name: str) -> str:
        """Return the full commit name that *name* (a branch, tag or abbreviation) stands for.

        Raises:
            RepositoryError: it stands for none.
        """
        found = self.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        if found.status != 0:
            raise RepositoryError(f"{name!r} names no commit in {self.folder}")
        return found.stdout.strip()

    def branch(self) -> str:
        """Return the branch that is checked out.

        Raises:
            RepositoryError: no branch is.
        """
        found = self.attempt("symbolic-ref", "--short", "--quiet", "HEAD")
        if found.status != 0:
            raise RepositoryError(f"{self.folder} has no branch checked out", hint="check out the agent's branch")
        return found.stdout.strip()

    def tree_of(self, commit: str, paths: Sequence[str] = ()) -> str:
        """Return a name of the content of *paths* (all when empty) at *commit* that no clock enters."""
        if not paths:
            return self("rev-parse", f"{commit}^{{tree}}")
        listing = self("ls-tree", "-r", commit, "--", *paths)
        return hashlib.sha256(listing.encode("utf-8", "surrogateescape")).hexdigest()[:40]

    def changed(self, paths: Sequence[str] = ()) -> tuple[str, ...]:
        """Return the paths with uncommitted changes, untracked files included, ignored ones not."""
        told = self("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", *paths)
        return tuple(entry[3:] for entry in told.split("\0") if entry)

    def require_clean(self, *, besides: Sequence[str] = ()) -> None:
        """Check that nothing is uncommitted, paths that begin with one of *besides* aside.

        Raises:
            DirtyRepositoryError: something is.
        """
        dirty = [path for path in self.changed() if not path.startswith(tuple(besides) or ("\0",))]
        if dirty:
            more = f" and {len(dirty) - 3} more" if len(dirty) > 3 else ""
            raise DirtyRepositoryError(f"uncommitted changes in {', '.join(dirty[:3])}{more}")

    def commit(self, message: str, *, paths: Sequence[str], when: datetime | None = None) -> str | None:
        """Commit *paths* as they stand, and nothing else; return the commit, or None when nothing had changed."""
        self("add", "--all", "--", *paths)
        if self.attempt("diff", "--cached", "--quiet", "--", *paths).status == 0:
            return None
        self("commit", "--quiet", "--no-verify", "-m", message, "--only", "--", *paths, environment=self.identity(when))
        return self.commit_of("HEAD")

    def identity(self, when: datetime | None = None) -> dict[str, str]:
        """Return the environment that names author and committer, and dates both at *when* (now if None)."""
        name, address = self.author
        environment = {
            "GIT_AUTHOR_NAME": name,
            "GIT_AUTHOR_EMAIL": address,
            "GIT_COMMITTER_NAME": name,
            "GIT_COMMITTER_EMAIL": address,
        }
        if when is not None:
            environment |= {"GIT_AUTHOR_DATE": when.isoformat(), "GIT_COMMITTER_DATE": when.isoformat()}
        return environment

    def diff(self, base: str, commit: str, paths: Sequence[str] = ()) -> str:
        """Return the unified diff from *base* to *commit*: the same text whatever git's settings are."""
        words = ["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--binary", "--no-renames", "--full-index"]
        words += ["--unified=3", "--inter-hunk-context=0", "--diff-algorithm=myers", "--no-indent-heuristic"]
        words += ["--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "-O/dev/null"]
        return self(*words, base, commit, "--", *paths)

    @contextmanager
    def worktree(self, commit: str, place: Path) -> Generator["Git"]:
        """Check *commit* out at *place*, detached, and remove it again whatever happens."""
        self.remove_worktree(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        self("worktree", "add", "--quiet", "--detach", "--force", str(place), commit)
        try:
            yield Git(folder=place, author=self.author)
        finally:
            self.remove_worktree(place)

    def remove_worktree(self, place: Path) -> None:
        """Remove the work tree at *place*, also one that a crash left half made."""
        self.attempt("worktree", "remove", "--force", "--force", str(place))
        remove_tree(place)
        self.attempt("worktree", "prune")
