"""Going back to an earlier harness by going forward: a new commit and version that restore it."""

import shutil
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import JsonValue

from naoshi.errors import NotFoundError, RefusedError
from naoshi.records import EvalRun, Release, Version, content_id
from naoshi.release.ledger import enter
from naoshi.release.move_branch import move_branch, require_movable
from naoshi.release.versions import make_version, next_number, tag
from naoshi.store.ports import Store
from naoshi.system.git import Git

Evaluate = Callable[[Path, str], EvalRun]
"""Runs the cases on the agent in a folder; the second argument is the commit whose files these are."""


@dataclass(frozen=True, kw_only=True)
class RolledBack:
    """What a rollback made: the new version, its release, and the run of the evals on it."""

    version: Version
    release: Release
    run: EvalRun


def rollback(
    git: Git,
    store: Store,
    *,
    to: Version | None,
    best: Version | None = None,
    branch: str,
    paths: Sequence[str] = ("harness/",),
    evaluate: Evaluate,
    worktrees: Path,
    actor: str,
    reason: str = "",
    now: datetime,
    on_step: Callable[[str], None] | None = None,
) -> RolledBack:
    """Restore *paths* (the harness) as they were in the version *to*, as a new commit and version on *branch*.

    Without *to* it is *best*, the version that the gate's rule calls the best. Everything else on the branch stays as
    it is, and no history is cut. The evals run on the new commit before the branch moves; whatever they say is
    recorded, and the baseline stays where it is. Killed after any step and called again, it goes on from there.

    Raises:
        NotFoundError: there is neither *to* nor *best*.
        RefusedError: *branch* has the harness of *to* already.
        DirtyRepositoryError: the work tree has uncommitted changes.
        RepositoryError: git cannot.
        StoreError: the store does not take it.
    """
    tell = on_step or _nobody
    to = to or best
    if to is None:
        raise NotFoundError("there is no version to go back to")
    head = git.commit_of(f"refs/heads/{branch}")
    base, commit = _begun(git, store, head, to) or (head, None)
    if commit is None:
        commit = _restoring_commit(git, base, to, paths, now)
    if commit is None:
        raise RefusedError(f"{branch} has the harness of {to.name} already", hint="nothing was changed")
    files = tuple(path for path in git("diff-tree", "-r", "-z", "--name-only", base, commit).split("\0") if path)
    require_movable(git, branch=branch, base=base, commit=commit, files=files)
    tell("commit_made")
    with _exported(git, commit, worktrees / f"rollback-{commit[:16]}") as checkout:
        run = evaluate(checkout, commit)
    tell("evaluated")
    move_branch(git, branch=branch, base=base, commit=commit, files=files)
    tell("branch_moved")
    number, tree = next_number(git, store, commit), git.tree_of(commit, paths)
    version = make_version(number, commit=commit, tree=tree, run=run, model=to.model, restores=to.name, now=now)
    tag(git, version)
    tell("tagged")
    release = Release(
        release_id=content_id("release", commit),
        version=version.name,
        change_id=None,
        review_id=None,
        verdict_id=None,
        commit=commit,
        baseline_moved=False,
        reason=reason or f"rollback to {to.name}",
        released_at=now,
    )
    with store.transaction():
        store.runs.add(run)
        store.versions.add(version)
        store.releases.add(release)
        facts: dict[str, JsonValue] = {
            "restores": to.name,
            "from": base,
            "commit": commit,
            "run": run.run_id,
            "reason": release.reason,
        }
        enter(store, kind="rollback", subject=version.name, actor=actor, now=now, payload=facts)
    tell("recorded")
    return RolledBack(version=version, release=release, run=run)


def _restoring_commit(git: Git, head: str, to: Version, paths: Sequence[str], now: datetime) -> str | None:
    """Return a child of *head* in which *paths* are as in *to*, or None when they are so already."""
    with TemporaryDirectory() as scratch:
        environment = {"GIT_INDEX_FILE": str(Path(scratch) / "index")}
        git("read-tree", head, environment=environment)
        git("rm", "--cached", "-r", "-f", "--quiet", "--ignore-unmatch", "--", *paths, environment=environment)
        listing = git("ls-tree", "-r", "-z", "--full-tree", to.commit, "--", *paths)
        entries = listing.encode("utf-8", "surrogateescape")
        if entries:
            git("update-index", "-z", "--index-info", stdin=entries, environment=environment)
        tree = git("write-tree", environment=environment)
    if tree == git("rev-parse", f"{head}^{{tree}}"):
        return None
    message = f"revert(harness): go back to {to.name}\n\nNaoshi-Restores: {to.name}\n"
    return git("commit-tree", tree, "-p", head, "-m", message, environment=git.identity(now))


@contextmanager
def _exported(git: Git, commit: str, folder: Path) -> Generator[Path]:
    """Write the files of *commit* below *folder*, without a repository, and remove them whatever happens."""
    shutil.rmtree(folder, ignore_errors=True)
    checkout = folder.resolve() / "checkout"
    checkout.mkdir(parents=True)
    try:
        environment = {"GIT_INDEX_FILE": str(folder.resolve() / "index")}
        git("read-tree", commit, environment=environment)
        git("checkout-index", "--all", "--force", f"--prefix={checkout}/", environment=environment)
        yield checkout
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _begun(git: Git, store: Store, head: str, to: Version) -> tuple[str, str] | None:
    """Return base and commit of a rollback to *to* that moved the branch but was not recorded."""
    if any(version.commit == head for version in store.versions.find()):
        return None
    message = git("show", "--no-patch", "--format=%B", head)
    if f"Naoshi-Restores: {to.name}" not in message.splitlines():
        return None
    return git("rev-parse", f"{head}^"), head


def _nobody(step: str) -> None:
    return
