"""Judging a change: the evals of the base, run on the changed agent, in a folder made from git's objects alone."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from naoshi.records import Certificate, Change, EvalCase, EvalRun, Handoff
from naoshi.repair.certificate import certify, failures_told
from naoshi.repair.protect import file_hashes, require_protected_kept
from naoshi.repair.settings import RepairSettings
from naoshi.repair.workspace import export_tree, held_folder
from naoshi.system.git import Git

Evaluate = Callable[[Path, str], EvalRun]
"""Runs the cases on the agent in a folder; the second argument is the commit whose files these are."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A certificate, granted or not, the run that it stands on, and what the next attempt may know of it."""

    certificate: Certificate
    run: EvalRun
    failures: tuple[str, ...]


def judge_change(
    git: Git,
    change: Change,
    *,
    handoff: Handoff,
    before: EvalRun,
    cases: Sequence[EvalCase],
    evaluate: Evaluate,
    settings: RepairSettings,
    worktrees: Path,
    now: datetime,
) -> Judgement:
    """Run the evals on *change* and return its certificate.

    The protected files are written from the base commit and hashed before the agent runs and after, so that neither
    the change nor the changed agent can have a say in them.

    Raises:
        ChangeRefusedError: the commit itself holds other protected files than its base.
        RepositoryError: git cannot do its part.
    """
    require_protected_kept(git, base=change.base_commit, commit=change.commit, protected=settings.protected)
    with held_folder(worktrees / f"{change.change_id}-judge") as folder:
        checkout = folder / "checkout"
        export_tree(git, change.commit, checkout, index=folder / "index", without=settings.protected)
        export_tree(git, change.base_commit, checkout, index=folder / "index", only=settings.protected)
        protected = file_hashes(checkout, settings.protected)
        run = evaluate(checkout, change.commit)
        protected_after = file_hashes(checkout, settings.protected)
    certificate = certify(
        change,
        cases=cases,
        before=before,
        after=run,
        targets=tuple(case.case_id for case in handoff.cases),
        protected=protected,
        protected_after=protected_after,
        allow_worse=settings.allow_worse,
        now=now,
    )
    told = failures_told(certificate, cases=cases, before=before, after=run)
    return Judgement(certificate=certificate, run=run, failures=told)
