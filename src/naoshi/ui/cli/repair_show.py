"""Diagnosis, handoff and repair, made and shown to people."""

import shlex
from collections.abc import Sequence
from dataclasses import replace

from naoshi.errors import ConfigError, RefusedError
from naoshi.flow.attempting import repair
from naoshi.flow.left_to_people import left_groups
from naoshi.flow.loop import Loop
from naoshi.flow.masking import handed_out_lines
from naoshi.flow.present_run import present_run
from naoshi.flow.repairs import interrupted_repair
from naoshi.flow.steps.diagnose import (
    cases_to_mend,
    diagnose,
    failing_cases,
    kept_diagnosis,
    present_diagnosis,
    seen_cases,
)
from naoshi.flow.steps.repair import coding_agent, hand_off, write_handoff
from naoshi.flow.versions import main_branch
from naoshi.records import Diagnosis, EvalCase, EvalRun
from naoshi.repair.handoff_file import render_handoff
from naoshi.repair.make_change import Base
from naoshi.repair.remove_branches import BRANCHES
from naoshi.repair.settings import Engine
from naoshi.repair.task import build_task, render_task
from naoshi.system.files import inside, write_durably
from naoshi.ui.cli.attempts_show import told_left
from naoshi.ui.cli.output import Output, counted, one_line


def diagnose_and_show(loop: Loop, out: Output) -> Diagnosis:
    """Diagnose the last run of the version in force, and show causes and recommendations.

    Raises:
        NotFoundError: it was not run yet on the cases as they are.
        RefusedError: no case that the coding agent may see fails.
    """
    run = present_run(loop)
    _require_failures(run, seen_cases(loop))
    found = diagnose(loop, run, version=run.version)
    out.say(f"diagnosis {found.diagnosis_id} of {found.agent_version}: {counted(len(found.groups), 'group')}")
    for item in found.recommendations:
        shares = f"impact {item.impact:.0%}, confidence {item.confidence:.0%}"
        out.say(f"{item.rank:>3}. {item.title}  ({item.layer.value}, {item.cause.value}; {shares})")
        out.say(f"     {one_line(item.statement, most=300)}")
    for struck in found.struck:
        out.say(f"struck: a citation of {struck.recommendation_id}: {one_line(struck.reason)}")
    out.say(*(told_left(item) for item in left_groups(loop)))
    if found.dropped:
        out.say(f"dropped, since no evidence was left: {counted(len(found.dropped), 'recommendation')}")
    return found


def with_engine(loop: Loop, engine: Engine | None, **halo: object) -> Loop:
    """Return *loop* with another engine of diagnosis (None: as set), and those settings of HALO that are not empty."""
    repair = loop.settings.repair
    if engine is not None:
        repair = repair.model_copy(update={"engine": engine})
    if given := {name: value for name, value in halo.items() if value}:
        repair = repair.model_copy(update={"halo": repair.halo.model_copy(update=given)})
    return replace(loop, settings=loop.settings.model_copy(update={"repair": repair}))


def with_search(loop: Loop, *, use: bool) -> Loop:
    """Return *loop* with the prompt search in place of the coding agent, or without it."""
    repair = loop.settings.repair
    repair = repair.model_copy(update={"gepa": repair.gepa.model_copy(update={"use": use})})
    return replace(loop, settings=loop.settings.model_copy(update={"repair": repair}))


def hand_off_and_show(loop: Loop, out: Output) -> None:
    """Write the handoff, the task and the cited traces into the repository.

    Raises:
        NotFoundError: the version in force was not run yet on the cases as they are.
        RefusedError: no case that the coding agent may see fails.
    """
    run = present_run(loop)
    cases = seen_cases(loop)
    _require_failures(run, cases)
    made = hand_off(loop, present_diagnosis(loop, run, version=run.version), run)
    paths = write_handoff(loop, made, loop.git.folder)
    for cited in made.traces:
        trace = loop.store.traces.get(cited.trace_id)
        if trace is not None:
            lines = handed_out_lines(loop, [trace])
            write_durably(inside(loop.git.folder, cited.path), lines[trace.trace_id])
    out.say(
        *(f"wrote {path}" for path in paths),
        f"{counted(len(made.cases), 'failing case')}, {len(made.confirmed)} that pass and must go on passing, "
        f"{counted(len(made.traces), 'trace')} in .naoshi/",
        "They are for a coding agent and need not be committed: `naoshi repair` hands out fresh ones.",
    )
    out.result({"written": [str(path) for path in paths], "handoff": made})


