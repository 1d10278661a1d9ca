"""The attempts of a repair: at most three, each told why the one before failed; the best certified one is returned."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from naoshi.errors import InputError
from naoshi.records import Attempt, Certificate, Change, EvalRun, Handoff, Split, content_id
from naoshi.repair.coding_agents.base import CodingAgent
from naoshi.repair.judge_change import AskAgain, Evaluate, Judgement, judge_change
from naoshi.repair.make_change import Base, ChangeOutcome, RepairEvidence, make_change
from naoshi.repair.settings import RepairSettings
from naoshi.repair.workspace import clear_leftovers
from naoshi.system.git import Git

_NAMED = 50

HandoffFor = Callable[[int, Sequence[str]], Handoff]
"""Returns the handoff of an attempt (from 1), given what the attempts before failed on."""


@dataclass(frozen=True, kw_only=True)
class Granted:
    """A change whose certificate was granted, with the run that it stands on."""

    change: Change
    certificate: Certificate
    run: EvalRun


@dataclass(frozen=True, kw_only=True)
class RepairOutcome:
    """All attempts of a repair and the best granted change; without one, ``reasons`` say why none was granted."""

    attempts: tuple[Attempt, ...]
    changes: tuple[Change, ...]
    certificates: tuple[Certificate, ...]
    best: Granted | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Workshop:
    """Where and with what a repair works. ``clock`` returns the present time (aware, UTC).

    With ``ask`` some of what a changed agent answers right is asked again, to see that it is not only remembered.
    """

    git: Git
    agent: CodingAgent
    settings: RepairSettings
    worktrees: Path
    evaluate: Evaluate
    clock: Callable[[], datetime]
    ask: AskAgain | None = None


def repair(
    workshop: Workshop,
    *,
    base: Base,
    before: EvalRun,
    evidence: RepairEvidence,
    handoff_for: HandoffFor,
    on_attempt: Callable[[Attempt], None] | None = None,
) -> RepairOutcome:
    """Let the coding agent try until enough changes are certified, at most as often as the settings say.

    *before* is the run of the base on all diagnose and validate cases of *evidence*. *on_attempt* hears of each attempt
    when it has ended. Folders that a killed repair left are removed first.

    Raises:
        RepositoryError: git cannot do its part.
    """
    clear_leftovers(workshop.worktrees)
    attempts: list[Attempt] = []
    changes: list[Change] = []
    judgements: list[tuple[Change, Judgement]] = []
    failures: tuple[str, ...] = ()
    for number in range(1, workshop.settings.attempts + 1):
        handoff = handoff_for(number, failures)
        outcome, judgement = try_once(workshop, handoff, base=base, before=before, evidence=evidence)
        attempt = attempt_record(handoff, outcome, judgement, now=workshop.clock())
        attempts.append(attempt)
        if on_attempt is not None:
            on_attempt(attempt)
        if outcome.change is not None and judgement is not None:
            changes.append(outcome.change)
            judgements.append((outcome.change, judgement))
        failures = told_next(outcome, judgement)
        granted = [item.certificate for _, item in judgements if item.certificate.granted]
        if outcome.final or is_enough(granted, best_of=workshop.settings.best_of):
            break
    best = best_granted(judgements)
    reasons = () if best is not None else tuple(dict.fromkeys(line for item in attempts for line in item.failures))
    return RepairOutcome(
        attempts=tuple(attempts),
        changes=tuple(changes),
        certificates=tuple(judgement.certificate for _, judgement in judgements),
        best=best,
        reasons=reasons,
    )


def try_once(
    workshop: Workshop, handoff: Handoff, *, base: Base, before: EvalRun, evidence: RepairEvidence
) -> tuple[ChangeOutcome, Judgement | None]:
    """Make one change and judge it; there is no judgement where there is no change.

    Raises:
        RepositoryError: git cannot do its part.
        InputError: *before* does not have every case that the change is judged by.
    """
    judged = [case for case in evidence.cases if case.split is not Split.holdout]
    known = {result.case_id for result in before.results}
    if missing := [case.case_id for case in judged if case.case_id not in known]:
        raise InputError(f"the run of the present version lacks {len(missing)} cases, {missing[0]} first")
    outcome = make_change(
        workshop.git,
        handoff,
        base=base,
        agent=workshop.agent,
        evidence=evidence,
        settings=workshop.settings,
        worktrees=workshop.worktrees,
        now=workshop.clock(),
    )
    if outcome.change is None:
        return outcome, None
    return outcome, judge_change(
        workshop.git,
        outcome.change,
        targets=[case.case_id for case in handoff.cases],
        before=before,
        cases=judged,
        evaluate=workshop.evaluate,
        settings=workshop.settings,
        worktrees=workshop.worktrees,
        now=workshop.clock(),
        ask=workshop.ask,
        data_root=evidence.data_root,
    )


def told_next(outcome: ChangeOutcome, judgement: Judgement | None) -> tuple[str, ...]:
    """Return what the attempt after this one is told of it."""
    if judgement is None:
        return outcome.failures
    return failures_left(judgement.certificate) if judgement.certificate.granted else judgement.failures


def attempt_record(handoff: Handoff, outcome: ChangeOutcome, judgement: Judgement | None, *, now: datetime) -> Attempt:
    """Return the record of one attempt; ``failures`` has what people may read of why it failed."""
    return Attempt(
        attempt_id=content_id("attempt", handoff.handoff_id, handoff.attempt),
        handoff_id=handoff.handoff_id,
        number=handoff.attempt,
        change_id=outcome.change.change_id if outcome.change is not None else None,
        certificate_id=judgement.certificate.certificate_id if judgement is not None else None,
        failures=judgement.failures if judgement is not None else outcome.reasons,
        log=outcome.log,
        ended_at=now,
    )


def best_granted(judgements: Sequence[tuple[Change, Judgement]]) -> Granted | None:
    """Return the granted change that is the best of *judgements*, or None where none is granted."""
    granted = {
        judgement.certificate.certificate_id: Granted(
            change=change, certificate=judgement.certificate, run=judgement.run
        )
        for change, judgement in judgements
        if judgement.certificate.granted
    }
    best = best_certified([(item.change, item.certificate) for item in granted.values()])
    return granted[best[1].certificate_id] if best is not None else None


def best_certified(certified: Sequence[tuple[Change, Certificate]]) -> tuple[Change, Certificate] | None:
    """Return the pair that mends the most and breaks the least, then the smaller diff, then the earlier attempt."""
    return max(certified, key=_worth, default=None)


def needs_no_better(certificate: Certificate) -> bool:
    """Return whether *certificate* is granted to a change that mends all its targets and makes nothing worse."""
    return certificate.granted and not certificate.worse and set(certificate.mended) == set(certificate.targets)


def is_enough(certified: Sequence[Certificate], *, best_of: int) -> bool:
    """Return whether the granted certificates *certified* end a repair that chooses the best of *best_of*."""
    return len(certified) >= best_of or any(needs_no_better(item) for item in certified)


def failures_left(certificate: Certificate) -> tuple[str, ...]:
    """Return what the next attempt is told of a change that was certified and may not be the best.

    Only targets are named, which are of the diagnose split, and how many cases are worse.
    """
    left = [name for name in certificate.targets if name not in certificate.mended]
    told = [f"certified, but a better change is looked for: {len(certificate.mended)} of "
            f"{len(certificate.targets)} targets are mended"]  # fmt: skip
    if left:
        more = f" and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
        told.append(f"still failing: {', '.join(left[:_NAMED])}{more}")
    if certificate.worse:
        told.append(f"worse: {len(certificate.worse)} cases")
    return tuple(told)


def changed_lines(diff: str) -> int:
    """Return how many lines the unified *diff* adds and removes."""
    return sum(
        line.startswith(("+", "-")) and not line.startswith(("+++ ", "--- ")) for line in diff.splitlines()
    )  # fmt: skip


def _worth(pair: tuple[Change, Certificate]) -> tuple[int, ...]:
    change, certificate = pair
    gained = len(certificate.mended) - len(certificate.worse)
    return gained, -len(certificate.worse), -changed_lines(change.diff), -change.attempt
