"""Releasing an approved change: the agent's branch, a tag, a version, and the records of who decided it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import JsonValue

from naoshi.records import (
    Baseline,
    Certificate,
    Change,
    EvalRun,
    Release,
    Review,
    Verdict,
    Version,
    content_id,
)
from naoshi.release.ledger import enter
from naoshi.release.move_branch import move_branch, require_movable
from naoshi.release.refuse_release import require_releasable, require_same_commit
from naoshi.release.versions import make_version, next_number, tag
from naoshi.store.ports import Store
from naoshi.system.git import Git


@dataclass(frozen=True, kw_only=True)
class BaselineMove:
    """Whether the baseline moves to the released run, and why; the gate's rule decides, not the release."""

    moves: bool
    reason: str


def ship(
    git: Git,
    store: Store,
    *,
    change: Change,
    review: Review,
    certificate: Certificate,
    verdict: Verdict,
    run: EvalRun,
    branch: str,
    baseline: BaselineMove,
    paths: Sequence[str] = ("harness/",),
    model: str | None = None,
    metadata: dict[str, JsonValue] | None = None,
    now: datetime,
    on_step: Callable[[str], None] | None = None,
) -> Release:
    """Release *change* and return the record of it.

    The branch goes forward to the reviewed commit itself, so that what was judged is what is released. Nothing is begun
    before everything was checked. Killed after any step and called again, it goes on from there: git's steps are done
    once, and all records are kept together or not at all. *paths* are the harness; *on_step* hears of each step.

    Raises:
        ChangeRefusedError: the review, certificate, verdict or branch does not allow it.
        DirtyRepositoryError: the work tree has uncommitted changes.
        RepositoryError: git cannot.
        StoreError: the store does not take it.
    """
    require_releasable(change, review=review, certificate=certificate, verdict=verdict, run=run)
    tell = on_step or _nobody
    release_id = content_id("release", change.change_id, review.review_id)
    done = store.releases.get(release_id)
    if done is not None:
        _remove_branch(git, change)
        return done
    require_same_commit(git, change)
    move = {"branch": branch, "base": change.base_commit, "commit": change.commit}
    require_movable(git, **move, files=change.files)
    tell("checked")
    move_branch(git, **move, files=change.files)
    tell("branch_moved")
    number = next_number(git, store, change.commit)
    tree = git.tree_of(change.commit, paths)
    version = make_version(number, commit=change.commit, tree=tree, run=run, model=model, metadata=metadata, now=now)
    tag(git, version)
    tell("tagged")
    release = Release(
        release_id=release_id,
        version=version.name,
        change_id=change.change_id,
        review_id=review.review_id,
        verdict_id=verdict.verdict_id,
        commit=change.commit,
        baseline_moved=baseline.moves,
        reason=baseline.reason,
        released_at=now,
    )
    _record(store, release=release, version=version, review=review, certificate=certificate, run=run,
            baseline=baseline, now=now)  # fmt: skip
    tell("recorded")
    _remove_branch(git, change)
    tell("branch_removed")
    return release


def _record(
    store: Store,
    *,
    release: Release,
    version: Version,
    review: Review,
    certificate: Certificate,
    run: EvalRun,
    baseline: BaselineMove,
    now: datetime,
) -> None:
    with store.transaction():
        store.reviews.add(review)
        store.runs.add(run)
        store.versions.add(version)
        store.releases.add(release)
        facts: dict[str, JsonValue] = {
            "version": version.name,
            "commit": version.commit,
            "review": review.review_id,
            "certificate": certificate.certificate_id,
            "digest": certificate.digest,
            "verdict": release.verdict_id,
        }
        subject = review.change_id
        enter(store, kind="release", subject=subject, actor=review.reviewer, now=now, payload=facts)
        if baseline.moves:
            moved = Baseline(
                baseline_id=content_id("baseline", run.run_id, version.name),
                run_id=run.run_id,
                version=version.name,
                set_at=now,
                reason=baseline.reason,
            )
            store.baselines.add(moved)
            said: dict[str, JsonValue] = {"run": run.run_id, "reason": baseline.reason}
            enter(store, kind="baseline", subject=version.name, actor="naoshi", now=now, payload=said)


def enter_review(store: Store, review: Review) -> None:
    """Keep *review* and enter it in the ledger, together or not at all. The same review again changes nothing.

    Raises:
        StoreError: the store does not take it.
    """
    with store.transaction():
        if store.reviews.add(review):
            payload: dict[str, JsonValue] = {
                "decision": review.decision.value,
                "certificate": review.certificate_id,
                "verdict": review.verdict_id,
                "comment": review.comment,
            }
            enter(store, kind="review", subject=review.change_id, actor=review.reviewer, now=review.decided_at,
                  payload=payload, act=review.review_id)  # fmt: skip


def _remove_branch(git: Git, change: Change) -> None:
    """Remove the change's branch: the tag has the commit now. A branch that somebody moved stays."""
    git.attempt("update-ref", "-d", f"refs/heads/{change.branch}", change.commit)


def _nobody(step: str) -> None:
    return