def dry_run_and_show(loop: Loop, out: Output) -> None:
    """Show what a repair would hand to which command, and the branch that it would make. Nothing is run or kept.

    Raises:
        NotFoundError: the version in force was not run yet on the cases as they are.
        RefusedError: no case that the coding agent may see fails, or what fails needs a person.
    """
    run, settings = present_run(loop), loop.settings.repair
    cases = _mendable(loop, run)
    main = main_branch(loop)
    base = Base(version=run.version, commit=loop.git.commit_of(f"refs/heads/{main}"))
    stopped = interrupted_repair(loop, run, base)
    made = hand_off(
        loop,
        _diagnosis_unasked(loop, run, cases, out),
        run,
        cases=cases,
        attempt=len(stopped.attempts) + 1 if stopped is not None else 1,
        failures=stopped.failures if stopped is not None else (),
        keep=False,
    )
    task = render_task(build_task(made, protected=settings.protected, allow_worse=settings.allow_worse))
    text = render_handoff(made, listed=settings.budget.listed, layout=settings.layout)
    out.say("── codex_handoff.md", text, "── task.md", task, "── command (not started)")
    try:
        command = coding_agent(loop, starting=False).command_line()
        out.say(shlex.join(command))
    except ConfigError as error:
        command = ()
        out.say(f"none: {error.message}; {error.advice}")
    branch = f"{BRANCHES.removeprefix('refs/heads/')}<named by its content>"
    out.say("── branch (not made)", f"{branch}, one commit on {main} at {base.commit[:12]}")
    out.result({"codex_handoff": text, "task": task, "command": command, "branch": branch, "base_commit": base.commit})


def _diagnosis_unasked(loop: Loop, run: EvalRun, cases: Sequence[EvalCase], out: Output) -> Diagnosis:
    """Return a diagnosis without asking a model: the one that it gave before, or else what counting finds."""
    known = kept_diagnosis(loop, run, version=run.version, cases=cases)
    if known is not None:
        return known
    if (engine := loop.settings.repair.engine) != "evidence":
        out.progress(f"the engine {engine} is not asked now; its diagnosis may differ from this one")
    return diagnose(with_engine(loop, "evidence"), run, version=run.version, cases=cases, keep=False)


def repair_and_show(loop: Loop, out: Output) -> int:
    """Let the coding agent try, and show each attempt; return 1 when no change was certified.

    Raises:
        ConfigError: no coding agent is configured.
        NotFoundError: the version in force was not run yet on the cases as they are.
        RefusedError: no case that the coding agent may see fails.
    """
    coding_agent(loop, starting=False)
    run = present_run(loop)
    cases = _mendable(loop, run)
    done = repair(loop, present_diagnosis(loop, run, version=run.version, cases=cases), run)
    change, certificate = done.change, done.certificate
    if change is None or certificate is None:
        reasons = dict.fromkeys(reason for attempt in done.attempts for reason in attempt.failures)
        out.say(f"no change was certified in {counted(len(done.attempts), 'attempt')}:")
        out.say(*(f"  {one_line(reason, most=300)}" for reason in reasons))
        out.say("the groups need a person now: naoshi attempts")
    else:
        out.say(
            f"change {change.change_id}: {', '.join(change.files)}",
            f"certified: mends {len(certificate.mended)} of {counted(len(certificate.targets), 'target case')}, "
            f"{len(certificate.worse)} got worse",
            f"to look at it: git diff {change.base_commit[:12]} {change.commit[:12]}",
            f"to prove it again: naoshi certificate verify {certificate.certificate_id} --rerun",
            "next: naoshi gate, then naoshi review",
        )
    out.result(done)
    return 0 if change is not None else 1


def _mendable(loop: Loop, run: EvalRun) -> tuple[EvalCase, ...]:
    """Return the cases of a repair, some of which fail.

    Raises:
        RefusedError: none of them does.
    """
    cases = cases_to_mend(loop, run)
    left = left_groups(loop)
    if left and not failing_cases(run, cases):
        names = ", ".join(item.name for item in left[:3])
        raise RefusedError(
            f"what still fails needs a person: {names}",
            hint="look at `naoshi attempts`, and have a group tried again with `naoshi attempts --again GROUP`",
        )
    _require_failures(run, cases)
    return cases


def _require_failures(run: EvalRun, cases: Sequence[EvalCase]) -> None:
    if not failing_cases(run, cases):
        raise RefusedError(
            "there is nothing to mend: every case that the coding agent may see passes",
            hint="bring in new traces and corrections first",
        )
