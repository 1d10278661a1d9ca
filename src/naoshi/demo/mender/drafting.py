"""Drafting a field's rules: the harness's files with what the evidence teaches about one field put in."""

import copy
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, cast

from naoshi.demo.agent.receipts_agent.harness import VALUE_FIELDS, Harness, feature, parse_harness
from naoshi.demo.agent.receipts_agent.text import blurred
from naoshi.demo.mender.burden_of_proof import CAREFUL, BurdenOfProof
from naoshi.demo.mender.cited_documents import CitedDocuments
from naoshi.demo.mender.evidence import Evidence
from naoshi.demo.mender.forms import LearnedForm, learn_cuts, learn_value_forms
from naoshi.demo.mender.harness_file import HarnessFiles
from naoshi.demo.mender.merchants import learn_merchants, most_common
from naoshi.demo.mender.scores import LearnedScore, ScoringExample, learn_scores
from naoshi.demo.receipts import field_is_right

_FORM_CUES: Final = {"pattern", "cut"}
_Entry = dict[str, Any]


def draft_field(
    files: HarnessFiles,
    documents: CitedDocuments,
    field: str,
    *,
    evidence: Sequence[Evidence],
    proof: BurdenOfProof = CAREFUL,
    hold: bool = False,
) -> HarnessFiles:
    """Return a copy of *files* with the rules of one field learned anew from *evidence*.

    Rules marked ``"keep": true`` by hand stay as they are and count as given. With *hold* all present
    scores count as given, so that only what the evidence speaks against changes.
    """
    draft = copy.deepcopy(files)
    pairs = [(documents.pages[item.document], item.value) for item in evidence]
    forms = _forms(draft, field)
    learn_forms = learn_value_forms if field in VALUE_FIELDS else learn_cuts
    _merge_forms(forms, learn_forms(pairs, least_support=proof.least_support))
    kept = [entry for entry in _cues(draft, field) if entry.get("keep") is True]
    prior = {feature(entry["where"], entry["text"]): float(entry["score"]) for entry in kept}
    kind = "pattern" if field in VALUE_FIELDS else "cut"
    prior |= {feature(kind, entry["name"]): float(entry["score"]) for entry in forms if entry.get("keep") is True}
    if hold:
        prior = {**parse_harness(files).scores[field], **prior}
    examples = _examples(parse_harness(draft), documents, field, evidence)
    scores = learn_scores(examples, price=proof.price, least_support=proof.least_support, prior=prior)
    _set_scores(draft, field, scores, kept=kept, kind=kind)
    return draft


def draft_merchants(
    files: HarnessFiles,
    documents: CitedDocuments,
    field: str,
    *,
    evidence: Sequence[Evidence],
    proof: BurdenOfProof = CAREFUL,
) -> HarnessFiles:
    """Return a copy of *files* whose merchant master has one field's entries learned anew.

    *evidence* is that on all fields: a merchant is called by its company, and dates and sums of money never
    tell one.
    """
    draft = copy.deepcopy(files)
    entries = cast("list[_Entry]", draft["merchants.json"]["merchants"])
    kept = [entry for entry in entries if entry.get("keep") is True or field not in entry]
    learned = learn_merchants(
        [item for item in evidence if item.field == field],
        documents.pages,
        field=field,
        least_support=proof.least_support,
        excluded=_changing_texts(parse_harness(draft), documents, evidence),
    )
    known = {entry.get(field) for entry in kept}
    companies = {item.document: " ".join(item.value.split()) for item in evidence if item.field == "company"}
    for merchant in learned:
        if merchant.value not in known:
            names = [companies[path] for path in merchant.documents if path in companies]
            kept.append(merchant.entry(most_common(names) if names else merchant.value))
    kept.sort(key=lambda entry: (entry["name"], "company" not in entry, entry.get("address") or ""))
    draft["merchants.json"]["merchants"] = kept
    return draft


