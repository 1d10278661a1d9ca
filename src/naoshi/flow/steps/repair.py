"""From the diagnosis to a change that is proven: what one attempt is made of."""

import os
from collections.abc import Sequence
from pathlib import Path

from naoshi.errors import ConfigError
from naoshi.flow.agent_trace import keep_agent_trace, told_event
from naoshi.flow.judging import Judging
from naoshi.flow.loop import Loop
from naoshi.flow.masking import handed_out, handed_out_lines
from naoshi.flow.prompt_searching import idle_prompt_search, prompt_search
from naoshi.flow.quarantine import SetAside
from naoshi.flow.steps.diagnose import seen_cases, seen_corrections, seen_traces
from naoshi.flow.suites import holdout_path, judged_cases, of_split
from naoshi.records import Change, Diagnosis, EvalCase, EvalRun, Handoff, Split
from naoshi.repair.coding_agents.base import CodingAgent
from naoshi.repair.coding_agents.open_agent import open_coding_agent
from naoshi.repair.handoff import build_handoff
from naoshi.repair.handoff_file import render_handoff
from naoshi.repair.judge_change import Judgement, judge_change
from naoshi.repair.make_change import Base, ChangeOutcome, RepairEvidence, make_change
from naoshi.repair.task import build_task, render_task
from naoshi.system.files import write_durably


def hand_off(
    loop: Loop,
    diagnosis: Diagnosis,
    run: EvalRun,
    *,
    cases: Sequence[EvalCase] | None = None,
    attempt: int = 1,
    failures: tuple[str, ...] = (),
    keep: bool = True,
) -> Handoff:
    """Build the handoff of *diagnosis* from *cases*, and keep it in the store if *keep*.

    Without *cases* it has all that a coding agent may see.
    """
    cases = seen_cases(loop) if cases is None else cases
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
        mask=handed_out(loop),
    )
    if keep:
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
    cited = {item.trace_id for item in handoff.traces}
    traces = seen_traces(loop, of_split(cases, Split.diagnose))
    lines = handed_out_lines(loop, [trace for trace in traces if trace.trace_id in cited])
    masking = handed_out(loop)
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
        guarded=[holdout_path(loop)],
        on_event=lambda event: loop.report(told_event(event, masking=masking)),
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
        guarded=judging.guarded,
        settings=loop.settings.repair,
        worktrees=loop.worktrees,
        now=loop.clock(),
    )
    with loop.store.transaction():
        loop.store.runs.put(judgement.run)
        loop.store.certificates.put(judgement.certificate)
    return judgement
