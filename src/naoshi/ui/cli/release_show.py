"""Release, rollback and ledger, done and shown to people."""

from naoshi.errors import LedgerError, NotFoundError, RefusedError
from naoshi.flow.certified import CertifiedChange, certified_change, certified_changes
from naoshi.flow.loop import Loop
from naoshi.flow.rolling_back import roll_back
from naoshi.flow.steps.release import release
from naoshi.records import ResultState, ReviewDecision
from naoshi.release.ledger import verify_ledger
from naoshi.ui.cli.output import Output, counted, one_line
from naoshi.ui.cli.session import actor_of


def release_and_show(loop: Loop, out: Output, *, change: str) -> None:
    """Release the change called *change*, or the latest one that was approved and is not out yet.

    Raises:
        NotFoundError: there is no certified change, or nobody has reviewed it.
        ChangeRefusedError: something does not allow it.
        DirtyRepositoryError: the work tree has uncommitted changes.
    """
    candidate = _candidate(loop, change)
    if candidate.review is None:
        told = f"nobody has reviewed change {candidate.change.change_id}"
        raise NotFoundError(told, hint="have it reviewed with `naoshi review`")
    if candidate.release is not None:
        raise RefusedError(f"change {candidate.change.change_id} is released as {candidate.release.version} already",
                           hint="nothing was changed")  # fmt: skip
    done = release(loop, candidate.review)
    moved = "the baseline moves" if done.baseline_moved else "the baseline stays"
    out.say(f"released {done.version} (tag naoshi/{done.version}, commit {done.commit[:12]})")
    out.say(f"{moved}: {done.reason}")
    out.result(done)


def _candidate(loop: Loop, name: str) -> CertifiedChange:
    waiting = [item for item in certified_changes(loop) if item.waits_for_release]
    approved = [item for item in waiting if item.review and item.review.decision is ReviewDecision.approved]
    return certified_change(loop, name) if name or not approved else approved[-1]


def roll_back_and_show(loop: Loop, out: Output, *, name: str, reason: str, by: str) -> None:
    """Go back to the version called *name*, or to the best one.

    Raises:
        NotFoundError: there is no such version, or none has been run.
        RefusedError: that version is in force already.
        DirtyRepositoryError: the work tree has uncommitted changes.
    """
    done = roll_back(loop, name, actor=actor_of(loop, by), reason=reason)
    counts = done.run.case_counts()
    out.say(
        f"{done.version.name} restores the harness of {done.version.restores} (commit {done.version.commit[:12]})",
        f"{counts[ResultState.pass_]} of {counted(sum(counts.values()), 'case')} pass on it; the baseline stays",
    )
    out.result(done)


def show_ledger(loop: Loop, out: Output) -> None:
    """Show every entry, oldest first."""
    entries = loop.store.ledger.entries()
    if not entries:
        out.say("nothing has been decided yet")
    else:
        out.table(
            ("no.", "when", "what", "who", "subject", "digest"),
            [
                (
                    item.sequence,
                    item.at.strftime("%Y-%m-%d %H:%M:%SZ"),
                    item.kind,
                    one_line(item.actor, most=24),
                    one_line(item.subject, most=40),
                    item.digest[:12],
                )
                for item in entries
            ],
        )
    out.result({"entries": entries})


def verify_and_show(loop: Loop, out: Output, *, at_least: int) -> None:
    """Check the chain.

    Raises:
        LedgerError: it does not hold; the first broken entry is named.
    """
    entries = loop.store.ledger.entries()
    faults = verify_ledger(entries, known_count=at_least)
    if faults:
        raise LedgerError(faults[0])
    head = entries[-1].digest if entries else None
    out.say(f"the ledger holds: {len(entries)} entries" + (f", the last one {head[:12]}" if head else ""))
    out.result({"holds": True, "entries": len(entries), "head": head})
