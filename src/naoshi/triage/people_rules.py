"""Rules about the correction itself and about the people who made it and others like it."""

from collections import defaultdict
from decimal import Decimal

from naoshi.records.correction import Cause, Correction, TriageClass, TriageProposal
from naoshi.records.field_rule import FieldKind
from naoshi.records.text_comparison import as_text, loosened
from naoshi.triage.correction_view import CorrectionView
from naoshi.triage.settings import Language
from naoshi.triage.written_value import amounts, dates

_NOISE = (TriageClass.noise, Cause.workflow_noise)
_UNCLEAR = (TriageClass.unclear, Cause.workflow_noise)


def run_unknown(view: CorrectionView) -> TriageProposal | None:
    """The run that is corrected is not in the store: unclear."""
    return view.propose("run_unknown", *_UNCLEAR) if view.trace is None else None


def unchanged(view: CorrectionView) -> TriageProposal | None:
    """Nothing was changed: noise."""
    before, after = as_text(view.correction.submitted), as_text(view.correction.corrected)
    return view.propose("unchanged", *_NOISE) if before.strip() == after.strip() else None


def superseded(view: CorrectionView) -> TriageProposal | None:
    """The same person corrected the same field otherwise later: noise."""
    correction = view.correction
    for other in sorted(view.history.rivals(correction), key=lambda item: item.at, reverse=True):
        later = other.practitioner == correction.practitioner and other.at > correction.at
        if later and not view.same_value(other.corrected, correction.corrected):
            who, value = view.say(other.practitioner), view.say(other.corrected)
            return view.propose("superseded", *_NOISE, evidence=view.of_others([other]), who=who, other=value)
    return None


def disagreement(view: CorrectionView) -> TriageProposal | None:
    """Two people corrected one field of one run or document differently: noise.

    Where more than half of at least three people agree, only the others' corrections are noise (`outvoted`).
    """
    camps = _camps(view)
    mine = next(camp for camp in camps if view.correction in camp)
    if view.settings.source_settles_disagreement and view.standing:
        camps = [camp for camp in camps if camp is mine or any(view.view_of(item).standing for item in camp)]
    if len(camps) < 2:
        return None
    people = {item.practitioner for camp in camps for item in camp}
    largest = max(camps, key=lambda camp: len({item.practitioner for item in camp}))
    supporters = {item.practitioner for item in largest}
    if len(supporters) >= 2 and 2 * len(supporters) > len(people):
        if mine is largest:
            return None
        return _opposed(view, "outvoted", largest)
    return _opposed(view, "disagreement", next(camp for camp in camps if camp is not mine))


def equal_after_normalising(view: CorrectionView) -> TriageProposal | None:
    """Only case, spacing, width or punctuation differ: noise of the workflow."""
    correction = view.correction
    same = view.equal_after_normalising(correction.submitted, correction.corrected)
    return view.propose("equal_after_normalising", *_NOISE) if same else None


def copied_from_previous(view: CorrectionView) -> TriageProposal | None:
    """It stands nowhere in the source and equals the person's last correction, of another document: noise."""
    correction = view.correction
    last = view.history.previous(correction)
    if last is None or view.standing or not _same_letters(last.corrected, correction.corrected):
        return None
    who = view.say(correction.practitioner)
    return view.propose("copied_from_previous", *_NOISE, evidence=view.of_others([last]), who=who)


def practitioner_bias(view: CorrectionView) -> TriageProposal | None:
    """All of one person's corrections of a field make one change that nobody else makes: noise."""
    correction, needed = view.correction, view.settings.bias_support
    change = _change(view)
    if change is None:
        return None
    alike = view.history.of_field(correction)
    mine = [item for item in alike if item.practitioner == correction.practitioner]
    others = [item for item in alike if item.practitioner != correction.practitioner]
    if len(mine) < needed or len(others) < needed:
        return None
    if any(_change(view.view_of(item)) != change for item in mine):
        return None
    if any(_change(view.view_of(item)) == change for item in others):
        return None
    evidence = view.of_others(item for item in mine if item.correction_id != correction.correction_id)
    who, why = view.say(correction.practitioner), _words(change, view.language)
    return view.propose("practitioner_bias", *_NOISE, evidence=evidence, who=who, why=why)


