"""Why the failing cases fail, from evidence that the coding agent may see."""

import os
from collections.abc import Sequence
from dataclasses import replace

from naoshi.errors import InputError
from naoshi.flow.left_to_people import left_groups, without_left
from naoshi.flow.loop import Loop
from naoshi.flow.masking import handed_out, handed_out_lines
from naoshi.flow.quarantine import SetAside
from naoshi.flow.steps.ending import ended
from naoshi.flow.suites import judged_cases, of_split
from naoshi.records import (
    Correction,
    Cycle,
    CycleState,
    Diagnosis,
    EvalCase,
    EvalRun,
    ResultState,
    Signal,
    Split,
    Trace,
    TriageClass,
)
from naoshi.repair.citations import RecordLookup, checked
from naoshi.repair.engines.base import DiagnosisMaterial
from naoshi.repair.engines.open_engine import open_engine
from naoshi.repair.protect import is_within
from naoshi.signals.corrections import signals_of_corrections
from naoshi.signals.group import group
from naoshi.system.files import inside, read_text

_LARGEST_FILE = 256 * 1024
_FAILING = (ResultState.fail, ResultState.agent_error)


def failing_cases(run: EvalRun, cases: Sequence[EvalCase]) -> tuple[EvalCase, ...]:
    """Return those of *cases* that failed in *run*, by what most trials of a case say."""
    failing = {name for name, state in run.case_states().items() if state in _FAILING}
    return tuple(case for case in cases if case.case_id in failing)


def seen_cases(loop: Loop) -> tuple[EvalCase, ...]:
    """Return the cases that a coding agent may see: those of the diagnose split that have a say in the gate."""
    return of_split(SetAside.of(loop).deciding(judged_cases(loop)), Split.diagnose)


def cases_to_mend(loop: Loop, run: EvalRun) -> tuple[EvalCase, ...]:
    """Return the cases of a repair: all that a coding agent may see, but failures in groups that are left to people."""
    cases, left = seen_cases(loop), left_groups(loop)
    if not left:
        return cases
    failing = failing_cases(run, cases)
    groups = group(_signals(loop, seen_corrections(loop, failing)))
    return without_left(left, cases=cases, failing=failing, groups=groups)


def seen_corrections(loop: Loop, cases: Sequence[EvalCase]) -> tuple[Correction, ...]:
    """Return the corrections that *cases* were made from."""
    wanted = (case.provenance.correction_id for case in cases)
    found = (loop.store.corrections.get(name) for name in wanted if name)
    return tuple(correction for correction in found if correction is not None)


def seen_traces(loop: Loop, cases: Sequence[EvalCase]) -> tuple[Trace, ...]:
    """Return the traces that *cases* were made from, each once."""
    wanted = dict.fromkeys(case.provenance.trace_id for case in cases if case.provenance.trace_id)
    found = (loop.store.traces.get(name) for name in wanted)
    return tuple(trace for trace in found if trace is not None)


def diagnose(
    loop: Loop, run: EvalRun, *, version: str, cases: Sequence[EvalCase] | None = None, keep: bool = True
) -> Diagnosis:
    """Diagnose those of *cases* that fail in *run*; every citation is looked up, and the diagnosis kept if *keep*.

    Without *cases* it is about all that a coding agent may see. Only corrections of that split enter, so that nothing
    of the other splits can reach the coding agent or a model.

    Raises:
        ModelError: the model of the engine gave no usable answer. The same diagnosis can be asked for again.
        HaloError: HALO gave no report that can be used.
        MissingProgramError: HALO is not installed.
        MissingExtraError: what asks models is not installed.
    """
    repair = loop.settings.repair
    engine = open_engine(repair, environment=os.environ, kept=loop.state / "halo", mask=handed_out(loop))
    material = _material(loop, run, version, cases)
    if engine.name != "evidence":
        loop.report(f"the engine {engine.name} diagnoses {len(failing_cases(run, material.cases))} failing cases")
        material = _with_texts(loop, material)
    diagnosis = checked(engine.diagnose(material, now=loop.clock()), _lookup(loop, material))
    if keep:
        loop.store.diagnoses.put(diagnosis)
    return diagnosis


