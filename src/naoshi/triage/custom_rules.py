"""Rules about the custom of a field: what nearly all of its corrections do, and one does not."""

import re
from collections.abc import Iterable

from naoshi.records.correction import Cause, Correction, TriageClass, TriageProposal
from naoshi.records.field_rule import FieldKind
from naoshi.records.text_comparison import as_text, loosened
from naoshi.triage.correction_view import CorrectionView
from naoshi.triage.written_value import amounts

_NOISE = (TriageClass.noise, Cause.workflow_noise)
_WORD = re.compile(r"[^\W_]+")
_LONGEST_LEFT_OUT = 12


def shortened(view: CorrectionView) -> TriageProposal | None:
    """It leaves out a word beside it in the source that nearly all other corrections of the field keep: noise."""
    if view.rule.kind is not FieldKind.text or not view.places:
        return None
    beside = [words_beside(view, place_index=index) for index in range(len(view.places))]
    if any(not before and not after for before, after in beside):
        return None
    others = _others(view)
    for before, after in beside:
        for word in filter(None, (before, after)):
            kept = [item for item in others if _keeps(item, word, at_start=word == before)]
            left = [item for item in others if word in _left_out(view.view_of(item))]
            if _is_custom(view, len(kept), len(left)):
                evidence = (*view.places[0], *view.of_others(kept))
                return view.propose("shortened", *_NOISE, evidence=evidence, word=view.say(word))
    return None


def cents_left_out(view: CorrectionView) -> TriageProposal | None:
    """The amount is whole where nearly all other corrections of the field, and the source, have decimals: noise."""
    corrected = view.correction.corrected
    if view.rule.kind is not FieldKind.amount or not amounts(corrected) or has_decimals(corrected):
        return None
    judged = [has_decimals(item.corrected) for item in _others(view) if amounts(item.corrected)]
    in_source = any(has_decimals(text) for text, _ in view.written)
    if not in_source or not _is_custom(view, sum(judged), len(judged) - sum(judged)):
        return None
    return view.propose("cents_left_out", *_NOISE, evidence=view.of_others(_others(view)))


def has_decimals(value: object) -> bool:
    """Return whether an amount is written with a decimal part."""
    return re.search(r"\d[.,]\d{1,2}(?!\d)", as_text(value)) is not None


def words_beside(view: CorrectionView, *, place_index: int = 0) -> tuple[str, str]:
    """Return the words (letters and digits, case folded) before and after the corrected value on its lines.

    Without a word there, the text is empty. A script that sets no spaces gives the whole rest of the line, if short.
    """
    place = view.places[place_index]
    text = " ".join(line.quote or "" for line in place)
    before, after = _around(text, loosened(view.correction.corrected))
    words_before, words_after = _WORD.findall(before), _WORD.findall(after)
    first = loosened(words_before[-1]) if words_before else ""
    last = loosened(words_after[0]) if words_after else ""
    return first[:_LONGEST_LEFT_OUT], last[:_LONGEST_LEFT_OUT]


def _others(view: CorrectionView) -> list[Correction]:
    mine = view.correction.correction_id
    return [item for item in view.history.of_field(view.correction) if item.correction_id != mine]


def _left_out(view: CorrectionView) -> Iterable[str]:
    return words_beside(view) if view.places else ()


def _keeps(correction: Correction, word: str, *, at_start: bool) -> bool:
    key = loosened(correction.corrected)
    if not word.isascii():
        return key.startswith(word) if at_start else key.endswith(word)
    return word in {loosened(item) for item in _WORD.findall(as_text(correction.corrected))}


def _is_custom(view: CorrectionView, keeping: int, breaking: int) -> bool:
    settings = view.settings
    enough = keeping >= settings.convention_support
    return enough and keeping >= settings.convention_share * (keeping + breaking)


def _around(text: str, wanted: str) -> tuple[str, str]:
    """Return what stands before and after *wanted* (letters and digits, case folded) in *text*."""
    key = ""
    ends: list[int] = []
    for index, character in enumerate(text):
        folded = loosened(character)
        key += folded
        ends += [index] * len(folded)
    start = key.find(wanted)
    if start < 0 or not wanted:
        return "", ""
    return text[: ends[start]], text[ends[start + len(wanted) - 1] + 1 :]
