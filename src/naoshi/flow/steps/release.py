"""An approved change becomes the version in force."""

from naoshi.errors import ChangeRefusedError
from naoshi.flow.evaluate import ALL_SPLITS
from naoshi.flow.loop import Loop
from naoshi.flow.quarantine import SetAside
from naoshi.flow.required import require
from naoshi.flow.steps.ending import ended
from naoshi.flow.steps.gate import baseline_run
from naoshi.flow.versions import main_branch
from naoshi.gate.baseline import baseline_moves
from naoshi.records import Cycle, CycleState, Release, Review
from naoshi.release.ship import BaselineMove, ship


def release(loop: Loop, review: Review) -> Release:
    """Release what *review* approved, and move the baseline by the rule.

    Raises:
        ChangeRefusedError: the review, certificate, verdict or branch does not allow it, or the run is not of all
            cases: the smoke suite never stands for them.
        DirtyRepositoryError: the work tree has uncommitted changes.
    """
    certificate = require(loop.store.certificates, review.certificate_id)
    run = require(loop.store.runs, certificate.after_run_id)
    if run.suite != ALL_SPLITS:
        told = f"the certificate stands on a run of the suite {run.suite!r}, not of all cases"
        raise ChangeRefusedError(told, hint="the smoke suite is for a quick look; certify with `naoshi repair`")
    aside, baseline = SetAside.of(loop), baseline_run(loop)
    moves, reason = baseline_moves(aside.without(run), aside.without(baseline) if baseline is not None else None)
    return ship(
        loop.git,
        loop.store,
        change=require(loop.store.changes, review.change_id),
        review=review,
        certificate=certificate,
        verdict=require(loop.store.verdicts, review.verdict_id),
        run=run,
        branch=main_branch(loop),
        baseline=BaselineMove(moves=moves, reason=reason),
        paths=loop.settings.repair.editable,
        now=loop.clock(),
    )


def release_step(loop: Loop, cycle: Cycle) -> Cycle:
    """Release the approved change, which ends the cycle."""
    done = release(loop, require(loop.store.reviews, cycle.review_id))
    moved = "the baseline moves" if done.baseline_moved else "the baseline stays"
    loop.report(f"released {done.version}; {moved}: {done.reason}")
    shipped = cycle.model_copy(update={"version": done.version, "release_id": done.release_id})
    return ended(loop, shipped, CycleState.released)
