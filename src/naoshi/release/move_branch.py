"""Moving the agent's branch forward by one commit, in the user's work tree too where the branch is checked out."""

from naoshi.errors import ChangeRefusedError
from naoshi.release.refuse_release import dirty_paths, require_tree_free
from naoshi.system.git import Git


def require_movable(git: Git, *, branch: str, base: str, commit: str, files: tuple[str, ...]) -> None:
    """Check that *branch* can go from *base* to *commit* without losing anything, or has gone there already.

    Raises:
        ChangeRefusedError: the branch has moved on since the change was made.
        DirtyRepositoryError: the work tree has uncommitted changes.
        RepositoryError: there is no such branch.
    """
    head = git.commit_of(f"refs/heads/{branch}")
    if head == commit:
        return
    if head != base:
        raise ChangeRefusedError(
            f"{branch} has moved since the change was made ({base[:12]} -> {head[:12]})",
            hint="run `naoshi cycle` again, so that the change is made and judged on what is there now",
        )
    if _checked_out(git) == branch:
        require_tree_free(git, commit, files=files)


def move_branch(git: Git, *, branch: str, base: str, commit: str, files: tuple[str, ...]) -> None:
    """Move *branch* from *base* to *commit*, its child. Done already, nothing happens.

    Raises:
        ChangeRefusedError: the branch has moved on.
        DirtyRepositoryError: the work tree has uncommitted changes.
        RepositoryError: git cannot.
    """
    require_movable(git, branch=branch, base=base, commit=commit, files=files)
    if git.commit_of(f"refs/heads/{branch}") == commit:
        return
    if _checked_out(git) != branch:
        git("update-ref", f"refs/heads/{branch}", commit, base)
        return
    # What an interrupted update left is as in the new commit (checked above), so nothing of the user's is lost here.
    for path in dirty_paths(git, besides=files):
        if git.attempt("rev-parse", "--verify", "--quiet", f"{base}:{path}").status == 0:
            git("checkout", "--quiet", base, "--", path)
        else:
            git("rm", "--cached", "--quiet", "--ignore-unmatch", "--", path)
            (git.folder / path).unlink(missing_ok=True)
    git("merge", "--quiet", "--ff-only", commit)


def _checked_out(git: Git) -> str | None:
    found = git.attempt("symbolic-ref", "--short", "--quiet", "HEAD")
    return found.stdout.strip() if found.status == 0 else None
