"""Releasing: what is checked first, what happens in git and in the store, and what a kill between two steps does."""

from pathlib import Path

import pytest

from naoshi.errors import ChangeRefusedError, DirtyRepositoryError, RecordConflictError
from naoshi.records import ReviewDecision, VerdictOutcome
from naoshi.release import BaselineMove, ensure_version, enter_review, ship, verify_ledger
from naoshi.store.memory import MemoryStore
from naoshi.store.sql.sql_store import SqlStore
from tests.release.reviewed_change import NOW, ReviewedChange, make_reviewed_change

STEPS = ("checked", "branch_moved", "tagged", "recorded", "branch_removed")


class KilledError(Exception):
    """Stands for a kill between two steps."""


@pytest.fixture
def reviewed(tmp_path: Path) -> ReviewedChange:
    """A repository whose branch is checked out, with a change that was approved."""
    return make_reviewed_change(tmp_path)


def state_of(reviewed: ReviewedChange) -> dict[str, object]:
    """Return all that a release leaves behind, in git and in the store."""
    git, store = reviewed.git, reviewed.store
    return {
        "refs": git("for-each-ref", "--format=%(refname) %(objectname)"),
        "harness": (git.folder / "harness" / "labels.json").read_text(),
        "changed": git.changed(),
        "versions": list(store.versions.find()),
        "releases": list(store.releases.find()),
        "baselines": list(store.baselines.find()),
        "ledger": [(entry.key, entry.digest) for entry in store.ledger.entries()],
    }


def test_an_approved_change_is_merged_tagged_and_recorded(reviewed: ReviewedChange):
    """Protects the release: branch, work tree, tag, version, baseline and ledger all say the same."""
    first = ensure_version(reviewed.git, reviewed.store, commit=reviewed.base, paths=["harness/"], now=NOW)
    release = reviewed.ship()
    assert (first.name, release.version) == ("v0", "v1")
    assert reviewed.git.commit_of("main") == reviewed.change.commit == reviewed.git.commit_of("naoshi/v1")
    assert "AMOUNT DUE" in (reviewed.git.folder / "harness" / "labels.json").read_text()
    assert reviewed.git.changed() == ()
    assert [item.version for item in reviewed.store.baselines.find()] == ["v1"]
    kinds = [entry.kind for entry in reviewed.store.ledger.entries()]
    assert kinds == ["first_version", "release", "baseline"]
    assert verify_ledger(reviewed.store.ledger.entries()) == ()
    assert reviewed.git("branch", "--list", "naoshi/*") == ""


def test_the_baseline_stays_where_the_rule_says_so(reviewed: ReviewedChange):
    """Protects L11: a release does not move the baseline by itself."""
    release = reviewed.ship(baseline=BaselineMove(moves=False, reason="date is not better"))
    assert not release.baseline_moved and list(reviewed.store.baselines.find()) == []


@pytest.mark.parametrize("step", STEPS)
def test_killed_after_any_step_and_run_again_the_end_is_the_same(tmp_path: Path, step: str):
    """Protects against half a release: the same end state as without the kill, and nothing twice."""
    whole = make_reviewed_change(tmp_path / "whole")
    whole.ship()

    def kill(now_at: str) -> None:
        if now_at == step:
            raise KilledError

    killed = make_reviewed_change(tmp_path / "killed")
    with pytest.raises(KilledError):
        killed.ship(on_step=kill)
    killed.ship()
    killed.ship()
    assert state_of(killed) == state_of(whole)


def test_on_sqlite_a_release_is_recorded_whole_or_not_at_all(tmp_path: Path):
    """Protects the real store as the fake is protected: a conflict inside the transaction keeps nothing of it."""
    reviewed = make_reviewed_change(tmp_path)
    store = SqlStore.open(tmp_path / "naoshi.db")
    other_run = reviewed.run.model_copy(update={"suite": "other"})
    store.runs.add(other_run)
    given = {
        "change": reviewed.change,
        "review": reviewed.review,
        "certificate": reviewed.certificate,
        "verdict": reviewed.verdict,
        "branch": "main",
        "baseline": BaselineMove(moves=True, reason="better"),
        "now": NOW,
    }
    with pytest.raises(RecordConflictError):
        ship(reviewed.git, store, run=reviewed.run, **given)
    assert [store.reviews.count(), store.versions.count(), store.releases.count()] == [0, 0, 0]
    assert list(store.ledger.entries()) == []
    store.runs.put(reviewed.run)
    release = ship(reviewed.git, store, run=reviewed.run, **given)
    assert ship(reviewed.git, store, run=reviewed.run, **given) == release
    assert [store.versions.count(), store.releases.count(), store.baselines.count()] == [1, 1, 1]
    assert verify_ledger(store.ledger.entries()) == ()
    store.close()


def test_a_work_tree_that_was_half_updated_is_finished(reviewed: ReviewedChange):
    """Protects a machine that lost power while git wrote the files: the release goes on instead of calling it dirt."""
    (reviewed.git.folder / "harness" / "labels.json").write_text(reviewed.changed_text)
    reviewed.ship()
    assert reviewed.git.commit_of("main") == reviewed.change.commit
    assert reviewed.git.changed() == ()


def test_uncommitted_changes_stop_it_before_anything_is_done(reviewed: ReviewedChange):
    """Protects the user's work: nothing is merged, tagged or recorded over an edit."""
    (reviewed.git.folder / "harness" / "labels.json").write_text("mine\n")
    before = state_of(reviewed)
    with pytest.raises(DirtyRepositoryError, match=r"labels\.json"):
        reviewed.ship()
    assert state_of(reviewed) == before


