"""Diagnosis, handoff and repair, made and shown to people."""

import shlex
from dataclasses import replace

from naoshi.capture.trace_export import trace_to_lines
from naoshi.errors import ConfigError, RefusedError
from naoshi.flow.attempting import repair
from naoshi.flow.loop import Loop
from naoshi.flow.present_run import present_run
from naoshi.flow.quarantine import SetAside
from naoshi.flow.steps.diagnose import diagnose, failing_cases, present_diagnosis
from naoshi.flow.steps.repair import coding_agent, hand_off, write_handoff
from naoshi.flow.suites import judged_cases, of_split
from naoshi.records import Diagnosis, EvalRun, Handoff, Split
from naoshi.repair.handoff_file import render_handoff
from naoshi.repair.settings import Engine
from naoshi.repair.task import build_task, render_task
from naoshi.system.files import inside, write_durably
from naoshi.ui.cli.output import Output, counted, one_line


def diagnose_and_show(loop: Loop, out: Output) -> Diagnosis:
    """Diagnose the last run of the version in force, and show causes and recommendations.

    Raises:
        NotFoundError: it was not run yet on the cases as they are.
        RefusedError: no case that the coding agent may see fails.
    """
    run = present_run(loop)
    _require_failures(loop, run)
    found = diagnose(loop, run, version=run.version)
    out.say(f"diagnosis {found.diagnosis_id} of {found.agent_version}: {counted(len(found.groups), 'group')}")
    for item in found.recommendations:
        shares = f"impact {item.impact:.0%}, confidence {item.confidence:.0%}"
        out.say(f"{item.rank:>3}. {item.title}  ({item.layer.value}, {item.cause.value}; {shares})")
        out.say(f"     {one_line(item.statement, most=300)}")
    for struck in found.struck:
        out.say(f"struck: a citation of {struck.recommendation_id}: {one_line(struck.reason)}")
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
    made = _handoff(loop)
    paths = write_handoff(loop, made, loop.git.folder)
    for cited in made.traces:
        trace = loop.store.traces.get(cited.trace_id)
        if trace is not None:
            lines = "".join(f"{line}\n" for line in trace_to_lines(trace))
            write_durably(inside(loop.git.folder, cited.path), lines)
    out.say(
        *(f"wrote {path}" for path in paths),
        f"{counted(len(made.cases), 'failing case')}, {len(made.confirmed)} that pass and must go on passing, "
        f"{counted(len(made.traces), 'trace')} in .naoshi/",
        "They are for a coding agent and need not be committed: `naoshi repair` hands out fresh ones.",
    )
    out.result({"written": [str(path) for path in paths], "handoff": made})


def dry_run_and_show(loop: Loop, out: Output) -> None:
    """Show what a repair would hand to which command.

    Raises:
        NotFoundError: the version in force was not run yet on the cases as they are.
        RefusedError: no case that the coding agent may see fails.
    """
    made, settings = _handoff(loop), loop.settings.repair
    task = render_task(build_task(made, protected=settings.protected, allow_worse=settings.allow_worse))
    text = render_handoff(made, listed=settings.budget.listed, layout=settings.layout)
    out.say("── codex_handoff.md", text, "── task.md", task, "── command (not started)")
    try:
        command = coding_agent(loop, starting=False).command_line()
        out.say(shlex.join(command))
    except ConfigError as error:
        command = ()
        out.say(f"none: {error.message}; {error.advice}")
    out.result({"codex_handoff": text, "task": task, "command": command})


def repair_and_show(loop: Loop, out: Output) -> int:
    """Let the coding agent try, and show each attempt; return 1 when no change was certified.

    Raises:
        ConfigError: no coding agent is configured.
        NotFoundError: the version in force was not run yet on the cases as they are.
        RefusedError: no case that the coding agent may see fails.
    """
    coding_agent(loop, starting=False)
    run = present_run(loop)
    done = repair(loop, _diagnosed(loop, run), run)
    change, certificate = done.change, done.certificate
    if change is None or certificate is None:
        reasons = dict.fromkeys(reason for attempt in done.attempts for reason in attempt.failures)
        out.say(f"no change was certified in {counted(len(done.attempts), 'attempt')}:")
        out.say(*(f"  {one_line(reason, most=300)}" for reason in reasons))
    else:
        out.say(
            f"change {change.change_id}: {', '.join(change.files)}",
            f"certified: mends {len(certificate.mended)} of {counted(len(certificate.targets), 'target case')}, "
            f"{len(certificate.worse)} got worse",
            f"to look at it: git diff {change.base_commit[:12]} {change.commit[:12]}",
            "next: naoshi gate, then naoshi review",
        )
    out.result(done)
    return 0 if change is not None else 1


def _handoff(loop: Loop) -> Handoff:
    run = present_run(loop)
    return hand_off(loop, _diagnosed(loop, run), run)


def _diagnosed(loop: Loop, run: EvalRun) -> Diagnosis:
    _require_failures(loop, run)
    return present_diagnosis(loop, run, version=run.version)


def _require_failures(loop: Loop, run: EvalRun) -> None:
    if not failing_cases(run, of_split(SetAside.of(loop).deciding(judged_cases(loop)), Split.diagnose)):
        raise RefusedError(
            "there is nothing to mend: every case that the coding agent may see passes",
            hint="bring in new traces and corrections first",
        )
