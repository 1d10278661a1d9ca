"""Verdicts and the gate's test of itself, shown to people."""

from pathlib import Path

from naoshi.errors import NotFoundError, SuiteError
from naoshi.evals.suite_load import load_suite
from naoshi.flow.certified import certified_change
from naoshi.flow.loop import Loop
from naoshi.flow.present_run import last_present_run
from naoshi.flow.steps.gate import judge_run
from naoshi.flow.trusted_gate import have_gate_tested
from naoshi.gate.explain import explain
from naoshi.records import EvalRun, Verdict, VerdictOutcome
from naoshi.records.language import Language
from naoshi.ui.cli.output import Output
from naoshi.ui.cli.self_test_show import show_self_test

EXIT_STATUS = {
    VerdictOutcome.pass_: 0,
    VerdictOutcome.regression: 1,
    VerdictOutcome.inconclusive: 3,
    VerdictOutcome.incomparable: 4,
}
"""The exit status that follows from a verdict."""


def judge_and_show(loop: Loop, out: Output, *, run_id: str) -> int:
    """Judge the run called *run_id* (the latest certified change's where it is empty), and return the exit status.

    Raises:
        NotFoundError: there is no such run, or no certified change.
        GateUntrustedError: the gate did not pass its test of itself on these cases.
    """
    if run_id:
        candidate = _run_named(loop, run_id)
        present = last_present_run(loop)
        verdict = judge_run(loop, candidate, None if present and present.run_id == candidate.run_id else present)
    else:
        certificate = certified_change(loop).certificate
        after = _run_named(loop, certificate.after_run_id)
        verdict = judge_run(loop, after, loop.store.runs.get(certificate.before_run_id))
    return show_verdict(verdict, out, language=loop.settings.language)


def show_verdict(verdict: Verdict, out: Output, *, language: Language) -> int:
    """Tell *verdict* in plain words and return the exit status that follows from it."""
    out.say(explain(verdict, language).rstrip())
    out.result(verdict)
    return EXIT_STATUS[verdict.outcome]


def explain_and_show(loop: Loop, out: Output, *, name: str, language: Language) -> None:
    """Tell the verdict that *name* stands for: a verdict, a run that was judged, or a cycle; empty: the latest.

    Raises:
        NotFoundError: there is none, or more than one.
    """
    show_verdict(_verdict_named(loop, name), out, language=language)


def test_and_show(loop: Loop, out: Output, *, suite: Path | None, language: Language) -> bool:
    """Have the gate test itself on the latest results of the version in force, and show what came of it.

    With *suite* the results of its cases alone are used. What came of it is kept.

    Raises:
        NotFoundError: the version in force has not been run, or none of the suite's cases was.
        SuiteError: the suite cannot be read.
    """
    run = last_present_run(loop)
    if run is None:
        raise NotFoundError("the version in force has not been run yet", hint="run `naoshi evals run` first")
    if suite is not None:
        run = _of_suite(loop, run, suite)
    return show_self_test(have_gate_tested(loop, run), run, loop.settings.gate, out, language=language)


def _of_suite(loop: Loop, run: EvalRun, path: Path) -> EvalRun:
    suite = load_suite(path, root=loop.git.folder, settings=loop.settings.evals)
    if not suite.cases:
        raise SuiteError(f"{suite.path} has no test", hint="an empty suite shows nothing, so that it never passes")
    wanted = {(case.case_id, case.content_hash) for case in suite.cases}
    kept = tuple(result for result in run.results if (result.case_id, result.content_hash) in wanted)
    if not kept:
        hint = "run `naoshi evals run` first"
        raise NotFoundError(f"no case of {suite.path} was in the last run, as it is now", hint=hint)
    return run.model_copy(update={"results": kept, "suite": suite.name})


def _verdict_named(loop: Loop, name: str) -> Verdict:
    verdicts = loop.store.verdicts.find()
    if not name:
        if not verdicts:
            raise NotFoundError("there is no verdict yet", hint="`naoshi gate` gives one")
        return verdicts[-1]
    cycles = [cycle for cycle in loop.store.cycles.find() if str(cycle.number) == name or cycle.cycle_id == name]
    wanted = {cycle.verdict_id for cycle in cycles}
    if cycles and wanted == {None}:
        raise NotFoundError(f"cycle {name} has no verdict", hint="`naoshi status` says how far it is")
    found = [item for item in verdicts if item.verdict_id in wanted]
    found = found or [item for item in verdicts if item.verdict_id.startswith(name)]
    # A run may be judged again; the last verdict on it stands.
    found = found or [item for item in verdicts if item.candidate_run_id.startswith(name)][-1:]
    if len(found) != 1:
        how = "no verdict" if not found else f"{len(found)} verdicts"
        raise NotFoundError(f"{how} for {name}", hint="name a verdict, a run that was judged, or the number of a cycle")
    return found[0]


def _run_named(loop: Loop, name: str) -> EvalRun:
    found = [run for run in loop.store.runs.find() if run.run_id.startswith(name)]
    if len(found) != 1:
        how = "no run" if not found else f"{len(found)} runs"
        raise NotFoundError(f"there is {how} {name}", hint="`naoshi evals run` names the run that it made")
    return found[0]
