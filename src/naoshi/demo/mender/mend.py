"""Mending the harness: for each field, learn its rules anew from the evidence and keep them if that gains."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from naoshi.demo.agent.receipts_agent.harness import BLOCK_FIELDS, FIELDS, parse_harness
from naoshi.demo.mender.burden_of_proof import BurdenOfProof, burden_of_proof
from naoshi.demo.mender.cited_documents import CitedDocuments
from naoshi.demo.mender.drafting import blend, draft_field, draft_merchants, without_merchants
from naoshi.demo.mender.evidence import LEFT_STANDING, Evidence, Handoff
from naoshi.demo.mender.harness_file import HarnessFiles
from naoshi.demo.receipts import field_is_right, letters_and_digits

_STRESS: Final = 4.0
_SHARES: Final = (0.75, 0.5, 0.25)


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


def mend(files: HarnessFiles, handoff: Handoff) -> Mended:
    """Return the harness as the evidence of *handoff* wants it. The same input gives the same harness.

    A field's rules change only where that mends a case and loses none of the confirmed values. On a second
    attempt the fields that are named in the reasons of the failure change as little as can be, on a third not
    at all; where no field is named, every field counts as named on the second, and the third makes only the
    best change.

    Where the handoff says that every case is true as it stands, one document is proof enough for a rule, and what
    mends most cases is taken (see `naoshi.demo.mender.burden_of_proof`). Confirmed values stay untouchable.
    """
    proof = burden_of_proof(every_case=handoff.every_case)
    documents = CitedDocuments(pages=handoff.documents)
    evidence = (*handoff.evidence, *_read_now(files, documents, handoff.evidence))
    blamed = blamed_fields(handoff.previous_failures) if handoff.attempt > 1 else frozenset[str]()
    drafts: dict[str, tuple[int, HarnessFiles]] = {}
    for field in FIELDS:
        held = handoff.attempt > 1 and (field in blamed or not blamed)
        if (held and blamed and handoff.attempt > 2) or not any(item.broken for item in handoff.of(field)):
            continue
        draft, effect = _best_draft(files, documents, field, evidence=evidence, proof=proof, hold=held)
        if effect.mended:
            drafts[field] = (effect.mended, draft)
    if handoff.attempt > 2 and not blamed and drafts:
        best = max(drafts, key=lambda field: drafts[field][0])
        drafts = {best: drafts[best]}
    mended, learned = files, list[str]()
    for field, (_, draft) in drafts.items():
        mended = _with_field(mended, draft, field)
        learned += [f"{field}: {line}" for line in _differences(files, draft, field)]
    return Mended(files=mended, learned=tuple(learned))


def blamed_fields(reasons: Sequence[str]) -> frozenset[str]:
    """Return the fields that the reasons of a failure name."""
    return frozenset(field for field in FIELDS if any(re.search(rf"\b{field}\b", reason) for reason in reasons))


def effect_of(files: HarnessFiles, documents: CitedDocuments, evidence: Iterable[Evidence], field: str) -> Effect:
    """Say what *files* do to the cases and confirmed values of one field."""
    harness = parse_harness(files)
    mended, lost = 0, list[Evidence]()
    for item in evidence:
        if item.field != field or not item.confirmed:
            continue
        right = field_is_right(item.value, documents.value(harness, item.document, field).text)
        mended += right and item.broken
        if not right and not item.broken:
            lost.append(item)
    return Effect(mended=mended, lost=tuple(lost))


def _read_now(files: HarnessFiles, documents: CitedDocuments, evidence: Iterable[Evidence]) -> list[Evidence]:
    """Return what the present harness reads where nothing else is known of a cited document.

    A document is cited for the fields that were wrong in it, so that what nobody spoke of is mostly right.
    """
    harness = parse_harness(files)
    known = {(item.document, item.field) for item in evidence}
    return [
        Evidence(document=path, field=field, value=value, weight=LEFT_STANDING, broken=False)
        for path in sorted(documents.pages)
        for field in FIELDS
        if (path, field) not in known
        and (value := documents.value(harness, path, field).text) is not None
        and letters_and_digits(value)
    ]


def _best_draft(
    files: HarnessFiles,
    documents: CitedDocuments,
    field: str,
    *,
    evidence: Sequence[Evidence],
    proof: BurdenOfProof,
    hold: bool,
) -> tuple[HarnessFiles, Effect]:
    """Return the draft to take of those that lose nothing and mend something, or *files* as they are."""
    best = files, Effect(mended=0, lost=())
    for draft, effect in _drafts(files, documents, field, evidence=evidence, proof=proof, hold=hold):
        if effect.mended > best[1].mended and not effect.lost:
            best = draft, effect
            if not proof.every_case:
                break
    return best


def _drafts(
    files: HarnessFiles,
    documents: CitedDocuments,
    field: str,
    *,
    evidence: Sequence[Evidence],
    proof: BurdenOfProof,
    hold: bool,
) -> Iterator[tuple[HarnessFiles, Effect]]:
    """Yield drafts of one field's rules: as learned, with stress on what that loses, and ever nearer to *files*."""
    own = sorted((item for item in evidence if item.field == field), key=lambda item: item.document)
    stress = dict.fromkeys((item.document for item in own), 1.0)
    draft = files
    for held in (hold, hold, True, True):
        weighed = [replace(item, weight=item.weight * stress[item.document]) for item in own]
        draft = draft_field(files, documents, field, evidence=weighed, proof=proof, hold=held)
        if field in BLOCK_FIELDS:
            draft = _with_merchants(draft, documents, field, evidence, proof)
        effect = effect_of(draft, documents, own, field)
        yield draft, effect
        for item in effect.lost:
            stress[item.document] *= _STRESS
    for share in _SHARES:
        nearer = blend(files, draft, field, share=share)
        yield nearer, effect_of(nearer, documents, own, field)


def _with_merchants(
    files: HarnessFiles, documents: CitedDocuments, field: str, evidence: Sequence[Evidence], proof: BurdenOfProof
) -> HarnessFiles:
    """Return *files* with the merchants that the evidence proves, without those that lose a confirmed value."""
    draft = draft_merchants(files, documents, field, evidence=evidence, proof=proof)
    harness = parse_harness(draft)
    lost = effect_of(draft, documents, evidence, field).lost
    found = [documents.value(harness, item.document, field) for item in lost]
    return without_merchants(draft, field, {value.text for value in found if value.merchant and value.text})


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
