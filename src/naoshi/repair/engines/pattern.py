"""Failures of one kind with one cause, whose right value stands beside the same words."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from naoshi.records import (
    Cause,
    EvalCase,
    Evidence,
    FailureGroup,
    Signal,
    SignalSource,
    SourceDocument,
    Trace,
    as_text,
    loosened,
)
from naoshi.repair.engines.base import DiagnosisMaterial

_NOT_A_WORD = re.compile(r"[\d\W_]+")
_LABEL_WORDS = 4
_CLAIMS = "claims"


@dataclass(frozen=True, kw_only=True)
class SeenFailure:
    """A signal of a run that may be shown: where its right value stands, and what was used instead.

    ``places`` are the distinct places of the right value in the source, each as its lines.
    """

    signal: Signal
    trace: Trace
    case_id: str | None
    places: tuple[tuple[Evidence, ...], ...]
    label: str
    rule: str | None
    span_id: str | None


@dataclass(frozen=True, kw_only=True)
class FailurePattern:
    """Signals of one group with one cause and one label. ``count`` includes those that may not be shown."""

    group: FailureGroup
    cause: Cause
    label: str
    count: int
    seen: tuple[SeenFailure, ...]
    agreement: float


def find_patterns(material: DiagnosisMaterial, *, largest: int = 4) -> list[FailurePattern]:
    """Return the patterns of every group, at most *largest* labels each; what has a rarer label is one pattern.

    ``agreement`` is the share (0 to 1) of the group's signals whose cause is the pattern's.
    """
    by_id = {signal.signal_id: signal for signal in material.signals}
    look = _Look.into(material)
    patterns: list[FailurePattern] = []
    for group in sorted(material.groups, key=lambda item: item.rank):
        signals = [by_id[name] for name in group.signal_ids if name in by_id]
        for cause, alike in _by_cause(signals).items():
            seen = [failure for signal in alike if (failure := look.failure(signal)) is not None]
            agreement = len(alike) / len(signals)
            patterns += _by_label(group, cause, len(alike), seen, agreement, largest)
    return patterns


def _by_cause(signals: Sequence[Signal]) -> dict[Cause, list[Signal]]:
    sorted_signals: dict[Cause, list[Signal]] = defaultdict(list)
    for signal in signals:
        cause = signal.cause or _cause_of(signal)
        if cause.is_improvable:
            sorted_signals[cause].append(signal)
    return dict(sorted(sorted_signals.items(), key=lambda item: (-len(item[1]), item[0].value)))


def _cause_of(signal: Signal) -> Cause:
    """Return the cause of a signal that no triage has named: what is not there was missed, what is wrong was mapped."""
    if signal.source is SignalSource.contract or signal.observed in (None, "", [], {}):
        return Cause.extraction_miss
    return Cause.mapping_problem


def _by_label(
    group: FailureGroup, cause: Cause, count: int, seen: Sequence[SeenFailure], agreement: float, largest: int
) -> list[FailurePattern]:
    labels = Counter(failure.label for failure in seen)
    frequent = [label for label, number in sorted(labels.items(), key=lambda item: (-item[1], item[0])) if number > 1]
    chosen = [label for label in frequent if label][:largest]
    parts: dict[str, list[SeenFailure]] = {label: [] for label in chosen}
    parts[""] = []
    for failure in seen:
        parts[failure.label if failure.label in parts else ""].append(failure)
    hidden = count - len(seen)
    return [
        FailurePattern(
            group=group,
            cause=cause,
            label=label,
            # Runs that may not be shown weigh as the shown ones do.
            count=len(failures) + round(hidden * len(failures) / len(seen)),
            seen=tuple(failures),
            agreement=agreement,
        )
        for label, failures in parts.items()
        if failures
    ]


@dataclass(frozen=True, kw_only=True)
class _Look:
    """Finds what is known of a signal in the traces and cases that may be shown."""

    traces: Mapping[str, Trace]
    cases: Mapping[str, EvalCase]

    @classmethod
    def into(cls, material: DiagnosisMaterial) -> "_Look":
        corrected = {case.provenance.correction_id: case for case in material.cases}
        return cls(
            traces={trace.trace_id: trace for trace in material.traces},
            cases={name: case for name, case in corrected.items() if name is not None},
        )

    def failure(self, signal: Signal) -> SeenFailure | None:
        trace = self.traces.get(signal.trace_id)
        if trace is None:
            return None
        case = self.cases.get(signal.correction_id or "")
        places = tuple(place for source in trace.sources for place in source.places(signal.expected))
        return SeenFailure(
            signal=signal,
            trace=trace,
            case_id=case.case_id if case is not None else None,
            places=places,
            label=_label(trace.sources, places, signal),
            rule=_rule(trace, signal.field),
            span_id=_span(trace, signal.field),
        )


def _label(sources: Sequence[SourceDocument], places: Sequence[Sequence[Evidence]], signal: Signal) -> str:
    """Return the words left of the right value on its line, else those of the line above; empty without any."""
    if not places:
        return ""
    first = places[0][0]
    line = first.quote or ""
    before = line.casefold().split(as_text(signal.expected).casefold().split(" ")[0], 1)[0]
    words = _words(before if len(before) < len(line) else "")
    if words or len(places[0]) > 1:
        return words
    above = [text for source in sources if source.path == first.path for text in _line_above(source, first.line)]
    return _words(above[0]) if above and loosened(above[0]) else ""


def _line_above(source: SourceDocument, number: int | None) -> list[str]:
    index = next((index for index, line in enumerate(source.lines) if line.number == number), 0)
    return [source.lines[index - 1].text] if index > 0 else []


def _words(text: str) -> str:
    return " ".join(_NOT_A_WORD.sub(" ", text).upper().split()[-_LABEL_WORDS:])


def _rule(trace: Trace, field: str | None) -> str | None:
    claims = trace.artifact(_CLAIMS)
    if claims is None or not isinstance(claims.value, list):
        return None
    found = (claim for claim in claims.value if isinstance(claim, dict) and claim.get("field") == field)
    rule = next((claim.get("rule") for claim in found), None)
    return rule if isinstance(rule, str) else None


def _span(trace: Trace, field: str | None) -> str | None:
    found = (span.span_id for span in trace.spans if field and span.attributes.get("naoshi.field") == field)
    return next(found, None)
