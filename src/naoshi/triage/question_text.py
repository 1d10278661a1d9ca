"""What a person reads before deciding: each correction with its evidence, and the proposal. Values are hostile."""

from collections.abc import Iterator, Mapping
from typing import Final

from naoshi.records.correction import Cause, TriageClass
from naoshi.records.evidence import Evidence
from naoshi.triage.bundle import TriageBundle, TriageItem
from naoshi.triage.quotation import shown, visible
from naoshi.triage.settings import Language

_MOST_EVIDENCE = 4

_CLASSES: Final[Mapping[TriageClass, tuple[str, str]]] = {
    TriageClass.defect: ("エージェントの不具合", "a defect of the agent"),
    TriageClass.judgement: ("業務上の判断の違い", "a difference of business judgement"),
    TriageClass.noise: ("ノイズ", "noise"),
    TriageClass.unclear: ("正解が不明", "unclear truth"),
}
_CAUSES: Final[Mapping[Cause, tuple[str, str]]] = {
    Cause.extraction_miss: ("読み取り漏れ", "extraction miss"),
    Cause.mapping_problem: ("対応付けの誤り", "mapping problem"),
    Cause.missing_product_support: ("未対応の種類", "missing product support"),
    Cause.workflow_noise: ("作業上のノイズ", "workflow noise"),
}


def choice_label(
    decision: TriageClass | None, cause: Cause | None, *, language: Language, proposed: bool, alone: bool
) -> str:
    """Return the label of a choice; without *decision* it is to be asked one by one."""
    japanese = language is Language.ja
    if decision is None:
        return "個別に決める" if japanese else "Decide one by one"
    verdict = _verdict(decision, cause, language)
    if japanese:
        return f"提案どおり: {verdict}" if proposed else verdict if alone else f"すべて{verdict}"
    return f"As proposed: {verdict}" if proposed else _capital(verdict) if alone else f"All are {verdict}"


def question_text(bundled: TriageBundle, *, language: Language, longest_shown: int) -> str:
    """Return the question without its choices: one short block a correction, all values quoted on one line."""
    japanese = language is Language.ja
    field = visible(f"{bundled.artifact}.{bundled.field}", longest=80)
    count = len(bundled.items)
    verdict = _verdict(bundled.decision, bundled.cause, language)
    if japanese:
        opening = f"{field} の訂正 {count} 件をどう扱いますか。提案: {verdict} (規則 {bundled.rule})"
    else:
        noun = "correction" if count == 1 else "corrections"
        opening = f"What are {count} {noun} of {field}? Proposed: {verdict} (rule {bundled.rule})"
    lines = [opening]
    for item in bundled.items:
        lines += _item_lines(item, language, longest_shown)
    return "\n".join(lines)


def _item_lines(item: TriageItem, language: Language, longest: int) -> Iterator[str]:
    before, after = (shown(value, language=language, longest=longest) for value in (item.submitted, item.corrected))
    who = visible(item.practitioner, longest=40)
    where = f", {visible(item.document, longest=80)}" if item.document else ""
    yield f"- {before} → {after} ({who}{where})"
    if item.reason:
        label = "理由" if language is Language.ja else "reason"
        yield f"    {label}: {shown(item.reason, language=language, longest=longest)}"
    yield f"    {item.proposal.statement}"
    for evidence in item.proposal.evidence[:_MOST_EVIDENCE]:
        line = _evidence_line(evidence, language, longest)
        if line:
            yield f"    {line}"
    if len(item.proposal.evidence) > _MOST_EVIDENCE:
        more = len(item.proposal.evidence) - _MOST_EVIDENCE
        yield f"    ほか {more} か所" if language is Language.ja else f"    and {more} more"


def _evidence_line(evidence: Evidence, language: Language, longest: int) -> str:
    japanese = language is Language.ja
    quote = shown(evidence.quote, language=language, longest=longest) if evidence.quote else ""
    if evidence.path is not None:
        place = f"{visible(evidence.path, longest=80)}:{evidence.line}" if evidence.line else visible(evidence.path)
    elif evidence.correction_id is not None:
        place = f"{'訂正' if japanese else 'correction'} {evidence.correction_id}"
    elif evidence.note:
        place = visible(evidence.note, longest=80)
    else:
        place = f"{'実行' if japanese else 'run'} {visible(evidence.trace_id or '', longest=80)}"
    taken = evidence.note == "taken by the run"
    mark = (" (実行が取った場所)" if japanese else " (taken by the run)") if taken else ""
    return f"{place} {quote}{mark}".strip()


def _verdict(decision: TriageClass, cause: Cause | None, language: Language) -> str:
    index = 0 if language is Language.ja else 1
    name = _CLASSES[decision][index]
    if decision is not TriageClass.defect or cause is None:
        return name
    return f"{name} ({_CAUSES[cause][index]})"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
