"""Choosing each field's value among its candidates, with the rule and the places that it came from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from .candidates import Candidate, block_candidates, merchant_candidates, value_candidates
from .document import Document, TextLine
from .harness import BLOCK_FIELDS, FIELDS, Harness


@dataclass(frozen=True, kw_only=True)
class FieldReading:
    """A field as it was read. ``value`` None means that no candidate was found; then ``rule`` is None too."""

    field: str
    value: str | None
    rule: str | None
    lines: tuple[TextLine, ...]
    score: float


def read_fields(document: Document, harness: Harness) -> dict[str, FieldReading]:
    """Read every field of the document."""
    return {field: read_field(document, harness, field) for field in FIELDS}


def read_field(document: Document, harness: Harness, field: str) -> FieldReading:
    """Read one field: a known merchant's entry if there is one, else the candidate with the best score.

    Of candidates with equal scores the first in reading order is taken.
    """
    if field in BLOCK_FIELDS:
        for name, candidate in merchant_candidates(document, harness, field):
            return _reading(harness, field, candidate, f"merchants.{field}: {name}", 0.0)
        candidates = block_candidates(document, harness, field)
    else:
        candidates = value_candidates(document, harness, field)
    scores = harness.scores[field]
    best = best_candidate(candidates, scores)
    if best is None:
        return FieldReading(field=field, value=None, rule=None, lines=(), score=0.0)
    return _reading(harness, field, best, _leading_rule(field, best, scores), candidate_score(best, scores))


def best_candidate(candidates: Iterable[Candidate], scores: Mapping[str, float]) -> Candidate | None:
    """Return the candidate with the best score, of equal ones the first, None without any."""
    return max(candidates, key=lambda candidate: candidate_score(candidate, scores), default=None)


def candidate_score(candidate: Candidate, scores: Mapping[str, float]) -> float:
    """Return the sum of the scores of the candidate's features; a feature without a score counts nothing."""
    return sum([scores[feature] for feature in candidate.features if feature in scores])


def _reading(harness: Harness, field: str, candidate: Candidate, rule: str, score: float) -> FieldReading:
    value = " ".join(candidate.value.split()).strip(harness.output[field].trim + " ")
    return FieldReading(field=field, value=value or None, rule=rule, lines=candidate.lines, score=score)


def _leading_rule(field: str, candidate: Candidate, scores: Mapping[str, float]) -> str:
    file = "layouts" if field in BLOCK_FIELDS else "labels"
    known = [feature for feature in candidate.features if scores.get(feature, 0.0) > 0]
    if not known:
        return f"{file}.{field}: first candidate"
    leading = max(known, key=lambda feature: scores[feature])
    where, _, text = leading.partition("|")
    return f"{'patterns' if where in {'pattern', 'cut'} else file}.{field}: {where} {text}"
