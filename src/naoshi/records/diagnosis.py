"""Ranked causes with cited evidence, and what is handed to the coding agent."""

from enum import StrEnum

from pydantic import AwareDatetime, JsonValue

from naoshi.records.base import Record
from naoshi.records.correction import Cause
from naoshi.records.evidence import Evidence
from naoshi.records.signal import FailureGroup


class Layer(StrEnum):
    """The part of the harness that a recommendation would change."""

    prompt = "prompt"
    tools = "tools"
    control_flow = "control_flow"
    routing = "routing"
    mapping = "mapping"
    artifact_schema = "artifact_schema"
    observability = "observability"
    evals = "evals"
    skills = "skills"


class Defect(StrEnum):
    """What is wrong with the harness: a requirement is missing, is there but not followed, or is built wrongly."""

    requirement_missing = "requirement_missing"
    requirement_not_followed = "requirement_not_followed"
    implementation = "implementation"
    observability = "observability"


class Recommendation(Record):
    """A proposed change of the harness.

    ``impact``, ``confidence`` and ``effort`` are 0–1; impact is a share of all signals.
    """

    recommendation_id: str
    rank: int
    group_id: str
    title: str
    statement: str
    defect: Defect
    layer: Layer
    cause: Cause
    impact: float
    confidence: float
    effort: float
    evidence: tuple[Evidence, ...]


class StruckCitation(Record):
    """A citation that was looked up and does not exist, with the recommendation that made it."""

    recommendation_id: str
    evidence: Evidence
    reason: str


class Diagnosis(Record):
    """What an engine makes of the groups. ``dropped`` names recommendations left without evidence."""

    diagnosis_id: str
    engine: str
    agent_version: str
    groups: tuple[FailureGroup, ...]
    recommendations: tuple[Recommendation, ...]
    struck: tuple[StruckCitation, ...] = ()
    dropped: tuple[str, ...] = ()
    made_at: AwareDatetime


class HandoffCase(Record):
    """An accepted case that fails now, as the coding agent sees it.

    ``rule`` is the rule of the harness that gave the observed value.
    """

    case_id: str
    group_id: str | None
    artifact: str | None
    field: str | None
    vars: dict[str, JsonValue]
    observed: JsonValue = None
    expected: JsonValue = None
    trace_id: str | None = None
    correction_id: str | None = None
    places: tuple[Evidence, ...] = ()
    rule: str | None = None


class ConfirmedCase(Record):
    """A case that passes now and has to go on passing."""

    case_id: str
    field: str | None
    vars: dict[str, JsonValue]
    value: JsonValue = None


class CitedTrace(Record):
    """A trace that the handoff cites; ``path`` is its exported file, relative to the handoff."""

    trace_id: str
    path: str


class Handoff(Record):
    """`codex_handoff.md` as a record: what is wrong, the evidence, and what a change may touch.

    It carries no clock and no commit, so that the same evidence gives the same file. Holdout cases are never in it.
    ``left_out`` counts by kind what did not fit.
    ``every_case`` says that each case is true as it stands, so that the change has to satisfy all of them.
    """

    handoff_id: str
    agent_version: str
    diagnosis: Diagnosis
    editable: tuple[str, ...]
    cases: tuple[HandoffCase, ...]
    confirmed: tuple[ConfirmedCase, ...]
    traces: tuple[CitedTrace, ...] = ()
    attempt: int = 1
    previous_failures: tuple[str, ...] = ()
    every_case: bool = False
    left_out: dict[str, int] = {}


class Task(Record):
    """What the coding agent is told: Goal, Context, Constraints, Done when."""

    goal: str
    context: tuple[str, ...]
    constraints: tuple[str, ...]
    done_when: tuple[str, ...]
