"""What has to hold before a change becomes a version. Each check that fails says what to do."""

from naoshi.errors import ChangeRefusedError, DirtyRepositoryError
from naoshi.records import Certificate, Change, EvalRun, Review, ReviewDecision, Verdict, VerdictOutcome
from naoshi.system.git import Git


def require_releasable(
    change: Change, *, review: Review, certificate: Certificate, verdict: Verdict, run: EvalRun
) -> None:  # fmt: skip
    """Check that *review* approves exactly this change, certificate, verdict and run, and that all of them say yes.

    Raises:
        ChangeRefusedError: something does not fit or says no; the first such thing is named.
    """
    checks = (
        (review.decision is ReviewDecision.approved, f"{review.reviewer} rejected the change"),
        (review.change_id == change.change_id, "the review is of another change"),
        (review.certificate_id == certificate.certificate_id, "the review is bound to another certificate"),
        (review.verdict_id == verdict.verdict_id, "the review is bound to another verdict"),
        (certificate.change_id == change.change_id, "the certificate is of another change"),
        (certificate.digest == certificate.computed_digest, "the certificate was altered after it was made"),
        (
            certificate.granted and all(check.held for check in certificate.checks),
            "the certificate was not granted",
        ),
        (verdict.candidate_run_id == run.run_id, "the verdict is of another run"),
        (certificate.after_run_id == run.run_id, "the certificate is of another run"),
        (verdict.outcome is VerdictOutcome.pass_, f"the gate says {verdict.outcome.value}"),
    )
    for holds, reason in checks:
        if not holds:
            raise ChangeRefusedError(f"the change {change.change_id} is not released: {reason}")


def require_same_commit(git: Git, change: Change) -> None:
    """Check that the change's commit is there, is the base's child, and that its diff is the one that was reviewed.

    Raises:
        ChangeRefusedError: the commit is gone, was put on another base, or shows another diff.
    """
    found = git.attempt("rev-parse", "--verify", "--quiet", f"{change.commit}^{{commit}}")
    if found.status != 0:
        raise ChangeRefusedError(
            f"the commit {change.commit[:12]} of the change is gone", hint="run `naoshi repair` again"
        )
    parents = git("rev-parse", f"{change.commit}^@").split()
    if parents != [change.base_commit] or git("rev-parse", f"{change.commit}^{{tree}}") != change.tree:
        raise ChangeRefusedError("the commit is not the change that was certified", hint="run `naoshi repair` again")
    if git.diff(change.base_commit, change.commit) != change.diff:
        raise ChangeRefusedError("the commit shows another diff than was reviewed", hint="run `naoshi repair` again")


def require_tree_free(git: Git, commit: str, *, files: tuple[str, ...]) -> None:
    """Check that nothing in the user's work tree would be lost when *files* become as in *commit*.

    Untracked files that the commit does not bring are no matter, nor is a half-done update to *commit*.

    Raises:
        DirtyRepositoryError: there are uncommitted changes.
    """
    dirty = [path for path in dirty_paths(git, besides=files) if path not in files or not _is_as_in(git, commit, path)]
    if dirty:
        more = f" and {len(dirty) - 3} more" if len(dirty) > 3 else ""
        raise DirtyRepositoryError(f"uncommitted changes in {', '.join(dirty[:3])}{more}")


def dirty_paths(git: Git, *, besides: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tracked paths with uncommitted changes, and of untracked ones those named in *besides*."""
    told = git("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all")
    entries = [(entry[:2], entry[3:]) for entry in told.split("\0") if entry]
    return tuple(path for status, path in entries if status != "??" or path in besides)


def _is_as_in(git: Git, commit: str, path: str) -> bool:
    """Return whether the file *path* on disk is what *commit* has there: an update that was interrupted."""
    wanted = git.attempt("rev-parse", "--verify", "--quiet", f"{commit}:{path}")
    file = git.folder / path
    if not file.is_symlink() and not file.exists():
        return wanted.status != 0
    actual = git.attempt("hash-object", "--", path)
    return wanted.status == 0 and actual.stdout.strip() == wanted.stdout.strip()
