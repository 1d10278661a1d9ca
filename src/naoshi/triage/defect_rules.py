"""Rules about values that do stand in the source: what the run did instead, and so where the failure came from."""

from naoshi.records.correction import Cause, TriageClass, TriageProposal
from naoshi.records.evidence import Evidence
from naoshi.records.field_rule import FieldKind
from naoshi.records.text_comparison import as_text, loosened
from naoshi.triage.correction_view import CorrectionView, Place
from naoshi.triage.settings import Language
from naoshi.triage.source_label import label_at, label_key
from naoshi.triage.source_rules import gave_nothing

_NOISE = (TriageClass.noise, Cause.workflow_noise)
_MISS = (TriageClass.defect, Cause.extraction_miss)
_MAPPING = (TriageClass.defect, Cause.mapping_problem)
_MOST_CITED_PLACES = 3


def copied_from_other_field(view: CorrectionView) -> TriageProposal | None:
    """It is the value of another field, which stands as it was, and of that field's place alone: a shortcut."""
    field = _other_field_with(view)
    if field is None or field in _corrected_fields(view):
        return None
    lines = {(line.path, line.line) for place in view.standing for line in place}
    taken = view.cited_lines_of(field)
    if view.rule.kind is not FieldKind.text or not taken or not lines <= taken:
        return None
    return view.propose("copied_from_other_field", *_NOISE, evidence=view.standing[0], other=view.say(field))


def unsupported_document(view: CorrectionView) -> TriageProposal | None:
    """It stands in the source and the run filled no field at all: the kind of document is not supported."""
    if not gave_nothing(view):
        return None
    return _defect(view, "unsupported_document", (TriageClass.defect, Cause.missing_product_support))


def missed(view: CorrectionView) -> TriageProposal | None:
    """It stands in the source and the run left the field empty: an extraction miss."""
    return _defect(view, "missed", _MISS) if not as_text(view.correction.submitted).strip() else None


def swapped_field(view: CorrectionView) -> TriageProposal | None:
    """The run put it into another field, which was corrected too: a mapping problem."""
    field = _other_field_with(view)
    if field is None or field not in _corrected_fields(view):
        return None
    return _defect(view, "swapped_field", _MAPPING, other=view.say(field))


def wrong_extent(view: CorrectionView) -> TriageProposal | None:
    """The run took too little or too much of the text at the same place: an extraction miss."""
    if view.rule.kind is not FieldKind.text:
        return None
    taken = _run_lines(view)
    overlaps = any((line.path, line.line) in taken for place in view.standing for line in place)
    submitted, corrected = loosened(view.correction.submitted), loosened(view.correction.corrected)
    contained = not taken and (submitted in corrected or corrected in submitted)
    return _defect(view, "wrong_extent", _MISS) if overlaps or contained else None


def other_label(view: CorrectionView) -> TriageProposal | None:
    """The run took its value from a place with another label: a mapping problem."""
    right = next((label for place in view.standing if (label := _label(view, place[0], view.correction.corrected))), "")
    taken = sorted(_run_lines(view))
    wrong = next((label for path, line in taken if (label := _label_of_run(view, path, line))), "")
    if not right or not wrong or label_key(right) == label_key(wrong):
        return None
    return _defect(view, "other_label", _MAPPING, other=view.say(wrong))


def invented(view: CorrectionView) -> TriageProposal | None:
    """The run's value stands nowhere in the source, and the corrected one does: an extraction miss."""
    return _defect(view, "invented", _MISS) if not view.submitted_places and not view.cited_lines else None


def other_place(view: CorrectionView) -> TriageProposal | None:
    """The run took its value from elsewhere: an extraction miss."""
    return _defect(view, "other_place", _MISS)


def _defect(view: CorrectionView, rule: str, verdict: tuple[TriageClass, Cause], **words: str) -> TriageProposal:
    correction = view.correction
    labelled = [_with_label(view, place) for place in view.standing[:_MOST_CITED_PLACES]]
    evidence = [line for place in labelled for line in place]
    run = [
        Evidence(path=path, line=line, quote=quote, note="taken by the run")
        for path, line in sorted(_run_lines(view))[:_MOST_CITED_PLACES]
        if (quote := _quote(view, path, line)) is not None
    ]
    place = _place_in_words(view, labelled[0])
    return view.propose(
        rule, *verdict, evidence=(*evidence, *run), place=place, submitted=view.say(correction.submitted), **words
    )


def _with_label(view: CorrectionView, place: Place) -> Place:
    label = _label(view, place[0], view.correction.corrected)
    return (place[0].model_copy(update={"label": label}), *place[1:]) if label else place


def _place_in_words(view: CorrectionView, place: Place) -> str:
    first = place[0]
    japanese = view.language is Language.ja
    where = f"{first.line}行目" if japanese else f"line {first.line}"
    if not first.label:
        return where
    return f"{where}、見出し{view.say(first.label)}" if japanese else f"{where}, at {view.say(first.label)}"


def _label(view: CorrectionView, line: Evidence, value: object) -> str:
    source = next((item for item in view.sources if item.path == line.path), None)
    if source is None or line.line is None:
        return ""
    return label_at(source, line.line, value, kind=view.rule.kind)


def _label_of_run(view: CorrectionView, path: str, line: int) -> str:
    return _label(view, Evidence(path=path, line=line), view.correction.submitted)


def _run_lines(view: CorrectionView) -> frozenset[tuple[str, int]]:
    """Return the places that the run took its value from: those of its claim, else where the value stands."""
    if view.cited_lines:
        return view.cited_lines
    lines = {(line.path or "", line.line or 0) for place in view.submitted_places for line in place}
    return frozenset(lines)


def _quote(view: CorrectionView, path: str, line: int) -> str | None:
    source = next((item for item in view.sources if item.path == path), None)
    lines = source.lines if source is not None else ()
    return next((item.text for item in lines if item.number == line), None)


def _other_field_with(view: CorrectionView) -> str | None:
    """Return the other field of the record that the run gave the corrected value, or None."""
    wanted = loosened(view.correction.corrected)
    for field, value in view.record.items():
        if field != view.correction.field and wanted and loosened(value) == wanted:
            return field
    return None


def _corrected_fields(view: CorrectionView) -> frozenset[str]:
    return frozenset(item.field for item in view.history.of_run(view.correction))
