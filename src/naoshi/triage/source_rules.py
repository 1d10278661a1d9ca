"""Rules about values that the source does not hold as they were corrected."""

from naoshi.records.correction import Cause, TriageClass, TriageProposal
from naoshi.records.evidence import Evidence
from naoshi.records.field_rule import FieldKind
from naoshi.records.text_comparison import as_text, loosened
from naoshi.records.trace import SpanStatus
from naoshi.triage.correction_view import CorrectionView, Place
from naoshi.triage.misread_text import quoted_lines
from naoshi.triage.near_value import edit_distance, near_value
from naoshi.triage.people_rules import supporters
from naoshi.triage.written_value import amounts, possibly_the_same, surely_the_same

_NOISE = (TriageClass.noise, Cause.workflow_noise)
_UNCLEAR = (TriageClass.unclear, Cause.workflow_noise)
_MISS = (TriageClass.defect, Cause.extraction_miss)


def emptied(view: CorrectionView) -> TriageProposal | None:
    """The value was struck out: a defect if it stands nowhere in the source, else a judgement."""
    correction = view.correction
    if as_text(correction.corrected).strip():
        return None
    if view.sources and not view.submitted_places and not _same_in_source(view, correction.submitted):
        return view.propose("value_from_nowhere", *_MISS, evidence=(Evidence(trace_id=correction.trace_id),))
    evidence = (line for place in view.submitted_places[:1] for line in place)
    return view.propose("emptied", TriageClass.judgement, Cause.workflow_noise, evidence=evidence)


def unsupported_run(view: CorrectionView) -> TriageProposal | None:
    """The run ended in an error and gave nothing at all: the kind of document is not supported."""
    failed = [
        span
        for span in (view.trace.spans if view.trace is not None else ())
        if span.parent_span_id is None and span.status is SpanStatus.error
    ]
    if not failed or not gave_nothing(view):
        return None
    evidence = (Evidence(trace_id=failed[0].trace_id, span_id=failed[0].span_id),)
    why = view.say(failed[0].status_message)
    cause = Cause.missing_product_support
    return view.propose("unsupported_run", TriageClass.defect, cause, evidence=evidence, why=why)


def no_source(view: CorrectionView) -> TriageProposal | None:
    """Nothing that the run read is recorded: unclear."""
    return view.propose("no_source", *_UNCLEAR) if not view.sources else None


def another_way_of_writing(view: CorrectionView) -> TriageProposal | None:
    """Submitted and corrected are one value in two ways of writing.

    A defect where the source writes it as corrected and nowhere as submitted; unclear where day and month decide;
    else a preference of format.
    """
    kind, correction = view.rule.kind, view.correction
    if not possibly_the_same(kind, correction.submitted, correction.corrected):
        return None
    stands = _as_written(view, correction.corrected)
    if stands is not None and _as_written(view, correction.submitted) is None:
        return view.propose("written_as_in_source", *_MISS, evidence=(stands,))
    if not surely_the_same(kind, correction.submitted, correction.corrected):
        evidence = tuple(item for item in (_as_written(view, correction.submitted), stands) if item is not None)
        return view.propose("ambiguous_date", *_UNCLEAR, evidence=evidence)
    there = _as_written(view, correction.submitted)
    return view.propose("format_preference", *_NOISE, evidence=(there,) if there is not None else ())


def written_otherwise(view: CorrectionView) -> TriageProposal | None:
    """The source writes the corrected value in another way only: a preference of format."""
    corrected = view.correction.corrected
    if view.standing and not _lacks_decimals_of_source(view):
        return None
    found = _same_in_source(view, corrected)
    if found is None or loosened(found[0]) == loosened(corrected):
        return None
    text, line = found
    return view.propose("written_otherwise", *_NOISE, evidence=(line,), near=view.say(text))


def misread_source(view: CorrectionView) -> TriageProposal | None:
    """It stands in the source but for characters that OCR takes for one another: a defect."""
    if view.places:
        return None
    place = view.misread_places[0]
    return view.propose("misread_source", *_MISS, evidence=place, near=_quoted(view, place))


def corroborated(view: CorrectionView) -> TriageProposal | None:
    """Almost the same text stands in the source, and others found just this value in other documents: a defect."""
    if view.standing or view.rule.kind is not FieldKind.text:
        return None
    agreeing = [item for item in supporters(view) if view.view_of(item).standing]
    if not agreeing:
        return None
    within = max(view.settings.near_distance, len(loosened(view.correction.corrected)) // 8)
    near = _nearest(view, within)
    if near is None:
        return None
    who = ", ".join(view.say(item.practitioner) for item in agreeing[:3])
    evidence = (*near[0], *view.of_others(agreeing))
    return view.propose("corroborated", *_MISS, evidence=evidence, near=_quoted(view, near[0]), who=who)


def near_miss(view: CorrectionView) -> TriageProposal | None:
    """It stands nowhere in the source but almost: perhaps a slip of the keyboard, so unclear."""
    if view.standing:
        return None
    near = _nearest(view, view.settings.near_distance)
    if near is None:
        return None
    place, distance = near
    words = {"near": _quoted(view, place), "distance": str(distance)}
    return view.propose("near_miss", *_UNCLEAR, evidence=place, **words)


def stands_nowhere(view: CorrectionView) -> TriageProposal | None:
    """It stands nowhere in the source: unclear."""
    return None if view.standing else view.propose("stands_nowhere", *_UNCLEAR)


def gave_nothing(view: CorrectionView) -> bool:
    """Return whether the run filled no field of the record at all."""
    return all(not as_text(value).strip() for value in view.record.values())


def _as_written(view: CorrectionView, value: object) -> Evidence | None:
    """Return the line where *value* stands in just this way of writing: ``7.60`` does not in ``$7.60``."""
    wanted = _unspaced(value)
    for text, line in view.written:
        if _unspaced(text) == wanted:
            return line
    return None


def _unspaced(value: object) -> str:
    return "".join(as_text(value).split()).upper()


def _same_in_source(view: CorrectionView, value: object) -> tuple[str, Evidence] | None:
    """Return the text of the source that is the same value of the field's kind, and its line."""
    for text, line in view.written:
        if surely_the_same(view.rule.kind, text, value):
            return text, line
    return None


def _lacks_decimals_of_source(view: CorrectionView) -> bool:
    """Return whether the corrected amount is written whole though the source writes it with decimals."""
    corrected = view.correction.corrected
    if view.rule.kind is not FieldKind.amount or "." in as_text(corrected) or not amounts(corrected):
        return False
    return any("." in text and amounts(text) & amounts(corrected) for text, _ in view.written)


def _nearest(view: CorrectionView, within: int) -> tuple[Place, int] | None:
    """Return the place with the fewest differing characters, at most *within*, and how many differ."""
    corrected = view.correction.corrected
    if view.rule.kind is not FieldKind.text:
        wanted = loosened(corrected)
        found = [(edit_distance(loosened(text), wanted), line) for text, line in view.written]
        distance, line = min(found, key=lambda item: item[0], default=(within + 1, None))
        return ((line,), distance) if line is not None and distance <= min(within, len(wanted) // 2) else None
    places = [near for source in view.sources if (near := near_value(source, corrected, within=within)) is not None]
    best = min(places, key=lambda near: near.distance, default=None)
    return (best.place, best.distance) if best is not None else None


def _quoted(view: CorrectionView, place: Place) -> str:
    return view.say(quoted_lines(place))
