"""Going back: which version is the best, and restoring it."""

from pathlib import Path

from naoshi.errors import RefusedError
from naoshi.flow.evaluate import ALL_SPLITS, evaluate_folder
from naoshi.flow.loop import Loop
from naoshi.flow.present_run import runs_by_version
from naoshi.flow.suites import judged_cases
from naoshi.flow.versions import main_branch, present_version
from naoshi.gate.baseline import best_version
from naoshi.records import EvalRun
from naoshi.release.rollback import RolledBack, rollback
from naoshi.release.versions import version_named


def roll_back(loop: Loop, name: str, *, actor: str, reason: str = "") -> RolledBack:
    """Restore the version called *name*, or the best one over common cases where it is empty, as a new version.

    Raises:
        NotFoundError: there is no such version, or none has been run.
        RefusedError: that version is in force already.
        DirtyRepositoryError: the work tree has uncommitted changes.
    """
    present = present_version(loop)
    version = version_named(loop.store, name or best_version(runs_by_version(loop)))
    if version.tree == present.tree:
        told = f"{version.name} is in force already" if name else f"{present.name}, in force now, is the best already"
        raise RefusedError(told, hint="nothing was changed; name another version")
    cases = judged_cases(loop)

    def evaluate(folder: Path, commit: str) -> EvalRun:
        label = f"{version.name}+{commit[:12]}"
        why = f"the roll-back to {version.name}"
        return evaluate_folder(loop, folder, version=label, cases=cases, suite=ALL_SPLITS, commit=commit, why=why)

    return rollback(
        loop.git,
        loop.store,
        to=version,
        branch=main_branch(loop),
        paths=loop.settings.repair.editable,
        evaluate=evaluate,
        worktrees=loop.worktrees,
        actor=actor,
        reason=reason,
        now=loop.clock(),
    )
