"""Git, with the user's settings kept out."""

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from naoshi.errors import DirtyRepositoryError, RepositoryError
from naoshi.system.git import Git

WHEN = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """A repository with one commit on ``main``."""
    folder = tmp_path / "repository"
    folder.mkdir()
    made = Git(folder=folder)
    made("init", "--quiet", "--initial-branch=main")
    (folder / "f").write_text("one\n")
    made.commit("first", paths=["f"], when=WHEN)
    return made


def test_the_repository_of_a_folder_is_found(git: Git, tmp_path: Path) -> None:
    """From any folder below; outside of one the error says so."""
    (git.folder / "deep").mkdir()
    assert Git.at(git.folder / "deep").folder == git.folder.resolve()
    with pytest.raises(RepositoryError, match="not inside"):
        Git.at(tmp_path)
    with pytest.raises(RepositoryError, match="no folder"):
        Git.at(tmp_path / "nothing")


def test_a_commit_has_what_was_named_and_no_more(git: Git) -> None:
    """A person's other work in the tree, staged or not, is not swept into our commits."""
    (git.folder / "ours").write_text("x")
    (git.folder / "theirs").write_text("y")
    (git.folder / "staged").write_text("z")
    git("add", "staged")
    commit = git.commit("second", paths=["ours"], when=WHEN)
    assert git("show", "--name-only", "--format=", commit or "").split() == ["ours"]
    assert set(git.changed()) == {"theirs", "staged"}
    assert git.commit("again", paths=["ours"]) is None


def test_the_same_commit_gets_the_same_name(git: Git) -> None:
    """Author and dates are ours, so that a step that runs again makes the same commit."""
    shown = git("show", "--no-patch", "--format=%an %ae %cn %aI", "HEAD")
    assert shown == "Naoshi naoshi@localhost Naoshi 2026-03-01T00:00:00+00:00"


def test_a_deleted_file_is_committed(git: Git) -> None:
    """A change may remove a file."""
    (git.folder / "f").unlink()
    git.commit("gone", paths=["f"])
    assert git.changed() == ()


def test_hooks_and_settings_of_the_repository_do_not_run(git: Git) -> None:
    """A repository that a coding agent wrote to must not run programs through git."""
    marker = git.folder.parent / "ran"
    for name in ("pre-commit", "post-commit", "post-checkout", "commit-msg"):
        hook = git.folder / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {marker}\n")
        hook.chmod(0o755)
    for setting in ("core.fsmonitor", "diff.external", "core.editor"):
        git("config", setting, f"touch {marker}")
    git("config", "commit.gpgSign", "true")
    (git.folder / "f").write_text("two\n")
    base = git.commit_of("HEAD")
    commit = git.commit("second", paths=["f"])
    assert "+two" in git.diff(base, commit or "")
    with git.worktree("HEAD", git.folder.parent / "tree"):
        pass
    assert not marker.exists()


def test_uncommitted_changes_are_named(git: Git) -> None:
    """Work is never done on top of a person's unfinished work; what is ours is excepted by its path."""
    git.require_clean()
    (git.folder / ".naoshi").mkdir()
    (git.folder / ".naoshi" / "x").write_text("")
    git.require_clean(besides=[".naoshi/"])
    for number in range(5):
        (git.folder / f"直 {number}").write_text("")
    with pytest.raises(DirtyRepositoryError, match=r"直 0, 直 1, 直 2 and 2 more"):
        git.require_clean(besides=[".naoshi/"])


def test_names_of_commits_are_resolved(git: Git) -> None:
    """Branch, tag, short name; an option or nonsense is no commit and runs nothing."""
    git("tag", "naoshi/v1")
    full = git("rev-parse", "HEAD")
    assert {git.commit_of(name) for name in ("main", "naoshi/v1", full[:8], "HEAD")} == {full}
    for wrong in ("nothing", "--help", "", "HEAD:f", "-x"):
        with pytest.raises(RepositoryError):
            git.commit_of(wrong)


def test_the_branch_is_told(git: Git) -> None:
    """Without a branch there is nowhere to merge to, and the error says what to do."""
    assert git.branch() == "main"
    git("checkout", "--quiet", "--detach")
    with pytest.raises(RepositoryError, match="no branch"):
        git.branch()


def test_a_failure_of_git_is_one_line(git: Git) -> None:
    """The message is git's own."""
    with pytest.raises(RepositoryError) as caught:
        git("merge", "no-such-branch")
    assert caught.value.message.startswith("git merge failed: ")
    assert "\n" not in caught.value.line()


def test_a_tree_is_named_by_its_content(git: Git) -> None:
    """The same content under other commits and dates has one name; another content another."""
    (git.folder / "other").write_text("x")
    first = git.commit_of("HEAD")
    second = git.commit("second", paths=["other"]) or ""
    assert git.tree_of(first, ["f"]) == git.tree_of(second, ["f"])
    assert git.tree_of(first) != git.tree_of(second)
    assert git.tree_of(first, ["other"]) != git.tree_of(second, ["other"])


def test_a_work_tree_is_removed_whatever_happens(git: Git) -> None:
    """After an error, and after a crash that left one half made, the place is free again."""
    place = git.folder.parent / "tree"
    with pytest.raises(ZeroDivisionError), git.worktree("HEAD", place) as tree:
        assert (place / "f").read_text() == "one\n"
        (place / "new").write_text("x")
        assert tree.changed() == ("new",)
        raise ZeroDivisionError
    assert not place.exists()
    git("worktree", "add", "--quiet", "--detach", str(place), "HEAD")
    (place / ".git").unlink()
    with git.worktree("HEAD", place):
        pass
    assert git("worktree", "list").count("\n") == 0


def test_the_environment_of_another_git_is_kept_out(git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Naoshi started from a git hook must not work on the hook's repository."""
    other = tmp_path / "other"
    subprocess.run(["git", "init", "--quiet", str(other)], check=True)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert git("rev-parse", "--show-toplevel") == str(git.folder.resolve())
