"""Signs of failure in what the version in force did, and their groups."""

from collections.abc import Sequence
from dataclasses import dataclass

from naoshi.flow.loop import Loop
from naoshi.records import Cycle, FailureGroup, Signal
from naoshi.signals.contract import check_contract
from naoshi.signals.corrections import signals_of_corrections
from naoshi.signals.evidence import check_evidence
from naoshi.signals.group import group


@dataclass(frozen=True, kw_only=True)
class Observed:
    """The signals that were found, how many of them are new, and their groups, ranked."""

    signals: tuple[Signal, ...]
    fresh: int
    groups: tuple[FailureGroup, ...]


def observe(loop: Loop, *, version: str | None = None) -> Observed:
    """Run the coded checks on the traces of *version* (all traces if None), and take in the triaged corrections.

    The signals and groups are kept in the store; finding them again adds nothing.
    """
    traces = loop.store.traces.find() if version is None else loop.store.traces.find(agent_version=version)
    settings = loop.settings
    found: list[Signal] = []
    for trace in traces:
        found += check_contract(trace, settings.contract, outputs_root=loop.git.folder, data_root=loop.data_root)
        found += check_evidence(trace, settings.evidence, data_root=loop.data_root)
    found += signals_of_corrections(
        loop.store.corrections.find(), triages=loop.store.triages.find(), traces=loop.store.traces.get
    )
    groups = group(found)
    with loop.store.transaction():
        fresh = loop.store.signals.add_all(_once(found))
        for item in groups:
            loop.store.groups.put(item)
    return Observed(signals=tuple(found), fresh=fresh, groups=groups)


def observe_step(loop: Loop, cycle: Cycle) -> Cycle:
    """Observe what the version in force did."""
    seen = observe(loop, version=cycle.base_version)
    for item in seen.groups[:3]:
        loop.report(f"group {item.rank}: {item.artifact} {item.failure_type}, {item.count} signals")
    traces = loop.store.traces.count(agent_version=cycle.base_version)
    return cycle.model_copy(update={"stage": "mint", "signals": seen.fresh, "traces": traces})


def _once(signals: Sequence[Signal]) -> tuple[Signal, ...]:
    return tuple({signal.signal_id: signal for signal in signals}.values())
