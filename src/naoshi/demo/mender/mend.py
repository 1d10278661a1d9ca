"""Mending the harness: for each field, learn its rules anew from the evidence and keep them if that gains."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from naoshi.demo.agent.receipts_agent.extract import read_field
from naoshi.demo.agent.receipts_agent.harness import BLOCK_FIELDS, FIELDS, parse_harness
from naoshi.demo.mender.drafting import draft_field, draft_merchants
from naoshi.demo.mender.evidence import LEFT_STANDING, Evidence, Handoff
from naoshi.demo.mender.harness_file import HarnessFiles
from naoshi.demo.receipts import field_is_right

_STRESS: Final = 4.0
_DRAFTS: Final = 3
_PRICE_OF_A_LOSS: Final = 2


@dataclass(frozen=True, kw_only=True)
class Mended:
    """The new content of the harness's files, and a line for people on each rule that came, went or moved."""

    files: HarnessFiles
    learned: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Effect:
    """What a draft does to the evidence on one field: the cases it mends, and the values it loses."""

    mended: int
    lost: tuple[Evidence, ...]

    @property
    def gain(self) -> int:
        """Cases mended, less twice the values lost."""
        return self.mended - _PRICE_OF_A_LOSS * len(self.lost)


def mend(files: HarnessFiles, handoff: Handoff) -> Mended:
    """Return the harness as the evidence of *handoff* wants it. The same input gives the same harness.

    A field's rules change only where that mends more than it loses. On a second attempt the fields that
    are named in the reasons of the failure change as little as can be, on a third not at all; where no
    field is named, every field counts as named on the second, and the third makes only the best change.
    """
    handoff = with_present_readings(files, handoff)
    blamed = blamed_fields(handoff.previous_failures) if handoff.attempt > 1 else frozenset[str]()
    drafts: dict[str, tuple[int, HarnessFiles]] = {}
    for field in FIELDS:
        held = handoff.attempt > 1 and (field in blamed or not blamed)
        if (held and blamed and handoff.attempt > 2) or not any(item.broken for item in handoff.of(field)):
            continue
        draft, effect = _best_draft(files, handoff, field, hold=held)
        if effect.gain > 0:
            drafts[field] = (effect.gain, draft)
    if handoff.attempt > 2 and not blamed and drafts:
        best = max(drafts, key=lambda field: drafts[field][0])
        drafts = {best: drafts[best]}
    mended, learned = files, list[str]()
    for field, (_, draft) in drafts.items():
        mended = _with_field(mended, draft, field)
        learned += [f"{field}: {line}" for line in _differences(files, draft, field)]
    return Mended(files=mended, learned=tuple(learned))


def with_present_readings(files: HarnessFiles, handoff: Handoff) -> Handoff:
    """Return *handoff* with what the present harness reads where nothing else is known of a cited document.

    A document is cited for the fields that were wrong in it, so that what nobody spoke of is mostly right.
    """
    harness = parse_harness(files)
    known = {(item.document, item.field) for item in handoff.evidence}
    read = [
        Evidence(document=path, field=field, value=value, weight=LEFT_STANDING, broken=False)
        for path, document in sorted(handoff.documents.items())
        for field in FIELDS
        if (path, field) not in known and (value := read_field(document, harness, field).value) is not None
    ]
    return replace(handoff, evidence=(*handoff.evidence, *read))


def blamed_fields(reasons: Sequence[str]) -> frozenset[str]:
    """Return the fields that the reasons of a failure name."""
    return frozenset(field for field in FIELDS if any(re.search(rf"\b{field}\b", reason) for reason in reasons))


def effect_of(files: HarnessFiles, handoff: Handoff, field: str) -> Effect:
    """Say what *files* do to the cases and confirmed values of one field."""
    harness = parse_harness(files)
    mended, lost = 0, list[Evidence]()
    for item in handoff.of(field):
        if not item.confirmed:
            continue
        right = field_is_right(item.value, read_field(handoff.documents[item.document], harness, field).value)
        mended += right and item.broken
        if not right and not item.broken:
            lost.append(item)
    return Effect(mended=mended, lost=tuple(lost))


