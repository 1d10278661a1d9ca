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
    """Let the coding agent try until a change is certified, at most as often as the settings say.

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
        failures = judgement.failures if judgement is not None else outcome.failures
        if outcome.final or not failures:
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
    """Return the granted change that mends the most and breaks the least, the earlier one where they are equal."""
    granted = [(change, judgement) for change, judgement in judgements if judgement.certificate.granted]
    if not granted:
        return None
    change, judgement = max(
        granted,
        key=lambda pair: (
            len(pair[1].certificate.mended) - len(pair[1].certificate.worse),
            -len(pair[1].certificate.worse),
            -pair[0].attempt,
        ),
    )
    return Granted(change=change, certificate=judgement.certificate, run=judgement.run)