def blend(files: HarnessFiles, draft: HarnessFiles, field: str, *, share: float) -> HarnessFiles:
    """Return *draft* with one field's scores only *share* (0 to 1) of the way from those of *files*."""
    blended = copy.deepcopy(draft)
    before, after = parse_harness(files).scores[field], parse_harness(draft).scores[field]

    def between(name: str) -> float:
        old, new = before.get(name, 0.0), after.get(name, 0.0)
        return round(old + share * (new - old), 2)

    kind = "pattern" if field in VALUE_FIELDS else "cut"
    for entry in _forms(blended, field):
        entry["score"] = between(feature(kind, entry["name"]))
    cues = {feature(cue["where"], cue["text"]): cue for part in (files, draft) for cue in _cues(part, field)}
    scored = [{**cue, "score": between(name)} for name, cue in cues.items()]
    _cues(blended, field)[:] = _ordered(cue for cue in scored if cue["score"] or cue.get("keep") is True)
    return blended


def without_merchants(files: HarnessFiles, field: str, values: Collection[str]) -> HarnessFiles:
    """Return *files* without the merchants' entries that give one field one of *values*."""
    entries = files["merchants.json"]["merchants"]
    kept = [entry for entry in entries if entry.get("keep") is True or entry.get(field) not in values]
    return {**files, "merchants.json": {**files["merchants.json"], "merchants": kept}}


def _examples(
    harness: Harness, documents: CitedDocuments, field: str, evidence: Iterable[Evidence]
) -> list[ScoringExample]:
    found: list[ScoringExample] = []
    for item in evidence:
        if candidates := documents.candidates(harness, item.document, field):
            found.append(
                ScoringExample(
                    document=item.document,
                    features=tuple(candidate.features for candidate in candidates),
                    right=tuple(field_is_right(item.value, candidate.value) for candidate in candidates),
                    weight=item.weight,
                )
            )
    return found


def _forms(files: HarnessFiles, field: str) -> list[_Entry]:
    return files["patterns.json"]["values" if field in VALUE_FIELDS else "cuts"][field]


def _cues(files: HarnessFiles, field: str) -> list[_Entry]:
    return files["labels.json"][field] if field in VALUE_FIELDS else files["layouts.json"][field]["cues"]


def _merge_forms(entries: list[_Entry], forms: Iterable[LearnedForm]) -> None:
    """Widen the forms that are known by name, and add the others behind them."""
    by_name = {entry["name"]: entry for entry in entries}
    for form in forms:
        entry = by_name.get(form.name)
        if entry is None:
            entry = {"name": form.name, "score": 0.0}
            entries.append(entry)
        if entry.get("keep") is not True:
            entry |= {"pattern": form.pattern, "support": form.support}


def _set_scores(
    files: HarnessFiles, field: str, scores: Mapping[str, LearnedScore], *, kept: list[_Entry], kind: str
) -> None:
    for entry in _forms(files, field):
        learned = scores.get(feature(kind, entry["name"]))
        if entry.get("keep") is not True:
            entry["score"] = learned.score if learned else 0.0
    own = {feature(entry["where"], entry["text"]) for entry in kept}
    cues: list[_Entry] = [*kept]
    for name, learned in scores.items():
        where, _, text = name.partition("|")
        if where not in _FORM_CUES and name not in own:
            cues.append({"where": where, "text": text, "score": learned.score, "support": learned.support})
    _cues(files, field)[:] = _ordered(cues)


def _ordered(cues: Iterable[_Entry]) -> list[_Entry]:
    return sorted(cues, key=lambda cue: (cue["where"], -float(cue["score"]), cue["text"]))


def _changing_texts(
    harness: Harness, documents: CitedDocuments, evidence: Iterable[Evidence]
) -> dict[str, frozenset[str]]:
    """Return for each document its dates and sums of money, which must never tell a merchant."""
    found: dict[str, set[str]] = {
        path: {
            blurred(candidate.value)
            for field in VALUE_FIELDS
            for candidate in documents.candidates(harness, path, field)
        }
        for path in documents.pages
    }
    for item in evidence:
        if item.field in VALUE_FIELDS:
            found[item.document].add(blurred(item.value))
    return {path: frozenset(texts) for path, texts in found.items()}
