"""A repair outside a cycle: attempts until a change is certified, each told why the one before failed."""

from dataclasses import dataclass

from naoshi.flow.loop import Loop
from naoshi.flow.steps.repair import hand_off, judge, make
from naoshi.flow.versions import main_branch
from naoshi.records import Attempt, Certificate, Change, Diagnosis, EvalRun
from naoshi.repair.attempts import attempt_record
from naoshi.repair.make_change import Base


@dataclass(frozen=True, kw_only=True)
class Repaired:
    """The attempts, and the change and certificate of the one that was certified (None: none was)."""

    attempts: tuple[Attempt, ...]
    change: Change | None
    certificate: Certificate | None


def repair(loop: Loop, diagnosis: Diagnosis, run: EvalRun) -> Repaired:
    """Let the coding agent try until a change is certified, at most as often as the settings say.

    Raises:
        ConfigError: no coding agent is configured.
        RepositoryError: git cannot do its part.
    """
    base = Base(version=run.version, commit=loop.git.commit_of(f"refs/heads/{main_branch(loop)}"))
    attempts: list[Attempt] = []
    failures: tuple[str, ...] = ()
    for number in range(1, loop.settings.repair.attempts + 1):
        handoff = hand_off(loop, diagnosis, run, attempt=number, failures=failures)
        loop.report(f"attempt {number}: {len(handoff.cases)} failing cases handed to the coding agent")
        outcome = make(loop, handoff, base=base)
        judgement = judge(loop, outcome.change, handoff, run) if outcome.change is not None else None
        attempt = attempt_record(handoff, outcome, judgement, now=loop.clock())
        loop.store.attempts.put(attempt)
        attempts.append(attempt)
        if judgement is not None and judgement.certificate.granted:
            return Repaired(attempts=tuple(attempts), change=outcome.change, certificate=judgement.certificate)
        for reason in attempt.failures[:3]:
            loop.report(f"attempt {number} failed: {reason}")
        failures = judgement.failures if judgement is not None else outcome.failures
        if outcome.final:
            break
    return Repaired(attempts=tuple(attempts), change=None, certificate=None)