def present_diagnosis(loop: Loop, run: EvalRun, *, version: str, cases: Sequence[EvalCase] | None = None) -> Diagnosis:
    """Return the latest diagnosis of the same failures by the engine of the settings, or else a fresh one.

    What a model said once is what the handoff says; asking again could give something that nobody has looked at. Its
    citations are looked up once more, since files and cases may have changed.

    Raises:
        ModelError: the model of the engine gave no usable answer.
        HaloError: HALO gave no report that can be used.
        MissingProgramError: HALO is not installed.
        MissingExtraError: what asks models is not installed.
    """
    known = kept_diagnosis(loop, run, version=version, cases=cases)
    return known if known is not None else diagnose(loop, run, version=version, cases=cases)


def kept_diagnosis(
    loop: Loop, run: EvalRun, *, version: str, cases: Sequence[EvalCase] | None = None
) -> Diagnosis | None:
    """Return the latest diagnosis of the same failures by a model or HALO, if the settings name it and there is one."""
    name = loop.settings.repair.engine
    if name == "evidence":
        return None
    material = _material(loop, run, version, cases)
    groups = tuple(sorted(material.groups, key=lambda item: item.rank))
    known = (item for item in loop.store.diagnoses.find(agent_version=version) if item.engine == name)
    latest = max((item for item in known if item.groups == groups), key=lambda item: item.made_at, default=None)
    return checked(latest, _lookup(loop, material)) if latest is not None else None


def _material(loop: Loop, run: EvalRun, version: str, chosen: Sequence[EvalCase] | None) -> DiagnosisMaterial:
    cases = seen_cases(loop) if chosen is None else tuple(chosen)
    failing = failing_cases(run, cases)
    corrections = seen_corrections(loop, failing)
    signals = _signals(loop, corrections)
    return DiagnosisMaterial(
        agent_version=version,
        groups=group(signals),
        signals=signals,
        cases=cases,
        corrections=corrections,
        traces=seen_traces(loop, failing),
        run=run,
    )


def _lookup(loop: Loop, material: DiagnosisMaterial) -> RecordLookup:
    return RecordLookup.of(
        traces=material.traces,
        cases=material.cases,
        correction_ids=[item.correction_id for item in material.corrections],
        harness_root=loop.git.folder,
    )


def harness_files(loop: Loop) -> dict[str, str]:
    """Return the text of every file of the work tree that a change may touch, by its path in the repository."""
    repair = loop.settings.repair
    found: dict[str, str] = {}
    for path in loop.git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0"):
        if not path or not is_within(path, repair.editable) or is_within(path, (*repair.protected, *repair.hidden)):
            continue
        try:
            file = inside(loop.git.folder, path)
            if file.is_file() and file.stat().st_size <= _LARGEST_FILE:
                found[path] = read_text(file)
        except (InputError, OSError):
            continue
    return found


def _with_texts(loop: Loop, material: DiagnosisMaterial) -> DiagnosisMaterial:
    """Return *material* with what only a model reads: traces as lines, the harness, how the version stands."""
    run_id = material.run.run_id if material.run is not None else ""
    verdicts = loop.store.verdicts.find(candidate_run_id=run_id)
    gate = f"The gate's verdict on this version: {verdicts[-1].outcome.value}." if verdicts else ""
    return replace(
        material, trace_lines=handed_out_lines(loop, material.traces), harness=harness_files(loop), gate=gate
    )


def diagnose_step(loop: Loop, cycle: Cycle) -> Cycle:
    """Diagnose; a version that passes every case has nothing to mend."""
    run = loop.store.runs.get(cycle.before_run_id or "")
    cases = cases_to_mend(loop, run) if run is not None else ()
    if run is None or not failing_cases(run, cases):
        left = len(left_groups(loop))
        reason = f"{left} groups of failures need a person: naoshi attempts" if left else (
            "every case that the coding agent may see passes"
        )  # fmt: skip
        return ended(loop, cycle, CycleState.nothing_to_do, reason)
    diagnosis = diagnose(loop, run, version=cycle.base_version, cases=cases)
    for item in diagnosis.recommendations[:3]:
        loop.report(f"diagnosis {item.rank}: {item.title}")
    return cycle.model_copy(update={"stage": "handoff", "diagnosis_id": diagnosis.diagnosis_id})


def _signals(loop: Loop, corrections: Sequence[Correction]) -> tuple[Signal, ...]:
    triages = [
        triage
        for correction in corrections
        for triage in loop.store.triages.find(correction_id=correction.correction_id, decision=TriageClass.defect)
    ]
    return signals_of_corrections(corrections, triages=triages, traces=loop.store.traces.get)
