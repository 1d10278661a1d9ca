"""One process at a time works on a repository's cycles and repairs."""

import fcntl
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from naoshi.errors import StoreError
from naoshi.flow.loop import Loop
from naoshi.repair.remove_branches import remove_unknown_branches
from naoshi.repair.workspace import clear_leftovers


@contextmanager
def alone(path: Path, *, doing: str = "runs a cycle or a repair") -> Generator[None]:
    """Hold the lock *path* inside. The kernel lets go of it when the process ends, however that is.

    *doing* says what another process that holds it does.

    Raises:
        StoreError: another process holds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            hint = "wait until it has ended"
            raise StoreError(f"another `naoshi` {doing} of this repository", hint=hint) from error
        yield


@contextmanager
def alone_in(loop: Loop) -> Generator[None]:
    """Hold the lock of *loop* inside, in which nothing is left of processes that were killed.

    Raises:
        StoreError: another process runs a cycle or a repair.
        RepositoryError: git cannot.
    """
    with alone(loop.state / "cycle.lock"):
        clear_leftovers(loop.worktrees)
        loop.git("worktree", "prune")
        remove_unknown_branches(loop.git, known=(change.change_id for change in loop.store.changes.find()))
        for name in ("handoffs", "repairs"):
            clear_parts(loop.state / name)
        yield


def clear_parts(folder: Path) -> None:
    """Remove below *folder* the files that a killed process was writing when nobody else writes there."""
    for path in folder.rglob(".*.part"):
        path.unlink(missing_ok=True)