def _camps(view: CorrectionView) -> list[list[Correction]]:
    """Return this correction and its rivals by value, only the last of each person counted."""
    correction = view.correction
    last: dict[str, Correction] = {}
    for item in sorted((correction, *view.history.rivals(correction)), key=lambda item: item.at):
        last[item.practitioner] = item
    last[correction.practitioner] = correction
    camps: list[list[Correction]] = []
    for item in last.values():
        camp = next((camp for camp in camps if view.same_value(camp[0].corrected, item.corrected)), None)
        if camp is None:
            camps.append([item])
        else:
            camp.append(item)
    return camps


def _opposed(view: CorrectionView, rule: str, camp: list[Correction]) -> TriageProposal:
    who = ", ".join(view.say(item.practitioner) for item in camp[:3])
    other = view.say(camp[0].corrected)
    return view.propose(rule, *_NOISE, evidence=view.of_others(camp), who=who, other=other)


def _change(view: CorrectionView) -> tuple[str, str] | None:
    """Return what kind of change the correction makes to the submitted value, where it is of a kind."""
    correction = view.correction
    if view.rule.kind is FieldKind.amount:
        return _change_of_amount(amounts(correction.submitted), amounts(correction.corrected))
    if view.rule.kind is FieldKind.date:
        before, after = dates(correction.submitted), dates(correction.corrected)
        if before is None or after is None or before.day_first is None or after.day_first is None:
            return None
        days = (after.day_first - before.day_first).days
        return ("days", f"{days:+d}") if days else None
    return _change_of_text(loosened(correction.submitted), loosened(correction.corrected))


def _change_of_amount(before: frozenset[Decimal], after: frozenset[Decimal]) -> tuple[str, str] | None:
    if len(before) != 1 or len(after) != 1 or not all(before) or not all(after):
        return None
    old, new = next(iter(before)), next(iter(after))
    if old == new:
        return None
    if new == old.to_integral_value() or new == int(old):
        return ("rounded", "")
    return ("factor", f"{new / old:.3f}")


def _change_of_text(before: str, after: str) -> tuple[str, str] | None:
    if not before or not after or before == after:
        return None
    for kind, longer, shorter in (("added", after, before), ("dropped", before, after)):
        if longer.startswith(shorter):
            return (f"{kind} after", longer[len(shorter) :])
        if longer.endswith(shorter):
            return (f"{kind} before", longer[: -len(shorter)])
    return None


_CHANGES = {
    "days": ("日付を{}日ずらす", "the date moved by {} days"),
    "rounded": ("端数を落とす", "the amount rounded"),
    "factor": ("{}倍にする", "the amount times {}"),
    "added after": ("末尾に{}を足す", "{} added at the end"),
    "added before": ("先頭に{}を足す", "{} added at the beginning"),
    "dropped after": ("末尾の{}を落とす", "{} dropped at the end"),
    "dropped before": ("先頭の{}を落とす", "{} dropped at the beginning"),
}


def _words(change: tuple[str, str], language: Language) -> str:
    japanese, english = _CHANGES[change[0]]
    return (japanese if language is Language.ja else english).format(change[1][:40])


def _same_letters(left: object, right: object) -> bool:
    return loosened(left) == loosened(right) != ""


def supporters(view: CorrectionView) -> tuple[Correction, ...]:
    """Return the corrections of other runs by other people that give the same value, one of each person."""
    found: defaultdict[str, list[Correction]] = defaultdict(list)
    correction = view.correction
    for item in view.history.of_field(correction):
        elsewhere = item.trace_id != correction.trace_id and item.document != correction.document
        if elsewhere and item.practitioner != correction.practitioner:
            if _same_letters(item.corrected, correction.corrected):
                found[item.practitioner].append(item)
    return tuple(items[0] for items in found.values())
