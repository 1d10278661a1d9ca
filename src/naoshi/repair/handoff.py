"""Which evidence the coding agent gets: the diagnosis, the cases that fail, those that pass, and where values stand."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

from pydantic import JsonValue

from naoshi.errors import InputError
from naoshi.records import (
    CitedTrace,
    ConfirmedCase,
    Correction,
    Diagnosis,
    EvalCase,
    EvalRun,
    Evidence,
    FailureGroup,
    Handoff,
    HandoffCase,
    ResultState,
    Split,
    Trace,
    canonical_json,
    content_hash,
    content_id,
)
from naoshi.repair.handoff_file import render_handoff
from naoshi.repair.handoff_size import fitted
from naoshi.repair.protect import is_within
from naoshi.repair.settings import HandoffBudget, Layout

TRACES_FOLDER = ".naoshi/traces"
"""Where the exported traces lie, relative to the handoff."""

NO_CLOCK = datetime(1970, 1, 1, tzinfo=UTC)
"""Stands for every time in a handoff, so that the same evidence gives the same bytes."""

_UNNAMED = content_id("handoff", "not named yet")
"""As long as every identifier, so that a handoff that fits still does when it is named."""
_CLAIMS = "claims"
_FAILING = (ResultState.fail, ResultState.agent_error)
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,127}")


def build_handoff(
    diagnosis: Diagnosis,
    *,
    cases: Sequence[EvalCase],
    run: EvalRun,
    corrections: Sequence[Correction] = (),
    traces: Sequence[Trace] = (),
    editable: Sequence[str] = ("harness/",),
    attempt: int = 1,
    previous_failures: Sequence[str] = (),
    every_case: bool = False,
    budget: HandoffBudget | None = None,
    layout: Layout = "four",
    mask: Callable[[JsonValue], JsonValue] | None = None,
) -> Handoff:
    """Return what the coding agent gets of *diagnosis*, *cases* and their *run* by the present version.

    *traces* are looked up for sources and provenance; only those of the handed cases are ever cited, and a citation of
    anything else in the diagnosis is left out. *corrections* name the document of a case whose trace is gone. *mask*
    hides secrets in all that the handoff holds, as it was done in traces; none is hidden without it. *layout* is the
    one that it will be written in, which its length depends on.

    Raises:
        InputError: one of *cases* is not in the diagnose split, which is all that a coding agent may see.
    """
    for case in cases:
        if case.split is not Split.diagnose:
            raise InputError(f"the case {case.case_id} is in the split {case.split.value}, which no coding agent sees")
    limits = budget or HandoffBudget()
    evidence = _CaseEvidence.of(diagnosis, run=run, corrections=corrections, traces=traces, limits=limits)
    results = run.case_states()
    failing = [evidence.failing(case) for case in cases if results.get(case.case_id) in _FAILING]
    ranks = {group.group_id: group.rank for group in diagnosis.groups}
    failing.sort(key=lambda item: (ranks.get(item.group_id or "", len(ranks) + 1), item.case_id))
    passing = [evidence.confirmed(case) for case in cases if results.get(case.case_id) is ResultState.pass_]
    passing.sort(key=lambda item: item.case_id)
    cited = evidence.cited(failing[: limits.cases])
    left_out = {
        "cases": max(0, len(failing) - limits.cases),
        "confirmed": max(0, len(passing) - limits.confirmed),
        "traces": max(0, len(cited) - limits.traces),
        "without_result": len(cases) - len(failing) - len(passing),
    }
    draft = Handoff(
        handoff_id=_UNNAMED,
        agent_version=diagnosis.agent_version,
        diagnosis=_shareable(diagnosis, cases, editable),
        editable=tuple(editable),
        cases=tuple(failing[: limits.cases]),
        confirmed=tuple(passing[: limits.confirmed]),
        traces=tuple(cited[: limits.traces]),
        attempt=attempt,
        previous_failures=tuple(previous_failures),
        every_case=every_case,
        left_out={name: count for name, count in left_out.items() if count},
    )
    masked = draft if mask is None else Handoff.model_validate(mask(draft.model_dump(mode="json")))
    final = fitted(
        masked,
        longest=limits.characters,
        length=lambda item: len(render_handoff(item, listed=limits.listed, layout=layout)),
    )
    identifier = content_id("handoff", final.model_dump(mode="json", exclude={"handoff_id"}))
    return final.model_copy(update={"handoff_id": identifier})


def group_of_case(case: EvalCase, groups: Sequence[FailureGroup]) -> str | None:
    """Return the identifier of the first of *groups* that *case* is a failure of, or None."""
    origin = case.provenance
    known = {group.group_id for group in groups}
    if origin.group_id in known:
        return origin.group_id
    alike = [item for item in groups if (item.artifact, item.field) == (origin.artifact, origin.field)]
    same_trace = [item for item in alike if origin.trace_id in item.trace_ids]
    return next((item.group_id for item in [*same_trace, *alike]), None)


def trace_path(trace_id: str) -> str:
    """Return where the trace called *trace_id* is exported to, relative to the handoff; any name gives a safe path."""
    name = trace_id if _PLAIN_NAME.fullmatch(trace_id) else content_hash(trace_id)[:32]
    return f"{TRACES_FOLDER}/{name}.jsonl"


def _outputs(run: EvalRun) -> dict[str, JsonValue]:
    """Return an output of each case; of several trials one that shows what most of them do."""
    states = run.case_states()
    found: dict[str, JsonValue] = {}
    for result in run.results:
        if result.state is states[result.case_id]:
            found.setdefault(result.case_id, result.output)
    return found


@dataclass(frozen=True, kw_only=True)
class _CaseEvidence:
    """Looks up what is known of a case."""

    groups: Sequence[FailureGroup]
    outputs: Mapping[str, JsonValue]
    documents: Mapping[str, str]
    traces: Mapping[str, Trace]
    newest: Mapping[str, Trace]
    limits: HandoffBudget

    @classmethod
    def of(
        cls,
        diagnosis: Diagnosis,
        *,
        run: EvalRun,
        corrections: Sequence[Correction],
        traces: Sequence[Trace],
        limits: HandoffBudget,
    ) -> "_CaseEvidence":
        return cls(
            groups=sorted(diagnosis.groups, key=lambda group: group.rank),
            outputs=_outputs(run),
            documents={item.correction_id: item.document for item in corrections if item.document},
            traces={trace.trace_id: trace for trace in traces},
            newest={
                canonical_json(_plain(trace.vars)): trace
                for trace in traces
                if trace.agent_version == run.version
            },
            limits=limits,
        )  # fmt: skip

    def failing(self, case: EvalCase) -> HandoffCase:
        origin = case.provenance
        trace = self.traces.get(origin.trace_id or "")
        current = self.newest.get(canonical_json(_plain(case.vars)), trace)
        observed = self._observed(case)
        expected = _expected(case)
        return HandoffCase(
            case_id=case.case_id,
            group_id=group_of_case(case, self.groups),
            artifact=origin.artifact,
            field=origin.field,
            vars=_plain_vars(case.vars),
            observed=_plain(observed),
            expected=_plain(expected),
            trace_id=origin.trace_id,
            correction_id=origin.correction_id,
            places=self._places(trace or current, expected, self.documents.get(origin.correction_id or "")),
            rule=_rule_of(current, origin.field, observed),
        )

    def confirmed(self, case: EvalCase) -> ConfirmedCase:
        return ConfirmedCase(
            case_id=case.case_id,
            field=case.provenance.field,
            vars=_plain_vars(case.vars),
            value=_plain(_expected(case)),
        )

    def cited(self, failing: Sequence[HandoffCase]) -> list[CitedTrace]:
        names = dict.fromkeys(case.trace_id for case in failing if case.trace_id in self.traces)
        return [CitedTrace(trace_id=name, path=trace_path(name)) for name in names if name is not None]

    def _observed(self, case: EvalCase) -> JsonValue:
        field = case.provenance.field
        output = self.outputs.get(case.case_id)
        if field is None:
            return output
        if isinstance(output, dict) and field in output:
            return output[field]
        return case.provenance.observed

    def _places(self, trace: Trace | None, expected: JsonValue, document: str | None) -> tuple[Evidence, ...]:
        sources = trace.sources if trace is not None else ()
        sources = tuple(item for item in sources if item.path == document) or sources
        lines = [line for source in sources for place in source.places(expected) for line in place]
        distinct = {(line.path, line.line, line.quote): line for line in lines}
        return tuple(distinct.values())[: self.limits.places]


def _shareable(diagnosis: Diagnosis, cases: Sequence[EvalCase], editable: Sequence[str]) -> Diagnosis:
    """Return *diagnosis* without clocks and without anything about runs and cases that are kept from coding agents."""
    trace_ids = {case.provenance.trace_id for case in cases} | {None}
    case_ids = {case.case_id for case in cases} | {None}
    correction_ids = {case.provenance.correction_id for case in cases} | {None}

    def seen(item: Evidence) -> bool:
        known = item.trace_id in trace_ids and item.case_id in case_ids and item.correction_id in correction_ids
        # A place in a document is only shown together with the run that read it, else it could be a hidden one.
        bound = item.trace_id is not None or item.case_id is not None
        return known and (bound or item.path is None or is_within(item.path, editable))

    groups = tuple(_shareable_group(group, trace_ids) for group in diagnosis.groups)
    kept = [
        item.model_copy(update={"evidence": tuple(filter(seen, item.evidence))}) for item in diagnosis.recommendations
    ]
    gone = tuple(item.recommendation_id for item in kept if not item.evidence)
    return diagnosis.model_copy(
        update={
            "groups": groups,
            "recommendations": tuple(item for item in kept if item.evidence),
            "struck": tuple(item for item in diagnosis.struck if seen(item.evidence)),
            "dropped": tuple(dict.fromkeys((*diagnosis.dropped, *gone))),
            "made_at": NO_CLOCK,
        }
    )


def _shareable_group(group: FailureGroup, trace_ids: set[str | None]) -> FailureGroup:
    visible = tuple(name for name in group.trace_ids if name in trace_ids)
    example = group.example if len(visible) == len(group.trace_ids) else ""
    return group.model_copy(update={"trace_ids": visible, "signal_ids": (), "example": example})


def _expected(case: EvalCase) -> JsonValue:
    if case.provenance.corrected is not None:
        return case.provenance.corrected
    return next((item.value for item in case.assertions if item.type == "equals"), None)


def _rule_of(trace: Trace | None, field: str | None, observed: JsonValue) -> str | None:
    """Return the rule that gave *observed*, from the claims of the run; a claim of another value says nothing."""
    claims = trace.artifact(_CLAIMS) if trace is not None else None
    if claims is None or field is None or not isinstance(claims.value, list):
        return None
    for claim in claims.value:
        if isinstance(claim, dict) and claim.get("field") == field and claim.get("value") == observed:
            rule = claim.get("rule")
            return rule if isinstance(rule, str) else None
    return None


def _plain_vars(values: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return cast("dict[str, JsonValue]", _plain(dict(values)))


def _plain(value: Any) -> JsonValue:
    """Return *value* in one order of keys, with what JSON cannot say (NaN, half a character) as readable text."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list):
        return [_plain(item) for item in cast("list[Any]", value)]
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {str(_plain(key)): _plain(item) for key, item in sorted(items, key=lambda pair: str(pair[0]))}
    return cast("JsonValue", value)
