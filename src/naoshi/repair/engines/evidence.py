"""The deterministic engine: diagnosis from groups and their evidence, without a model."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from naoshi.records import (
    Cause,
    Defect,
    Diagnosis,
    EvalRun,
    Evidence,
    Layer,
    Recommendation,
    ResultState,
    SignalSource,
    content_id,
)
from naoshi.records.language import Language
from naoshi.repair.engines.base import DiagnosisMaterial
from naoshi.repair.engines.drafts import require_visible
from naoshi.repair.engines.pattern import FailurePattern, SeenFailure, find_patterns
from naoshi.repair.engines.statement import statement, title

_CITED = 5
_NO_PLACE = 0.3

EFFORT: Final[Mapping[Layer, float]] = {
    Layer.mapping: 0.2,
    Layer.prompt: 0.2,
    Layer.artifact_schema: 0.3,
    Layer.tools: 0.4,
    Layer.observability: 0.4,
    Layer.evals: 0.4,
    Layer.skills: 0.5,
    Layer.routing: 0.6,
    Layer.control_flow: 0.7,
}
"""The effort (0 to 1) that a change of each layer is taken to need."""


@dataclass(frozen=True, kw_only=True)
class EvidenceEngine:
    """Ranks changes by how many failures speak for them and how much their evidence agrees."""

    language: Language = "en"
    name: str = "evidence"

    def diagnose(self, material: DiagnosisMaterial, *, now: datetime) -> Diagnosis:
        """Return the diagnosis. The same material gives the same one, its time aside.

        Impact is the share of all signals; confidence is the share of the group that has this cause, times one over the
        mean number of places where the right value stands (0.3 where it stands nowhere); effort goes by layer.

        Raises:
            InputError: the material holds cases that no coding agent may see.
        """
        require_visible(material)
        total = sum(group.count for group in material.groups)
        patterns = find_patterns(material)
        working = labels_that_work(patterns, material.run)
        drafts = [self._recommendation(pattern, total, working) for pattern in patterns]
        drafts.sort(key=lambda item: (-item.impact * item.confidence, item.effort, item.recommendation_id))
        ranked = tuple(item.model_copy(update={"rank": rank}) for rank, item in enumerate(drafts, start=1))
        body = [item.model_dump(mode="json") for item in ranked]
        groups = [group.model_dump(mode="json") for group in material.groups]
        return Diagnosis(
            diagnosis_id=content_id("diagnosis", self.name, material.agent_version, groups, body),
            engine=self.name,
            agent_version=material.agent_version,
            groups=tuple(sorted(material.groups, key=lambda group: group.rank)),
            recommendations=ranked,
            made_at=now,
        )

    def _recommendation(
        self, pattern: FailurePattern, total: int, working: Collection[tuple[str | None, str]]
    ) -> Recommendation:
        layer, defect = layer_and_defect(pattern, working)
        rule = _most_frequent([failure.rule for failure in pattern.seen if failure.rule is not None])
        return Recommendation(
            recommendation_id=content_id("recommendation", pattern.group.group_id, pattern.cause.value, pattern.label),
            rank=0,
            group_id=pattern.group.group_id,
            title=title(pattern, language=self.language),
            statement=statement(pattern, rule=rule, defect=defect, language=self.language),
            defect=defect,
            layer=layer,
            cause=pattern.cause,
            impact=round(min(1.0, pattern.count / total), 4) if total else 0.0,
            confidence=round(pattern.agreement * _certainty_of_place(pattern.seen), 4),
            effort=EFFORT[layer],
            evidence=tuple(_citation(failure) for failure in pattern.seen[:_CITED]),
        )


def layer_and_defect(
    pattern: FailurePattern, working: Collection[tuple[str | None, str]]
) -> tuple[Layer, Defect]:  # fmt: skip
    """Return what to change and what is wrong with it, by the first of these rules that fits.

    *working* are the labels, with their fields, beside which values are read right now.

    1. Claims without support (source `evidence`): the observability is defective.
    2. A broken output contract: the artifact's schema is asked for and not followed.
    3. A critique: the prompt asks for it and it is not followed.
    4. A kind of input without support: the routing lacks a requirement.
    5. A value read right beside the same words elsewhere: the requirement is there and not followed, in the mapping.
    6. A value taken from another place by a rule: the mapping lacks the requirement; without a rule that can be named,
       the implementation is wrong.
    7. A value that was not found at all: the tools that read it lack the requirement.
    """
    source = _most_frequent([failure.signal.source.value for failure in pattern.seen])
    by_source = {
        SignalSource.evidence.value: (Layer.observability, Defect.observability),
        SignalSource.contract.value: (Layer.artifact_schema, Defect.requirement_not_followed),
        SignalSource.critique.value: (Layer.prompt, Defect.requirement_not_followed),
    }
    if source in by_source:
        return by_source[source]
    if pattern.cause is Cause.missing_product_support:
        return Layer.routing, Defect.requirement_missing
    if pattern.label and (pattern.group.field, pattern.label) in working:
        return Layer.mapping, Defect.requirement_not_followed
    if pattern.cause is Cause.mapping_problem:
        named = any(failure.rule is not None for failure in pattern.seen)
        return Layer.mapping, Defect.requirement_missing if named else Defect.implementation
    return Layer.tools, Defect.requirement_missing


def labels_that_work(patterns: Sequence[FailurePattern], run: EvalRun | None) -> set[tuple[str | None, str]]:
    """Return fields and labels of failures of old whose cases pass in *run*."""
    passing = _passing(run)
    return {
        (pattern.group.field, failure.label)
        for pattern in patterns
        for failure in pattern.seen
        if failure.case_id in passing
    }


def _passing(run: EvalRun | None) -> set[str]:
    if run is None:
        return set()
    return {name for name, state in run.case_states().items() if state is ResultState.pass_}


def _certainty_of_place(seen: Sequence[SeenFailure]) -> float:
    counts = [len(failure.places) for failure in seen if failure.places]
    if not counts:
        return _NO_PLACE
    return len(counts) / sum(counts)


def _citation(failure: SeenFailure) -> Evidence:
    place = failure.places[0][0] if failure.places else Evidence()
    return Evidence(
        trace_id=failure.trace.trace_id,
        span_id=failure.span_id,
        case_id=failure.case_id,
        correction_id=failure.signal.correction_id if failure.case_id is not None else None,
        path=place.path,
        line=place.line,
        quote=place.quote,
        label=failure.label or None,
    )


def _most_frequent(values: Sequence[str]) -> str | None:
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], value), default=None)