def _best_draft(files: HarnessFiles, handoff: Handoff, field: str, *, hold: bool) -> tuple[HarnessFiles, Effect]:
    best, best_effect = files, Effect(mended=0, lost=())
    for draft, effect in _drafts(files, handoff, field, hold=hold):
        if effect.gain > best_effect.gain:
            best, best_effect = draft, effect
    return best, best_effect


def _drafts(files: HarnessFiles, handoff: Handoff, field: str, *, hold: bool) -> Iterator[tuple[HarnessFiles, Effect]]:
    """Yield drafts of one field's rules until one loses nothing: each stresses what the one before it lost."""
    evidence = handoff.of(field)
    stressed: frozenset[str] = frozenset()
    for _ in range(_DRAFTS):
        weighed = [
            replace(item, weight=item.weight * _STRESS) if item.document in stressed else item for item in evidence
        ]
        draft = draft_field(files, handoff, field, evidence=weighed, hold=hold)
        if field in BLOCK_FIELDS:
            draft = draft_merchants(draft, handoff, field, evidence=evidence)
        effect = effect_of(draft, handoff, field)
        yield draft, effect
        lost = {item.document for item in effect.lost}
        if lost <= stressed:
            return
        stressed |= lost


def _with_field(files: HarnessFiles, draft: HarnessFiles, field: str) -> HarnessFiles:
    """Return *files* with one field's rules taken from *draft*."""
    labels, layouts, patterns = files["labels.json"], files["layouts.json"], files["patterns.json"]
    drafted = draft["patterns.json"]
    if field not in BLOCK_FIELDS:
        values = {**patterns["values"], field: drafted["values"][field]}
        return {
            **files,
            "labels.json": {**labels, field: draft["labels.json"][field]},
            "patterns.json": {**patterns, "values": values},
        }
    entries = [entry for entry in files["merchants.json"]["merchants"] if field not in entry]
    entries += [entry for entry in draft["merchants.json"]["merchants"] if field in entry]
    return {
        **files,
        "layouts.json": {**layouts, field: draft["layouts.json"][field]},
        "patterns.json": {**patterns, "cuts": {**patterns["cuts"], field: drafted["cuts"][field]}},
        "merchants.json": {**files["merchants.json"], "merchants": entries},
    }


def _differences(files: HarnessFiles, draft: HarnessFiles, field: str) -> list[str]:
    before, after = _rules(files, field), _rules(draft, field)
    lines: list[str] = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if new is None:
            lines.append(f"dropped {name}")
        else:
            support = f" (support {new['support']})" if "support" in new else ""
            lines.append(f"{'learned' if old is None else 'changed'} {name} = {_weight(new)}{support}")
    return lines


def _weight(entry: Mapping[str, Any]) -> str:
    return f"{entry['score']:+.2f}" if "score" in entry else ", ".join(entry["identify"])


def _rules(files: HarnessFiles, field: str) -> dict[str, Mapping[str, Any]]:
    """Return every rule of one field by the name under which people read of it."""
    patterns = files["patterns.json"]
    if field not in BLOCK_FIELDS:
        rules = {f"pattern {entry['name']}": entry for entry in patterns["values"][field]}
        return rules | {f"{entry['where']} {entry['text']}": entry for entry in files["labels.json"][field]}
    rules = {f"cut {entry['name']}": entry for entry in patterns["cuts"][field]}
    rules |= {f"{entry['where']} {entry['text']}": entry for entry in files["layouts.json"][field]["cues"]}
    merchants = [entry for entry in files["merchants.json"]["merchants"] if field in entry]
    return rules | {f"merchant {entry[field]}": entry for entry in merchants}
