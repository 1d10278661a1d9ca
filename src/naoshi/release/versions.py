"""Numbered states of the harness: a commit, a tag, a record."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import JsonValue

from naoshi.errors import NotFoundError
from naoshi.records import EvalRun, Version, content_id
from naoshi.release.ledger import enter
from naoshi.store.ports import Store
from naoshi.system.git import Git

TAGS = "refs/tags/naoshi/"


def ensure_version(
    git: Git,
    store: Store,
    *,
    commit: str,
    paths: Sequence[str],
    now: datetime,
    run: EvalRun | None = None,
    model: str | None = None,
    actor: str = "naoshi",
) -> Version:
    """Return the version of the harness at *commit*; when there is no version at all yet, make it the first, ``v0``.

    A commit that left *paths* (the harness) as they were is the same version. One that altered them without Naoshi gets
    the next number, since what runs has to have a name.

    Raises:
        RepositoryError: git cannot.
        StoreError: the store does not take it.
    """
    tree = git.tree_of(commit, paths)
    known = list(store.versions.find())
    same = [version for version in known if version.tree == tree]
    if same:
        return same[-1]
    number = next_number(git, store, commit)
    version = make_version(number, commit=commit, tree=tree, run=run, model=model, now=now)
    tag(git, version)
    with store.transaction():
        if store.versions.add(version):
            kind = "first_version" if not known else "version_found"
            enter(store, kind=kind, subject=version.name, actor=actor, now=now, payload={"commit": commit})
    return version


def current_version(store: Store) -> Version | None:
    """Return the version with the highest number, or None when there is none."""
    return max(store.versions.find(), key=lambda version: version.number, default=None)


def version_named(store: Store, name: str) -> Version:
    """Return the version called *name* (``v3``; a bare number will do).

    Raises:
        NotFoundError: there is none.
    """
    wanted = name.removeprefix("naoshi/")
    wanted = f"v{wanted}" if wanted.isdecimal() else wanted
    found = list(store.versions.find(name=wanted))
    if not found:
        raise NotFoundError(f"there is no version {name!r}")
    return found[-1]


def make_version(
    number: int,
    *,
    commit: str,
    tree: str,
    now: datetime,
    run: EvalRun | None = None,
    model: str | None = None,
    metadata: dict[str, JsonValue] | None = None,
    restores: str | None = None,
) -> Version:
    """Return the record of version *number*."""
    return Version(
        version_id=content_id("version", number, commit),
        name=f"v{number}",
        number=number,
        commit=commit,
        tree=tree,
        run_id=run.run_id if run is not None else None,
        model=model,
        metadata=metadata or {},
        restores=restores,
        created_at=now,
    )


def next_number(git: Git, store: Store, commit: str) -> int:
    """Return the number that a version at *commit* gets: the next free one, or that of a tag made before a crash.

    Tags are looked at too, so that a store that was lost never reuses a number.

    Raises:
        RepositoryError: git cannot.
    """
    taken = max((version.number for version in store.versions.find()), default=-1)
    listing = git("for-each-ref", "--format=%(refname) %(objectname)", TAGS).splitlines()
    tags = {name.removeprefix(f"{TAGS}v"): commit_name for name, commit_name in (line.split(" ") for line in listing)}
    numbers = {int(name): commit_name for name, commit_name in tags.items() if name.isdecimal()}
    half_done = [number for number, commit_name in numbers.items() if commit_name == commit and number > taken]
    return min(half_done) if half_done else max([taken, *numbers]) + 1


def tag(git: Git, version: Version) -> None:
    """Give the commit of *version* its tag ``naoshi/vN``. A tag that is there already stays.

    Raises:
        RepositoryError: the tag stands for another commit.
    """
    name = f"{TAGS}{version.name}"
    found = git.attempt("rev-parse", "--verify", "--quiet", name)
    if found.status == 0 and found.stdout.strip() == version.commit:
        return
    # The empty old value makes git refuse when there is such a tag already.
    git("update-ref", name, version.commit, "")
