"""From the diagnosis to a change that is proven, in at most three attempts."""

import os
from collections.abc import Sequence
from pathlib import Path

from naoshi.capture.redaction import redact, redact_text
from naoshi.capture.trace_export import trace_to_lines
from naoshi.errors import ConfigError
from naoshi.flow.agent_trace import keep_agent_trace, told_event
from naoshi.flow.judging import Judging
from naoshi.flow.loop import Loop
from naoshi.flow.prompt_searching import idle_prompt_search, prompt_search
from naoshi.flow.quarantine import SetAside
from naoshi.flow.required import require
from naoshi.flow.steps.diagnose import seen_corrections, seen_traces
from naoshi.flow.steps.ending import ended
from naoshi.flow.suites import judged_cases, of_split
from naoshi.records import (
    Attempt,
    Change,
    Cycle,
    CycleState,
    Diagnosis,
    EvalCase,
    EvalRun,
    Handoff,
    Split,
    content_id,
)
from naoshi.repair.coding_agents.base import CodingAgent
from naoshi.repair.coding_agents.open_agent import open_coding_agent
from naoshi.repair.handoff import build_handoff
from naoshi.repair.handoff_file import render_handoff
from naoshi.repair.judge_change import Judgement, judge_change
from naoshi.repair.make_change import Base, ChangeOutcome, RepairEvidence, make_change
from naoshi.repair.task import build_task, render_task
from naoshi.system.files import write_durably


def hand_off(
    loop: Loop, diagnosis: Diagnosis, run: EvalRun, *, attempt: int = 1, failures: tuple[str, ...] = ()
) -> Handoff:
    """Build the handoff of *diagnosis* from the cases of the diagnose split, and keep it in the store."""
    cases = of_split(SetAside.of(loop).deciding(judged_cases(loop)), Split.diagnose)
    repair = loop.settings.repair
    handoff = build_handoff(
        diagnosis,
        cases=cases,
        run=run,
        corrections=seen_corrections(loop, cases),
        traces=seen_traces(loop, cases),
        editable=repair.editable,
        attempt=attempt,
        previous_failures=failures,
        every_case=repair.every_case,
        budget=repair.budget,
        layout=repair.layout,
        mask=redact,
    )
    loop.store.handoffs.put(handoff)
    return handoff


def write_handoff(loop: Loop, handoff: Handoff, folder: Path) -> tuple[Path, Path]:
    """Write ``codex_handoff.md`` and ``task.md`` into *folder* and return their paths."""
    repair = loop.settings.repair
    task = build_task(handoff, protected=repair.protected, allow_worse=repair.allow_worse)
    paths = (folder / "codex_handoff.md", folder / "task.md")
    write_durably(paths[0], render_handoff(handoff, listed=repair.budget.listed, layout=repair.layout))
    write_durably(paths[1], render_task(task))
    return paths


def make(loop: Loop, handoff: Handoff, *, base: Base) -> ChangeOutcome:
    """Let the coding agent answer *handoff*; a change is kept in the store.

    Raises:
        ConfigError: no coding agent is configured.
        MissingProgramError: it, or the sandbox that is required, is not on this machine.
        CodingAgentError: it may not ask its model, or not now. The same handoff can be worked on again.
        RepositoryError: git cannot do its part.
    """
    repair = loop.settings.repair
    cases = judged_cases(loop)
    if repair.gepa.use:
        with prompt_search(loop, base) as searcher:
            return _made(loop, handoff, base, searcher, cases)
    return _made(loop, handoff, base, coding_agent(loop), cases)


def _made(
    loop: Loop, handoff: Handoff, base: Base, agent: CodingAgent, cases: Sequence[EvalCase]
) -> ChangeOutcome:  # fmt: skip
    repair = loop.settings.repair
    lines = {
        trace.trace_id: "".join(f"{line}\n" for line in trace_to_lines(trace))
        for trace in seen_traces(loop, of_split(cases, Split.diagnose))
    }
    evidence = RepairEvidence(cases=cases, trace_lines=lines, fields=loop.settings.fields, data_root=loop.data_root)
    outcome = make_change(
        loop.git,
        handoff,
        base=base,
        agent=agent,
        evidence=evidence,
        settings=repair,
        worktrees=loop.worktrees,
        now=loop.clock(),
        on_event=lambda event: loop.report(told_event(event)),
    )
    keep_agent_trace(loop, handoff, agent.name, outcome.work)
    if outcome.final and outcome.error is not None:
        raise outcome.error
    if outcome.change is not None:
        loop.store.changes.put(outcome.change)
    return outcome


def coding_agent(loop: Loop, *, starting: bool = True) -> CodingAgent:
    """Return the coding agent of the settings; with *starting* false only to tell its command.

    Raises:
        ConfigError: none is configured.
        MissingSandboxError: the sandbox that is required cannot be had.
    """
    repair = loop.settings.repair
    if repair.gepa.use and not starting:
        return idle_prompt_search(loop)
    if repair.agent == "command" and not repair.command:
        raise ConfigError("no coding agent is configured", hint="write `agent` or `command` under [repair]")
    return open_coding_agent(repair, environment=os.environ, report=loop.report, starting=starting)


