"""Branches of changes that no record knows any more."""

from collections.abc import Iterable

from naoshi.system.git import Git

BRANCHES = "refs/heads/naoshi/change/"


def remove_unknown_branches(git: Git, *, known: Iterable[str]) -> tuple[str, ...]:
    """Remove the branches of changes whose identifier is not *known*, and return the identifiers.

    A change that was interrupted between git and the store leaves such a branch.

    Raises:
        RepositoryError: git cannot.
    """
    kept = set(known)
    names = git("for-each-ref", "--format=%(refname)", BRANCHES).splitlines()
    gone = tuple(name.removeprefix(BRANCHES) for name in names if name.removeprefix(BRANCHES) not in kept)
    for change_id in gone:
        git("update-ref", "-d", f"{BRANCHES}{change_id}")
    return gone
