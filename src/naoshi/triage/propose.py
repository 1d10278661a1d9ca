"""What the stated rules make of corrections, for a person to confirm."""

from collections.abc import Iterable

from naoshi.records.correction import Correction, TriageProposal
from naoshi.records.field_rule import FieldRules
from naoshi.records.trace import Trace
from naoshi.triage.correction_history import CorrectionHistory, TraceLookup
from naoshi.triage.correction_view import CorrectionView
from naoshi.triage.rules import proposal_for
from naoshi.triage.settings import Language, TriageSettings


def propose(
    corrections: Iterable[Correction],
    *,
    traces: TraceLookup,
    fields: FieldRules,
    known: Iterable[Correction] = (),
    settings: TriageSettings | None = None,
    language: Language | str = Language.en,
) -> tuple[TriageProposal, ...]:
    """Return one proposal for each of *corrections*, in their order.

    *traces* looks a trace up by its identifier, as ``store.traces.get`` or the ``get`` of a dictionary does.
    *known* are earlier corrections that the rules may look at (people who disagree, one person's habit); they get no
    proposals. The same corrections get the same proposals whatever their order.
    """
    wanted = list(corrections)
    history = CorrectionHistory([*wanted, *known], traces=_remembered(traces))
    views: dict[str, CorrectionView] = {}

    def view_of(correction: Correction) -> CorrectionView:
        if correction.correction_id not in views:
            views[correction.correction_id] = CorrectionView(
                correction=correction,
                trace=history.traces(correction.trace_id),
                rule=fields.rule(correction.artifact, correction.field),
                history=history,
                settings=settings or TriageSettings(),
                language=Language(language),
                view_of=view_of,
            )
        return views[correction.correction_id]

    return tuple(proposal_for(view_of(correction)) for correction in wanted)


def _remembered(traces: TraceLookup) -> TraceLookup:
    """Return *traces* asked once for each identifier, since a look-up in a store is slow."""
    found: dict[str, Trace | None] = {}

    def look_up(identifier: str) -> Trace | None:
        if identifier not in found:
            found[identifier] = traces(identifier)
        return found[identifier]

    return look_up
