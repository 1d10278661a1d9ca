"""Nothing is cited that does not exist: every citation of a diagnosis is looked up before it is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from naoshi.errors import InputError
from naoshi.records import Diagnosis, EvalCase, Evidence, Recommendation, StruckCitation, Trace
from naoshi.system.files import inside, read_text

_LARGEST_FILE = 4 * 1024 * 1024


class Lookup(Protocol):
    """Says what exists."""

    def has_trace(self, trace_id: str) -> bool:
        """Return whether there is such a trace."""
        ...

    def has_span(self, trace_id: str | None, span_id: str) -> bool:
        """Return whether the trace (any, if None) has such a span."""
        ...

    def has_case(self, case_id: str) -> bool:
        """Return whether there is such a case."""
        ...

    def has_correction(self, correction_id: str) -> bool:
        """Return whether there is such a correction."""
        ...

    def lines(self, path: str) -> Mapping[int, str] | None:
        """Return the lines of the document or harness file *path* by their number from 1, or None."""
        ...


@dataclass(frozen=True, kw_only=True)
class RecordLookup:
    """Looks into traces, cases and corrections, and into the files below ``harness_root`` (None: into none)."""

    traces: Mapping[str, Trace]
    cases: frozenset[str]
    corrections: frozenset[str]
    documents: Mapping[str, Mapping[int, str]]
    harness_root: Path | None = None

    @classmethod
    def of(
        cls,
        *,
        traces: Sequence[Trace],
        cases: Sequence[EvalCase],
        correction_ids: Sequence[str],
        harness_root: Path | None = None,
    ) -> "RecordLookup":
        """Return a lookup of these records; documents are known by what the traces read."""
        documents: dict[str, dict[int, str]] = {}
        for trace in traces:
            for source in trace.sources:
                documents.setdefault(source.path, {}).update({line.number: line.text for line in source.lines})
        return cls(
            traces={trace.trace_id: trace for trace in traces},
            cases=frozenset(case.case_id for case in cases),
            corrections=frozenset(correction_ids),
            documents=documents,
            harness_root=harness_root,
        )

    def has_trace(self, trace_id: str) -> bool:
        """Return whether there is such a trace."""
        return trace_id in self.traces

    def has_span(self, trace_id: str | None, span_id: str) -> bool:
        """Return whether the trace (any, if None) has such a span."""
        if trace_id is None:
            return any(span.span_id == span_id for trace in self.traces.values() for span in trace.spans)
        trace = self.traces.get(trace_id)
        return trace is not None and any(span.span_id == span_id for span in trace.spans)

    def has_case(self, case_id: str) -> bool:
        """Return whether there is such a case."""
        return case_id in self.cases

    def has_correction(self, correction_id: str) -> bool:
        """Return whether there is such a correction."""
        return correction_id in self.corrections

    def lines(self, path: str) -> Mapping[int, str] | None:
        """Return the lines of the document or harness file *path* by their number from 1, or None."""
        known = self.documents.get(path)
        if known is not None or self.harness_root is None:
            return known
        try:
            file = inside(self.harness_root, path)
            if not file.is_file() or file.stat().st_size > _LARGEST_FILE:
                return None
            return dict(enumerate(read_text(file).split("\n"), start=1))
        except (InputError, OSError, ValueError):
            return None


def checked(diagnosis: Diagnosis, lookup: Lookup) -> Diagnosis:
    """Return *diagnosis* with every citation that does not exist struck and reported.

    A recommendation left without evidence is dropped and named; the ranks close up.
    """
    struck: list[StruckCitation] = list(diagnosis.struck)
    dropped: list[str] = list(diagnosis.dropped)
    kept: list[Recommendation] = []
    for item in diagnosis.recommendations:
        reasons = [(evidence, fault(evidence, lookup)) for evidence in item.evidence]
        struck += [
            StruckCitation(recommendation_id=item.recommendation_id, evidence=evidence, reason=reason)
            for evidence, reason in reasons
            if reason is not None
        ]
        holding = tuple(evidence for evidence, reason in reasons if reason is None)
        if holding:
            kept.append(item.model_copy(update={"evidence": holding, "rank": len(kept) + 1}))
        else:
            dropped.append(item.recommendation_id)
    return diagnosis.model_copy(
        update={"recommendations": tuple(kept), "struck": tuple(struck), "dropped": tuple(dict.fromkeys(dropped))}
    )


def fault(evidence: Evidence, lookup: Lookup) -> str | None:
    """Return why *evidence* does not hold, or None when all that it names exists and its quote stands there."""
    if evidence.trace_id is not None and not lookup.has_trace(evidence.trace_id):
        return "there is no such trace"
    if evidence.span_id is not None and not lookup.has_span(evidence.trace_id, evidence.span_id):
        return "there is no such span"
    if evidence.case_id is not None and not lookup.has_case(evidence.case_id):
        return "there is no such case"
    if evidence.correction_id is not None and not lookup.has_correction(evidence.correction_id):
        return "there is no such correction"
    if evidence.path is not None:
        return _place_fault(evidence, evidence.path, lookup)
    named = (evidence.trace_id, evidence.span_id, evidence.case_id, evidence.correction_id)
    return None if any(name is not None for name in named) else "it names nothing that could be looked up"


def _place_fault(evidence: Evidence, path: str, lookup: Lookup) -> str | None:
    lines = lookup.lines(path)
    if lines is None:
        return "there is no such file"
    if evidence.line is None:
        quoted = evidence.quote is None or any(_spaced(evidence.quote) in _spaced(text) for text in lines.values())
        return None if quoted else "the quote stands nowhere in the file"
    text = lines.get(evidence.line)
    if text is None:
        return "the file has no such line"
    if evidence.quote is not None and _spaced(evidence.quote) not in _spaced(text):
        return "the quote does not stand on that line"
    return None


def _spaced(text: str) -> str:
    return " ".join(text.split())