def test_untracked_files_of_the_user_are_left_alone(reviewed: ReviewedChange):
    """Protects against asking too much: a handoff lying in the folder is no reason to refuse."""
    (reviewed.git.folder / "codex_handoff.md").write_text("read me\n")
    reviewed.ship()
    assert (reviewed.git.folder / "codex_handoff.md").read_text() == "read me\n"


def test_a_branch_that_is_not_checked_out_moves_without_touching_the_work_tree(reviewed: ReviewedChange):
    """Protects someone who works on another branch: not a file of theirs changes, dirty or not."""
    reviewed.git("checkout", "--quiet", "-b", "elsewhere")
    (reviewed.git.folder / "harness" / "labels.json").write_text("mine\n")
    reviewed.ship()
    assert reviewed.git.commit_of("main") == reviewed.change.commit
    assert (reviewed.git.folder / "harness" / "labels.json").read_text() == "mine\n"


def test_a_branch_that_moved_since_is_refused(reviewed: ReviewedChange):
    """Protects what was judged: a change is never released on top of something that its evals did not see."""
    (reviewed.git.folder / "other.txt").write_text("new\n")
    reviewed.git.commit("other", paths=["other.txt"], when=NOW)
    with pytest.raises(ChangeRefusedError, match="has moved") as refused:
        reviewed.ship()
    assert "naoshi cycle" in refused.value.line()
    assert list(reviewed.store.releases.find()) == []


@pytest.mark.parametrize(
    ("part", "update", "told"),
    [
        ("review", {"decision": ReviewDecision.rejected}, "rejected the change"),
        ("review", {"change_id": "change_other"}, "of another change"),
        ("review", {"certificate_id": "certificate_other"}, "another certificate"),
        ("review", {"verdict_id": "verdict_other"}, "another verdict"),
        ("certificate", {"granted": False}, "altered"),
        ("certificate", {"mended": ("case_x",)}, "altered"),
        ("verdict", {"outcome": VerdictOutcome.regression}, "regression"),
        ("verdict", {"outcome": VerdictOutcome.inconclusive}, "inconclusive"),
        ("verdict", {"candidate_run_id": "run_other"}, "another run"),
    ],
)
def test_what_does_not_fit_or_says_no_is_not_released(reviewed: ReviewedChange, part: str, update: dict[str, object],
                                                      told: str):  # fmt: skip
    """Protects the binding: an approval counts for this change, this proof and this verdict, and for nothing else."""
    altered = {part: getattr(reviewed, part).model_copy(update=update)}
    before = state_of(reviewed)
    with pytest.raises(ChangeRefusedError, match=told):
        reviewed.ship(**altered)
    assert state_of(reviewed) == before


def test_a_certificate_that_was_never_granted_is_not_released(reviewed: ReviewedChange):
    """Protects against a certificate that is whole but says no."""
    refused = reviewed.certificate.model_copy(update={"granted": False})
    refused = refused.model_copy(update={"digest": refused.computed_digest})
    with pytest.raises(ChangeRefusedError, match="not granted"):
        reviewed.ship(certificate=refused)


def test_a_commit_put_in_place_of_the_reviewed_one_is_not_released(reviewed: ReviewedChange):
    """Protects what the reviewer saw: the commit has to be the base's child with that very diff."""
    git = reviewed.git
    other = git("commit-tree", git("rev-parse", f"{reviewed.change.commit}^{{tree}}"), "-p", reviewed.change.commit,
                "-m", "more", environment=git.identity(NOW))  # fmt: skip
    swapped = reviewed.change.model_copy(update={"commit": other})
    with pytest.raises(ChangeRefusedError, match="not the change"):
        reviewed.ship(change=swapped)
    retold = reviewed.change.model_copy(update={"diff": "nothing to see"})
    with pytest.raises(ChangeRefusedError, match="another diff"):
        reviewed.ship(change=retold)


def test_numbers_go_on_even_when_the_store_was_lost(reviewed: ReviewedChange):
    """Protects tags: a version's number is never given twice, whatever the store remembers."""
    reviewed.git("tag", "naoshi/v7", reviewed.base)
    assert reviewed.ship().version == "v8"


def test_a_review_is_kept_and_entered_once(reviewed: ReviewedChange):
    """Protects the ledger: the same decision twice is one entry, with the reviewer as its actor."""
    enter_review(reviewed.store, reviewed.review)
    enter_review(reviewed.store, reviewed.review)
    entries = reviewed.store.ledger.entries()
    assert [(entry.kind, entry.actor) for entry in entries] == [("review", reviewed.review.reviewer)]


def test_a_harness_that_somebody_altered_by_hand_gets_a_number_of_its_own(reviewed: ReviewedChange):
    """Protects L22: what runs has a name, and the same harness has the same name on a later commit."""
    git, store = reviewed.git, MemoryStore()
    first = ensure_version(git, store, commit=reviewed.base, paths=["harness/"], now=NOW)
    (git.folder / "README.md").write_text("words\n")
    words = git.commit("words", paths=["README.md"], when=NOW)
    assert words is not None
    assert ensure_version(git, store, commit=words, paths=["harness/"], now=NOW) == first
    (git.folder / "harness" / "labels.json").write_text("{}\n")
    by_hand = git.commit("by hand", paths=["harness"], when=NOW)
    assert by_hand is not None
    assert ensure_version(git, store, commit=by_hand, paths=["harness/"], now=NOW).name == "v1"
    assert ensure_version(git, store, commit=by_hand, paths=["harness/"], now=NOW).name == "v1"
    assert [entry.kind for entry in store.ledger.entries()] == ["first_version", "version_found"]
