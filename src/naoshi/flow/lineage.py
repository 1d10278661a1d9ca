"""Where a case comes from, link by link: the triage, the correction, the trace, and the groups it speaks for."""

from dataclasses import dataclass

from naoshi.errors import NotFoundError
from naoshi.flow.loop import Loop
from naoshi.flow.suites import judged_cases, load_suites
from naoshi.records import Correction, EvalCase, FailureGroup, Signal, Trace, Triage


@dataclass(frozen=True, kw_only=True)
class Lineage:
    """A case and what it was made from.

    ``suite`` is the file that has it (None: a check of what people left alone, which is in none). ``broken`` names what
    the case refers to and the store does not have, in words. A case that a person wrote refers to nothing.
    """

    case: EvalCase
    suite: str | None
    triage: Triage | None = None
    correction: Correction | None = None
    trace: Trace | None = None
    signals: tuple[Signal, ...] = ()
    groups: tuple[FailureGroup, ...] = ()
    broken: tuple[str, ...] = ()


def case_named(loop: Loop, name: str) -> EvalCase:
    """Return the case whose identifier is *name*, or the only one that begins with it.

    Raises:
        NotFoundError: there is none, or several.
    """
    cases = judged_cases(loop)
    found = [case for case in cases if case.case_id == name] or [
        case for case in cases if name and case.case_id.startswith(name)
    ]
    if len(found) == 1:
        return found[0]
    told = f"{name} stands for {len(found)} cases" if found else f"there is no case {name}"
    raise NotFoundError(told, hint="`naoshi cases list` shows what there is")


def lineage(loop: Loop, case: EvalCase) -> Lineage:
    """Return what *case* was made from, looked up link by link; what is not there is named in ``broken``."""
    store, origin = loop.store, case.provenance
    suite = next(
        (suite.path for suite in load_suites(loop) if any(x.case_id == case.case_id for x in suite.cases)), None
    )
    triage = store.triages.get(origin.triage_id) if origin.triage_id else None
    correction = store.corrections.get(origin.correction_id) if origin.correction_id else None
    trace = store.traces.get(origin.trace_id) if origin.trace_id else None
    signals = tuple(
        signal
        for signal in (store.signals.find(trace_id=origin.trace_id) if origin.trace_id else ())
        if signal.correction_id is not None and signal.correction_id == origin.correction_id
    )
    wanted = {signal.signal_id for signal in signals}
    groups = tuple(item for item in store.groups.find() if wanted & set(item.signal_ids))
    return Lineage(
        case=case,
        suite=suite,
        triage=triage,
        correction=correction,
        trace=trace,
        signals=signals,
        groups=groups,
        broken=_broken(case, triage, correction, trace),
    )


def _broken(
    case: EvalCase, triage: Triage | None, correction: Correction | None, trace: Trace | None
) -> tuple[str, ...]:
    origin = case.provenance
    links = (
        ("trace", origin.trace_id, trace is not None),
        ("correction", origin.correction_id, correction is not None),
        ("triage", origin.triage_id, triage is not None),
    )
    found = [f"its {what} {name} is not in the store" for what, name, there in links if name and not there]
    if triage and correction and triage.correction_id != correction.correction_id:
        found.append(f"its triage {triage.triage_id} is of another correction, {triage.correction_id}")
    if trace and correction and correction.trace_id != trace.trace_id:
        found.append(f"its correction {correction.correction_id} is of another trace, {correction.trace_id}")
    return tuple(found)
