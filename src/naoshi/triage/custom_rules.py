"""Rules about the custom of a field: what nearly all of its corrections do, and one does not."""

import re
from collections.abc import Callable

from naoshi.records.correction import Cause, Correction, TriageClass, TriageProposal
from naoshi.records.field_rule import FieldKind
from naoshi.records.text_comparison import as_text, loosened
from naoshi.triage.correction_view import CorrectionView
from naoshi.triage.written_value import amounts, has_currency, has_decimals

_NOISE = (TriageClass.noise, Cause.workflow_noise)
_CLOSING = " \t　)]）］」』"
_WORD = re.compile(r"[^\W\d_]+")


def shortened(view: CorrectionView) -> TriageProposal | None:
    """It leaves out words beside it in the source, which nearly all other corrections of the field do not: noise.

    Either nearly all others reach to the end (or beginning) of the words on their lines, or nearly all others keep
    just the word that is left out here.
    """
    if view.rule.kind is not FieldKind.text or not view.standing:
        return None
    if any(not _open_before(before) and not _open_after(after) for before, after in view.surroundings):
        return None
    before, after = view.surroundings[0]
    for is_open, left_out, side in ((_open_before(before), before, 0), (_open_after(after), after, 1)):
        if is_open and (_reaching_is_custom(view, side) or _keeping_is_custom(view, left_out, side)):
            evidence = view.standing[0]
            word = view.say(_word(left_out, side))
            return view.propose("shortened", *_NOISE, evidence=evidence, word=word)
    return None


def unlike_others(view: CorrectionView) -> TriageProposal | None:
    """The amount is written with or without currency or decimals where nearly all others are not so: noise."""
    corrected = view.correction.corrected
    if view.rule.kind is not FieldKind.amount or not amounts(corrected):
        return None
    others = [item for item in _others(view) if amounts(item.corrected)]
    features: tuple[Callable[[object], bool], ...] = (has_decimals, has_currency)
    for feature in features:
        mine = feature(corrected)
        unlike = [item for item in others if feature(item.corrected) != mine]
        if _is_custom(view, len(unlike), len(others) - len(unlike)):
            return view.propose("unlike_others", *_NOISE, evidence=view.of_others(unlike))
    return None


def _reaching_is_custom(view: CorrectionView, side: int) -> bool:
    """Return whether nearly all other corrections of the field leave out no word beside them on that side."""
    views = [view.view_of(item) for item in _others(view)]
    is_open = (_open_before, _open_after)[side]
    judged = [any(not is_open(place[side]) for place in other.surroundings) for other in views if other.standing]
    return _is_custom(view, sum(judged), len(judged) - sum(judged))


def _keeping_is_custom(view: CorrectionView, left_out: str, side: int) -> bool:
    """Return whether nearly all other corrections that have the word beside or in them keep it."""
    word = loosened(_word(left_out, side))
    others = _others(view)
    kept = [item for item in others if word in {loosened(found) for found in _WORD.findall(as_text(item.corrected))}]
    left = [item for item in others if _leaves_out(view.view_of(item), word, side)]
    return _is_custom(view, len(kept), len(left))


def _leaves_out(view: CorrectionView, word: str, side: int) -> bool:
    return bool(view.surroundings) and loosened(_word(view.surroundings[0][side], side)) == word


def _word(text: str, side: int) -> str:
    words = _WORD.findall(text)
    return words[-1 if side == 0 else 0] if words else ""


def _open_before(text: str) -> bool:
    """Return whether a word goes on to the value, with no more than spaces between: nothing announces the value."""
    return text.rstrip()[-1:].isalpha()


def _open_after(text: str) -> bool:
    """Return whether a word follows the value, with no more than spaces and closing brackets between."""
    return text.lstrip(_CLOSING)[:1].isalpha()


def _others(view: CorrectionView) -> list[Correction]:
    mine = view.correction.correction_id
    return [item for item in view.history.of_field(view.correction) if item.correction_id != mine]


def _is_custom(view: CorrectionView, keeping: int, breaking: int) -> bool:
    settings = view.settings
    enough = keeping >= settings.convention_support
    return enough and keeping >= settings.convention_share * (keeping + breaking)
