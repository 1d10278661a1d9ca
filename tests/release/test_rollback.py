"""Going back by going forward."""

from pathlib import Path

import pytest

from naoshi.errors import DirtyRepositoryError, NotFoundError, RefusedError
from naoshi.records import EvalRun, Version
from naoshi.release import RolledBack, current_version, ensure_version, rollback, verify_ledger, version_named
from tests.release.reviewed_change import LATER, NOW, ReviewedChange, make_reviewed_change, run_named

STEPS = ("commit_made", "evaluated", "branch_moved", "tagged", "recorded")


class KilledError(Exception):
    """Stands for a kill between two steps."""


def released(folder: Path) -> tuple[ReviewedChange, Version]:
    """Return a repository at v1, with a later commit of the user's that the harness has no part in, and its v0."""
    reviewed = make_reviewed_change(folder)
    first = ensure_version(reviewed.git, reviewed.store, commit=reviewed.base, paths=["harness/"], now=NOW)
    reviewed.ship()
    (reviewed.git.folder / "README.md").write_text("words\n")
    reviewed.git.commit("words", paths=["README.md"], when=NOW)
    return reviewed, first


def go_back(reviewed: ReviewedChange, to: Version | None, **parts: object) -> RolledBack:
    """Roll back to *to*; the evals look at what is really there."""

    def evaluate(checkout: Path, commit: str) -> EvalRun:
        assert (checkout / "harness" / "labels.json").read_text() == '["TOTAL"]\n'
        assert (checkout / "README.md").read_text() == "words\n"
        return run_named(f"run_{commit[:8]}")

    given: dict[str, object] = {"branch": "main", "evaluate": evaluate, "actor": "hanako", "now": LATER,
                                "worktrees": reviewed.git.folder.parent / "worktrees", **parts}  # fmt: skip
    return rollback(reviewed.git, reviewed.store, to=to, **given)  # type: ignore[arg-type]


def test_the_harness_is_restored_as_a_new_version_and_nothing_is_cut(tmp_path: Path):
    """Protects L22: history grows, the evals run again, the ledger has the act, everything else stays."""
    reviewed, first = released(tmp_path)
    git, before = reviewed.git, reviewed.git.commit_of("main")
    done = go_back(reviewed, first)
    assert (done.version.name, done.version.restores, done.version.tree) == ("v2", "v0", first.tree)
    assert git("rev-parse", "main^") == before and git.commit_of("naoshi/v2") == git.commit_of("main")
    assert (git.folder / "harness" / "labels.json").read_text() == '["TOTAL"]\n'
    assert not (git.folder / "harness" / "patterns.json").exists()
    assert (git.folder / "README.md").read_text() == "words\n"
    assert git.changed() == () and git.commit_of("naoshi/v1") == reviewed.change.commit
    assert reviewed.store.runs.get(done.run.run_id) == done.run
    assert [item.version for item in reviewed.store.baselines.find()] == ["v1"], "the baseline stays"
    entries = reviewed.store.ledger.entries()
    assert (entries[-1].kind, entries[-1].actor, entries[-1].payload["restores"]) == ("rollback", "hanako", "v0")
    assert verify_ledger(entries) == ()
    assert current_version(reviewed.store) == done.version


@pytest.mark.parametrize("step", STEPS)
def test_killed_after_any_step_and_run_again_it_happens_once(tmp_path: Path, step: str):
    """Protects against half a rollback: one new commit, one version, one entry."""
    reviewed, first = released(tmp_path)
    before = reviewed.git.commit_of("main")

    def kill(now_at: str) -> None:
        if now_at == step:
            raise KilledError

    with pytest.raises(KilledError):
        go_back(reviewed, first, on_step=kill)
    if step == "recorded":
        with pytest.raises(RefusedError, match="already"):
            go_back(reviewed, first)
    else:
        go_back(reviewed, first)
    assert reviewed.git("rev-list", "--count", f"{before}..main") == "1"
    assert [item.name for item in reviewed.store.versions.find()] == ["v0", "v1", "v2"]
    assert [entry.kind for entry in reviewed.store.ledger.entries()].count("rollback") == 1
    assert reviewed.git("tag", "--list", "naoshi/*").split() == ["naoshi/v0", "naoshi/v1", "naoshi/v2"]


def test_uncommitted_changes_and_a_failing_runner_leave_everything_as_it_was(tmp_path: Path):
    """Protects the user's work, and a branch from a rollback whose evals could not even run."""
    reviewed, first = released(tmp_path)
    git, before = reviewed.git, reviewed.git.commit_of("main")

    def broken(checkout: Path, commit: str) -> EvalRun:
        raise KilledError

    with pytest.raises(KilledError):
        go_back(reviewed, first, evaluate=broken)
    (git.folder / "harness" / "labels.json").write_text("mine\n")
    with pytest.raises(DirtyRepositoryError):
        go_back(reviewed, first)
    assert git.commit_of("main") == before and len(list(reviewed.store.versions.find())) == 2
    assert not (git.folder.parent / "worktrees").exists() or not list((git.folder.parent / "worktrees").iterdir())


def test_going_back_to_what_is_there_is_refused(tmp_path: Path):
    """Protects the numbering: nothing happens where there is nothing to restore."""
    reviewed, _ = released(tmp_path)
    with pytest.raises(RefusedError, match="has the harness of v1 already"):
        go_back(reviewed, version_named(reviewed.store, "v1"))


def test_without_a_version_it_is_the_best_one(tmp_path: Path):
    """Protects L22: the gate's rule chooses, and nobody's choice is nothing to go back to."""
    reviewed, first = released(tmp_path)
    with pytest.raises(NotFoundError, match="no version to go back to"):
        go_back(reviewed, None)
    assert go_back(reviewed, None, best=first).version.restores == "v0"


def test_a_version_is_found_by_its_name_in_any_of_its_forms(tmp_path: Path):
    """Protects the command line: v1, 1 and the tag mean one version, and another name is an error."""
    reviewed, _ = released(tmp_path)
    assert {version_named(reviewed.store, name).name for name in ("v1", "1", "naoshi/v1")} == {"v1"}
    with pytest.raises(NotFoundError, match="v9"):
        version_named(reviewed.store, "v9")
