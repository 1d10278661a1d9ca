"""What a model recommends, before anything of it was looked up, and the diagnosis that is made of it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from naoshi.errors import InputError
from naoshi.records import (
    Cause,
    Defect,
    Diagnosis,
    Evidence,
    FailureGroup,
    Layer,
    Recommendation,
    Split,
    content_id,
)
from naoshi.repair.engines.base import DiagnosisMaterial

_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class DraftEvidence(BaseModel):
    """One citation: identifiers as they stand in the material, or a file with a line."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    trace_id: str | None = None
    span_id: str | None = None
    case_id: str | None = None
    correction_id: str | None = None
    file: str | None = Field(default=None, description="Path of a file of the harness or a document, as given.")
    line: int | None = Field(default=None, ge=1, description="Line in that file, from 1.")
    quote: str | None = Field(default=None, description="Text that stands there, letter by letter.")

    def evidence(self) -> Evidence:
        """Return the citation as a record."""
        return Evidence(
            trace_id=self.trace_id or None,
            span_id=self.span_id or None,
            case_id=self.case_id or None,
            correction_id=self.correction_id or None,
            path=self.file or None,
            line=self.line,
            quote=self.quote or None,
        )


class DraftRecommendation(BaseModel):
    """One change of the harness, with what speaks for it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    title: str = Field(min_length=1, description="The change, in one short line.")
    statement: str = Field(default="", description="What was seen, why it happens, and what to change.")
    kind: Defect = Field(
        default=Defect.requirement_missing,
        description="A requirement that is missing from the harness, one that is there and not followed, or a defect "
        "of implementation or observability.",
    )
    layer: Layer = Field(default=Layer.prompt, description="The layer of the harness to change.")
    group: str | None = Field(default=None, description="The group_id of the failures that it would mend.")
    impact: _Share = Field(default=0.5, description="Share of the failures that it would mend.")
    confidence: _Share = Field(default=0.5, description="How sure this is.")
    effort: _Share = Field(default=0.5, description="How much work the change is.")
    evidence: tuple[DraftEvidence, ...] = Field(default=(), description="What it stands on; without any it is dropped.")


def require_visible(material: DiagnosisMaterial) -> None:
    """Refuse material with cases that no coding agent may see.

    Raises:
        InputError: a case is not of the diagnose split.
    """
    for case in material.cases:
        if case.split is not Split.diagnose:
            raise InputError(f"the case {case.case_id} is in the split {case.split.value}, which is not diagnosed")


def diagnosis_of(
    drafts: Sequence[DraftRecommendation],
    material: DiagnosisMaterial,
    *,
    engine: str,
    now: datetime,
    aliases: Mapping[str, Evidence] | None = None,
) -> Diagnosis:
    """Return the diagnosis that *drafts*, in their order, make up.

    *aliases* says what identifiers that stand for a record of ours in an export mean. A draft without a citation is
    dropped and named; what the others cite has not been looked up yet.
    """
    kept: list[Recommendation] = []
    dropped: list[str] = []
    for draft in drafts:
        evidence = tuple(
            dict.fromkeys(_meant(item.evidence(), aliases or {}) for item in draft.evidence if _says_something(item))
        )
        group = _group_of(draft, evidence, material)
        name = content_id("recommendation", engine, group.group_id if group else "", draft.title)
        if not evidence:
            dropped.append(name)
        elif all(item.recommendation_id != name for item in kept):
            kept.append(_recommendation(draft, evidence, group, name=name, rank=len(kept) + 1))
    groups = tuple(sorted(material.groups, key=lambda item: item.rank))
    body = [item.model_dump(mode="json") for item in kept]
    told = [item.model_dump(mode="json") for item in groups]
    return Diagnosis(
        diagnosis_id=content_id("diagnosis", engine, material.agent_version, told, body),
        engine=engine,
        agent_version=material.agent_version,
        groups=groups,
        recommendations=tuple(kept),
        dropped=tuple(dropped),
        made_at=now,
    )


def _recommendation(
    draft: DraftRecommendation, evidence: tuple[Evidence, ...], group: FailureGroup | None, *, name: str, rank: int
) -> Recommendation:
    return Recommendation(
        recommendation_id=name,
        rank=rank,
        group_id=group.group_id if group is not None else "",
        title=draft.title,
        statement=draft.statement,
        defect=draft.kind,
        layer=draft.layer,
        cause=_cause_of(group),
        impact=round(draft.impact, 4),
        confidence=round(draft.confidence, 4),
        effort=round(draft.effort, 4),
        evidence=evidence,
    )


def _says_something(item: DraftEvidence) -> bool:
    return any((item.trace_id, item.span_id, item.case_id, item.correction_id, item.file))


def _meant(item: Evidence, aliases: Mapping[str, Evidence]) -> Evidence:
    return aliases.get(item.span_id or "") or aliases.get(item.trace_id or "") or item


def _group_of(
    draft: DraftRecommendation, evidence: Sequence[Evidence], material: DiagnosisMaterial
) -> FailureGroup | None:  # fmt: skip
    """Return the group that the draft names, or that most of what it cites belongs to, or the most frequent one."""
    by_id = {group.group_id: group for group in material.groups}
    if draft.group in by_id:
        return by_id[draft.group or ""]
    origins = {case.case_id: case.provenance.trace_id for case in material.cases}
    cited = {item.trace_id or origins.get(item.case_id or "") for item in evidence} - {None}
    votes = Counter({group.group_id: len(cited & set(group.trace_ids)) for group in material.groups})
    best = min(material.groups, key=lambda group: (-votes[group.group_id], group.rank), default=None)
    return best


def _cause_of(group: FailureGroup | None) -> Cause:
    causes = group.causes if group is not None else {}
    known = [cause for cause in Cause if cause.is_improvable and causes.get(cause.value)]
    return max(known, key=lambda cause: causes[cause.value], default=Cause.mapping_problem)
