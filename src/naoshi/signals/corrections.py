"""Corrections that triage called defects, as signals."""

from collections.abc import Callable, Iterable

from naoshi.records.correction import Correction, Triage, TriageClass
from naoshi.records.evidence import Evidence
from naoshi.records.signal import Signal, SignalSource
from naoshi.records.trace import Trace
from naoshi.signals.failure_type import correction_failure
from naoshi.signals.named_signal import named


def signals_of_corrections(
    corrections: Iterable[Correction], *, triages: Iterable[Triage], traces: Callable[[str], Trace | None]
) -> tuple[Signal, ...]:
    """Return one signal for each correction whose latest triage is a defect; an untriaged one gives none.

    *traces* looks a trace up by its identifier, as ``store.traces.get`` or the ``get`` of a dictionary does.
    """
    latest: dict[str, Triage] = {}
    for triage in triages:
        known = latest.get(triage.correction_id)
        if known is None or triage.decided_at >= known.decided_at:
            latest[triage.correction_id] = triage
    signals: dict[str, Signal] = {}
    for correction in corrections:
        triage = latest.get(correction.correction_id)
        if triage is not None and triage.decision is TriageClass.defect:
            signal = _signal(correction, triage, traces(correction.trace_id))
            signals[signal.signal_id] = signal
    return tuple(signals.values())


def _signal(correction: Correction, triage: Triage, trace: Trace | None) -> Signal:
    failure = correction_failure(correction.field, submitted=correction.submitted, corrected=correction.corrected)
    said = f": {correction.reason}" if correction.reason else ""
    return named(
        Signal(
            signal_id="",
            trace_id=correction.trace_id,
            agent_version=trace.agent_version if trace is not None else None,
            artifact=correction.artifact,
            field=correction.field,
            failure_type=failure,
            source=SignalSource.correction,
            message=f"{correction.practitioner} corrected {correction.field}{said}",
            observed=correction.submitted,
            expected=correction.corrected,
            cause=triage.cause,
            correction_id=correction.correction_id,
            evidence=triage.proposal.evidence or (Evidence(correction_id=correction.correction_id),),
        )
    )
