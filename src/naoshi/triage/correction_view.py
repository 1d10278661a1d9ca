"""One correction together with all that the rules may look at."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from pydantic import JsonValue

from naoshi.records.correction import Cause, Correction, TriageClass, TriageProposal
from naoshi.records.evidence import Evidence
from naoshi.records.field_rule import FieldKind, FieldRule
from naoshi.records.source_document import SourceDocument, SourceLine
from naoshi.records.text_comparison import Comparison, as_text, loosened
from naoshi.records.trace import SpanKind, Trace
from naoshi.triage.correction_history import CorrectionHistory
from naoshi.triage.misread_text import around, misread_places, stands_apart
from naoshi.triage.quotation import shown
from naoshi.triage.settings import Language, TriageSettings
from naoshi.triage.statement import statement
from naoshi.triage.written_value import amounts, is_written_as, surely_the_same, values_in, without_currency

Place = tuple[Evidence, ...]

_MOST_CITED = 3
_READING = frozenset({SpanKind.tool, SpanKind.retriever})


@dataclass(frozen=True, kw_only=True)
class CorrectionView:
    """A correction, its run, what the run read, the rule of its field, and the other corrections.

    ``view_of`` gives the view of another correction. Nothing here does I/O.
    """

    correction: Correction
    trace: Trace | None
    rule: FieldRule
    history: CorrectionHistory
    settings: TriageSettings
    language: Language
    view_of: Callable[[Correction], "CorrectionView"]

    @cached_property
    def sources(self) -> tuple[SourceDocument, ...]:
        """What the run read, the correction's document first.

        Where no source is recorded, the texts of the run's input, and then the answers of its tools, stand for it.
        """
        if self.trace is None:
            return ()
        named = self.correction.document
        recorded = sorted(self.trace.sources, key=lambda source: source.path != named)
        return tuple(recorded) or self._texts_of_input() or self._answers_of_tools()

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Where the corrected value stands as it is written."""
        return self.places_of(self.correction.corrected)

    @cached_property
    def misread_places(self) -> tuple[Place, ...]:
        """Where the corrected value stands but for characters that OCR takes for one another."""
        if self.rule.kind is not FieldKind.text and not is_written_as(self.rule.kind, self.correction.corrected):
            return ()
        found = (
            place
            for source in self.sources
            for place in misread_places(source, self.correction.corrected, self.settings.misread_characters)
        )
        return tuple(place for place in found if len(place) == 1 or self.rule.kind is FieldKind.text)

    @cached_property
    def standing(self) -> tuple[Place, ...]:
        """Where the corrected value stands, as it is written or else misread."""
        return self.places or self.misread_places

    @cached_property
    def submitted_places(self) -> tuple[Place, ...]:
        """Where the submitted value stands as it is written."""
        return self.places_of(self.correction.submitted)

    @cached_property
    def surroundings(self) -> tuple[tuple[str, str], ...]:
        """For each place in `standing` what stands before and after the corrected value on its lines."""
        groups = self.settings.misread_characters if not self.places else ()
        return tuple(
            around(" ".join(line.quote or "" for line in place), self.correction.corrected, groups)
            for place in self.standing
        )

    def places_of(self, value: JsonValue) -> tuple[Place, ...]:
        """Return where *value* stands as a whole in what the run read.

        An amount or a date stands where the source writes just it (currency aside), on one line.
        """
        found = (place for source in self.sources for place in source.places(value, Comparison.letters_and_digits))
        kind = self.rule.kind
        if kind is FieldKind.text:
            return tuple(found)
        if not is_written_as(kind, value):
            return tuple(place for place in found if len(place) == 1 and stands_apart(place[0].quote or "", value))
        wanted = loosened(without_currency(value))
        return tuple(
            place
            for place in found
            if len(place) == 1
            and any(loosened(without_currency(text)) == wanted for text in values_in(kind, place[0].quote or ""))
        )

    @cached_property
    def written(self) -> tuple[tuple[str, Evidence], ...]:
        """The texts in the sources that are written as a value of the field's kind, each with its line."""
        kind = self.rule.kind
        return tuple(
            (text, Evidence(path=source.path, line=line.number, quote=line.text))
            for source in self.sources
            for line in source.lines
            for text in values_in(kind, line.text)
        )

    @cached_property
    def record(self) -> dict[str, JsonValue]:
        """The record that the corrected field belongs to, as the run put it out."""
        if self.trace is None:
            return {}
        found = self.trace.artifact(self.correction.artifact)
        value = found.value if found is not None else self.trace.output
        return value if isinstance(value, dict) else {}

    @cached_property
    def cited_lines(self) -> frozenset[tuple[str, int]]:
        """The places (path, line) that the run's claim for the field cites."""
        return self.cited_lines_of(self.correction.field)

    def cited_lines_of(self, field: str) -> frozenset[tuple[str, int]]:
        """Return the places (path, line) that the run's claim for *field* cites."""
        found = self.trace.artifact("claims") if self.trace is not None else None
        claims = found.value if found is not None else None
        cited: set[tuple[str, int]] = set()
        for claim in claims if isinstance(claims, list) else []:
            if not isinstance(claim, dict) or claim.get("field") != field:
                continue
            citations = claim.get("citations")
            for citation in citations if isinstance(citations, list) else []:
                path = citation.get("path") if isinstance(citation, dict) else None
                line = citation.get("line") if isinstance(citation, dict) else None
                if isinstance(path, str) and isinstance(line, int):
                    cited.add((path, line))
        return frozenset(cited)

    def same_value(self, left: JsonValue, right: JsonValue) -> bool:
        """Return whether both are one value of the field, case, spacing and ways of writing aside."""
        return self.equal_after_normalising(left, right) or surely_the_same(self.rule.kind, left, right)

    def equal_after_normalising(self, left: JsonValue, right: JsonValue) -> bool:
        """Return whether both are equal but for case, spacing, width and punctuation.

        Two numbers are not, however alike their digits: 1.5 is not 15.
        """
        if as_text(left) == as_text(right):
            return True
        one, other = amounts(left), amounts(right)
        if one and other and not one & other:
            return False
        return loosened(left) == loosened(right) != "" or self.rule.comparison.same(left, right)

    def say(self, value: JsonValue) -> str:
        """Return *value* quoted for a person."""
        return shown(value, language=self.language, longest=self.settings.longest_shown)

    def propose(
        self, rule: str, decision: TriageClass, cause: Cause, *, evidence: Iterable[Evidence] = (), **words: str
    ) -> TriageProposal:
        """Return the proposal of *rule*, its statement filled with *words*, which are quoted already."""
        correction = self.correction
        filled = {"submitted": self.say(correction.submitted), "corrected": self.say(correction.corrected), **words}
        return TriageProposal(
            correction_id=correction.correction_id,
            decision=decision,
            cause=cause,
            rule=rule,
            statement=statement(rule, self.language, filled),
            evidence=tuple(dict.fromkeys(self._cited(item) for item in evidence)),
        )

    def of_others(self, corrections: Iterable[Correction]) -> tuple[Evidence, ...]:
        """Return evidence that points at other corrections."""
        chosen = list(corrections)[:_MOST_CITED]
        return tuple(Evidence(correction_id=item.correction_id, quote=as_text(item.corrected)) for item in chosen)

    def _cited(self, evidence: Evidence) -> Evidence:
        """Return *evidence* so that it can be looked up: a text that is no file is cited by trace and span."""
        if evidence.path is None or self.trace is None or any(evidence.path == s.path for s in self.trace.sources):
            return evidence
        span = evidence.path.removeprefix("span ") if evidence.path.startswith("span ") else None
        note = evidence.path if span is None else "answer of a tool"
        return evidence.model_copy(
            update={
                "trace_id": self.trace.trace_id,
                "span_id": span,
                "path": None,
                "line": None,
                "note": f"{note}, line {evidence.line}",
            }
        )

    def _texts_of_input(self) -> tuple[SourceDocument, ...]:
        texts = self.trace.vars.items() if self.trace is not None else ()
        return tuple(_document(f"vars.{name}", text) for name, text in texts if isinstance(text, str) and text.strip())

    def _answers_of_tools(self) -> tuple[SourceDocument, ...]:
        spans = self.trace.spans if self.trace is not None else ()
        answers = ((span, span.attributes.get("output.value")) for span in spans if span.kind in _READING)
        return tuple(
            _document(f"span {span.span_id}", text) for span, text in answers if isinstance(text, str) and text.strip()
        )


def _document(path: str, text: str) -> SourceDocument:
    lines = (SourceLine(number=number, text=line) for number, line in enumerate(text.split("\n"), start=1))
    return SourceDocument(path=path, lines=tuple(lines))