def judge(loop: Loop, change: Change, handoff: Handoff, before: EvalRun, *, once: str = "") -> Judgement:
    """Run all cases on *change* and keep the certificate, granted or not, and the run.

    A case in quarantine is run as all others are, and has no say in the certificate. *once* names the step that asks.

    Raises:
        HoldoutBudgetError: the holdout was asked often enough.
        MissingSandboxError: a sandbox is required for judging and cannot be had.
    """
    cases, judging = judged_cases(loop), Judging.of(loop)
    version = f"{change.base_version}+{change.commit[:12]}"
    judgement = judge_change(
        loop.git,
        change,
        targets=[case.case_id for case in handoff.cases],
        before=before,
        cases=SetAside.of(loop).deciding(cases),
        evaluate=lambda folder, commit: judging.evaluate(
            folder,
            commit,
            version=version,
            cases=cases,
            why=f"the certificate of change {change.change_id}",
            once=once,
        ),
        ask=lambda folder, commit, some, data_root: judging.ask(folder, commit, some, data_root, version=version),
        data_root=loop.data_root,
        judged_in=judging.place.told(),
        settings=loop.settings.repair,
        worktrees=loop.worktrees,
        now=loop.clock(),
    )
    with loop.store.transaction():
        loop.store.runs.put(judgement.run)
        loop.store.certificates.put(judgement.certificate)
    return judgement


def hand_off_step(loop: Loop, cycle: Cycle) -> Cycle:
    """Write the handoff of this attempt."""
    diagnosis = require(loop.store.diagnoses, cycle.diagnosis_id)
    run = require(loop.store.runs, cycle.before_run_id)
    handoff = hand_off(loop, diagnosis, run, attempt=cycle.attempt, failures=cycle.failures)
    folder = loop.state / "handoffs" / f"cycle-{cycle.number}-attempt-{cycle.attempt}"
    write_handoff(loop, handoff, folder)
    loop.report(f"handoff {cycle.attempt}: {len(handoff.cases)} failing cases, {len(handoff.confirmed)} to keep")
    return cycle.model_copy(update={"stage": "repair", "handoff_id": handoff.handoff_id})


def repair_step(loop: Loop, cycle: Cycle) -> Cycle:
    """Let the coding agent make its change."""
    handoff = require(loop.store.handoffs, cycle.handoff_id)
    outcome = make(loop, handoff, base=Base(version=cycle.base_version, commit=cycle.base_commit))
    if outcome.change is None:
        return next_attempt(
            loop, cycle, outcome.failures, reasons=outcome.reasons, log=outcome.log, final=outcome.final
        )
    loop.report(f"change {outcome.change.change_id}: {', '.join(outcome.change.files)}")
    return cycle.model_copy(update={"stage": "certify", "change_id": outcome.change.change_id})


def certify_step(loop: Loop, cycle: Cycle) -> Cycle:
    """Prove the change, or tell the next attempt why it cannot be proven."""
    change = require(loop.store.changes, cycle.change_id)
    handoff = require(loop.store.handoffs, cycle.handoff_id)
    before = require(loop.store.runs, cycle.before_run_id)
    judgement = judge(loop, change, handoff, before, once=f"{cycle.cycle_id}:certify:{cycle.attempt}")
    certificate = judgement.certificate
    told = f"mends {len(certificate.mended)} of {len(certificate.targets)}, worse {len(certificate.worse)}"
    loop.report(f"certificate {'granted' if certificate.granted else 'refused'}: {told}")
    found = {"certificate_id": certificate.certificate_id, "after_run_id": judgement.run.run_id}
    if not certificate.granted:
        return next_attempt(loop, cycle.model_copy(update=found), judgement.failures)
    return cycle.model_copy(update={"stage": "gate", **found})


def next_attempt(
    loop: Loop,
    cycle: Cycle,
    failures: tuple[str, ...],
    *,
    reasons: tuple[str, ...] | None = None,
    log: str = "",
    final: bool = False,
) -> Cycle:
    """Keep the failed attempt, and go on to the next one, told *failures*; after the last one the change is refused."""
    now = loop.clock()
    attempt = Attempt(
        attempt_id=content_id("attempt", cycle.cycle_id, cycle.attempt),
        handoff_id=cycle.handoff_id or "",
        number=cycle.attempt,
        change_id=cycle.change_id,
        certificate_id=cycle.certificate_id,
        failures=reasons or failures,
        log=redact_text(log),
        ended_at=now,
    )
    loop.store.attempts.put(attempt)
    for reason in attempt.failures[:3]:
        loop.report(f"attempt {cycle.attempt} failed: {reason}")
    if final or cycle.attempt >= loop.settings.repair.attempts:
        return ended(loop, cycle, CycleState.refused, *attempt.failures)
    fresh = {"change_id": None, "certificate_id": None, "after_run_id": None, "verdict_id": None}
    return cycle.model_copy(update={"stage": "handoff", "attempt": cycle.attempt + 1, "failures": failures, **fresh})
