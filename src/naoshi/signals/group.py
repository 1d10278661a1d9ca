"""Signals grouped by artifact × failure type and ranked by frequency."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from naoshi.records.base import content_id
from naoshi.records.signal import FailureGroup, Signal


def group(signals: Iterable[Signal]) -> tuple[FailureGroup, ...]:
    """Return the groups of *signals*, the most frequent first; equal ones in order of artifact and failure type.

    The order in which the signals come does not matter, and one that comes twice counts once. A group keeps its
    identifier while it grows: it depends on artifact and failure type alone.
    """
    distinct = sorted({signal.signal_id: signal for signal in signals}.values(), key=lambda signal: signal.signal_id)
    members: defaultdict[tuple[str, str], list[Signal]] = defaultdict(list)
    for signal in distinct:
        members[signal.artifact, signal.failure_type].append(signal)
    ranked = sorted(members.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(
        _failure_group(artifact, failure_type, found, rank=rank, total=len(distinct))
        for rank, ((artifact, failure_type), found) in enumerate(ranked, start=1)
    )


def _failure_group(artifact: str, failure_type: str, found: list[Signal], *, rank: int, total: int) -> FailureGroup:
    fields = {signal.field for signal in found}
    return FailureGroup(
        group_id=content_id("group", artifact, failure_type),
        artifact=artifact,
        failure_type=failure_type,
        field=next(iter(fields)) if len(fields) == 1 else None,
        rank=rank,
        count=len(found),
        share=len(found) / total,
        signal_ids=tuple(signal.signal_id for signal in found),
        trace_ids=tuple(sorted({signal.trace_id for signal in found})),
        sources=_counted(signal.source.value for signal in found),
        causes=_counted(signal.cause.value for signal in found if signal.cause is not None),
        example=found[0].message,
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items()))
