"""A repository with a change that was certified, judged and approved."""

import atexit
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from naoshi.records import (
    CaseResult,
    CategoryVerdict,
    Certificate,
    CertificateCheck,
    Change,
    EvalRun,
    Release,
    ResultState,
    Review,
    ReviewDecision,
    Verdict,
    VerdictOutcome,
)
from naoshi.release import BaselineMove, ship
from naoshi.store.memory import MemoryStore
from naoshi.system.git import Git

NOW = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)
LATER = datetime(2026, 5, 2, 9, 30, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True)
class ReviewedChange:
    """All that a release takes."""

    git: Git
    store: MemoryStore
    base: str
    change: Change
    certificate: Certificate
    verdict: Verdict
    review: Review
    run: EvalRun
    changed_text: str

    def ship(self, *, on_step: Callable[[str], None] | None = None, **parts: Any) -> Release:
        """Release the change, with *parts* in place of the fitting ones."""
        given: dict[str, Any] = {
            "change": self.change,
            "certificate": self.certificate,
            "verdict": self.verdict,
            "review": self.review,
            "run": self.run,
            "branch": "main",
            "baseline": BaselineMove(moves=True, reason="better in every category"),
            "now": NOW,
            **parts,
        }
        return ship(self.git, self.store, on_step=on_step, **given)


def run_named(name: str) -> EvalRun:
    """Return a run of one case that passes."""
    result = CaseResult(case_id="case_1", content_hash="0", category="total", state=ResultState.pass_, score=1.0)
    return EvalRun(run_id=name, suite="all", version="candidate", started_at=NOW, finished_at=NOW, results=(result,))


def certificate_of(change: Change, run: EvalRun) -> Certificate:
    """Return a granted certificate of *change*."""
    draft = Certificate(
        certificate_id="certificate_1",
        change_id=change.change_id,
        before_run_id="run_before",
        after_run_id=run.run_id,
        targets=("case_1", "case_2"),
        mended=("case_1",),
        worse=(),
        checks=(CertificateCheck(name="targets_mended", held=True, detail="1 of 2 targets pass now"),),
        protected={"naoshi.toml": "0" * 64},
        granted=True,
        digest="",
        made_at=NOW,
    )
    return draft.model_copy(update={"digest": draft.computed_digest})


def verdict_of(run: EvalRun, outcome: VerdictOutcome = VerdictOutcome.pass_) -> Verdict:
    """Return what the gate says of *run*."""
    category = CategoryVerdict(category="total", cases=3, baseline_rate=0.5, candidate_rate=1.0, fail_share=0.0,
                               outcome=outcome)  # fmt: skip
    return Verdict(verdict_id="verdict_1", outcome=outcome, candidate_run_id=run.run_id, baseline_run_id="run_before",
                   policy="default", reasons=("better in total",), categories=(category,), decided_at=NOW)  # fmt: skip


def make_reviewed_change(folder: Path) -> ReviewedChange:
    """Make the repository below *folder*, by copying one that was made before where there is one."""
    first = _first()
    shutil.copytree(first.git.folder, folder / "agent", symlinks=True)
    return replace(first, git=Git(folder=folder / "agent"), store=MemoryStore())


@cache
def _first() -> ReviewedChange:
    scratch = TemporaryDirectory(prefix="naoshi-reviewed-")
    atexit.register(scratch.cleanup)
    return _made(Path(scratch.name))


def _made(folder: Path) -> ReviewedChange:
    place = folder / "agent"
    (place / "harness").mkdir(parents=True)
    (place / "harness" / "labels.json").write_text('["TOTAL"]\n', encoding="utf-8")
    (place / "naoshi.toml").write_text("[gate]\n", encoding="utf-8")
    git = Git(folder=place)
    git("init", "--quiet", "--initial-branch=main")
    base = git.commit("first", paths=["."], when=NOW)
    assert base is not None
    changed_text = '["TOTAL", "AMOUNT DUE"]\n'
    git("checkout", "--quiet", "-b", "naoshi/change/change_1")
    (place / "harness" / "labels.json").write_text(changed_text, encoding="utf-8")
    (place / "harness" / "patterns.json").write_text("[]\n", encoding="utf-8")
    commit = git.commit("fix(harness): a label", paths=["."], when=NOW)
    git("checkout", "--quiet", "main")
    assert commit is not None
    change = Change(
        change_id="change_1",
        handoff_id="handoff_1",
        attempt=1,
        coding_agent="command",
        base_version="v0",
        base_commit=base,
        commit=commit,
        tree=git("rev-parse", f"{commit}^{{tree}}"),
        branch="naoshi/change/change_1",
        files=("harness/labels.json", "harness/patterns.json"),
        diff=git.diff(base, commit),
        made_at=NOW,
    )
    run = run_named("run_after")
    certificate, verdict = certificate_of(change, run), verdict_of(run)
    review = Review(
        review_id="review_1",
        change_id=change.change_id,
        certificate_id=certificate.certificate_id,
        verdict_id=verdict.verdict_id,
        decision=ReviewDecision.approved,
        reviewer="hanako",
        decided_at=NOW,
    )
    return ReviewedChange(git=git, store=MemoryStore(), base=base, change=change, certificate=certificate,
                          verdict=verdict, review=review, run=run, changed_text=changed_text)  # fmt: skip
