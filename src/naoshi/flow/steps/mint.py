"""Defects become permanent cases."""

from dataclasses import dataclass

from naoshi.errors import MintRefusedError
from naoshi.evals.merge import Contradiction
from naoshi.evals.mint import mint
from naoshi.flow.loop import Loop
from naoshi.flow.suites import keep_cases, load_cases
from naoshi.flow.versions import main_branch
from naoshi.records import Cycle, EvalCase, SignalSource, TriageClass


@dataclass(frozen=True, kw_only=True)
class Minted:
    """What became of the defects: cases ``added``, how many were there already, and why others were ``refused``."""

    added: tuple[EvalCase, ...]
    duplicates: int
    refused: tuple[str, ...]
    contradictions: tuple[Contradiction, ...]


def mint_cases(loop: Loop) -> Minted:
    """Make a case of every defect that has none yet.

    Raises:
        SuiteError: a suite cannot be read or edited.
    """
    have = {case.provenance.correction_id for case in load_cases(loop)}
    groups = _groups(loop)
    fresh: list[EvalCase] = []
    refused: list[str] = []
    for triage in loop.store.triages.find(decision=TriageClass.defect):
        correction = loop.store.corrections.get(triage.correction_id)
        if correction is None or correction.correction_id in have:
            continue
        trace = loop.store.traces.get(correction.trace_id)
        if trace is None:
            refused.append(f"correction {correction.correction_id}: its trace {correction.trace_id} is not here")
            continue
        try:
            case = mint(
                correction,
                triage,
                trace=trace,
                fields=loop.settings.fields,
                settings=loop.settings.evals,
                group_id=groups.get(correction.correction_id),
            )
        except MintRefusedError as error:
            refused.append(error.message)
        else:
            fresh.append(case)
    report = keep_cases(loop, fresh)
    return Minted(
        added=report.added,
        duplicates=len(report.duplicates),
        refused=tuple(refused),
        contradictions=report.contradictions,
    )


def _groups(loop: Loop) -> dict[str, str]:
    """Return the failure group of each correction that is in one, by its signal."""
    of_signal = {name: item.group_id for item in loop.store.groups.find() for name in item.signal_ids}
    signals = loop.store.signals.find(source=SignalSource.correction)
    return {
        signal.correction_id: of_signal[signal.signal_id]
        for signal in signals
        if signal.correction_id is not None and signal.signal_id in of_signal
    }


def mint_step(loop: Loop, cycle: Cycle) -> Cycle:
    """Mint, and count the cases; what follows starts from the commit that has them."""
    minted = mint_cases(loop)
    for reason in minted.refused:
        loop.report(f"no case: {reason}")
    for contradiction in minted.contradictions:
        loop.report(f"contradiction: {contradiction.reason}")
    return cycle.model_copy(
        update={
            "stage": "run",
            "cases_added": cycle.cases_added + len(minted.added),
            "cases": len(load_cases(loop)),
            "base_commit": loop.git.commit_of(f"refs/heads/{main_branch(loop)}"),
        }
    )
