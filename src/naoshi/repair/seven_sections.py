"""The second layout of a handoff: the seven sections of the public cookbook on loops of improvement."""

from collections import Counter
from collections.abc import Iterable

from pydantic import JsonValue

from naoshi.records import Defect, Evidence, Handoff, Layer, Recommendation
from naoshi.repair.handoff_block import fenced, handoff_block
from naoshi.repair.handoff_lines import (
    case_lines,
    citation,
    group_line,
    guidance_lines,
    recommendation_lines,
    standing_line,
    struck_line,
)
from naoshi.repair.markdown import flat, quoted

SECTIONS = (
    "Executive summary",
    "Top 3 changes to implement first",
    "Ranked recommendation table",
    "Supporting diagnosis and evidence",
    "Detailed recommendations",
    "Insights by feedback source",
    "Machine-readable summary",
)

CHAPTERS: tuple[tuple[str, tuple[tuple[str, tuple[Layer, ...]], ...]], ...] = (
    ("Behavior contract", (("Prompt", (Layer.prompt,)), ("Skills", (Layer.skills,)))),
    (
        "Runtime implementation",
        (
            ("Tools", (Layer.tools, Layer.mapping)),
            ("Control flow", (Layer.control_flow,)),
            ("Routing", (Layer.routing,)),
        ),
    ),
    ("Output contract", (("Artifact schema", (Layer.artifact_schema,)),)),
    ("Observability and evals", (("Observability", (Layer.observability,)), ("Evals", (Layer.evals,)))),
)
"""The parts of the detailed recommendations, and which layers each is about."""

_KINDS = {
    Defect.requirement_missing: "missing from the harness",
    Defect.requirement_not_followed: "in the harness, not reliably followed",
    Defect.implementation: "defect of the implementation",
    Defect.observability: "defect of observability",
}
_FIRST = 3


def render(handoff: Handoff, *, listed: int) -> str:
    """Return *handoff* in seven sections, at most *listed* cases for reading."""
    bodies = (
        _summary(handoff),
        _first_changes(handoff),
        _table(handoff),
        _evidence(handoff, listed),
        _details(handoff),
        _by_source(handoff),
        _machine_readable(handoff),
    )
    parts = [f"## {name}\n\n{body}" for name, body in zip(SECTIONS, bodies, strict=True)]
    return "\n\n".join(parts) + "\n"


def _summary(handoff: Handoff) -> str:
    passing = Counter(case.field for case in handoff.confirmed if case.field is not None)
    well = ", ".join(f"{quoted(field)} ({count})" for field, count in passing.most_common(5))
    parts = [standing_line(handoff)]
    parts += [f"What works now and has to go on working, by field: {well}."] if well else []
    parts += [told] if (told := struck_line(handoff)) else []
    return "\n".join(parts)


def _first_changes(handoff: Handoff) -> str:
    first = handoff.diagnosis.recommendations[:_FIRST]
    lines = [f"{item.rank}. **{flat(item.title, limit=200)}** ({_KINDS[item.defect]})" for item in first]
    return "\n".join(lines) or "None: the failing cases below are all there is."


def _table(handoff: Handoff) -> str:
    rows = [
        "| rank | recommendation | impact | confidence | effort | evidence | validation |",
        "|---|---|---|---|---|---|---|",
    ]
    for item in handoff.diagnosis.recommendations:
        cells = (
            str(item.rank),
            _cell(flat(item.title, limit=200)),
            f"{item.impact:.2f}",
            f"{item.confidence:.2f}",
            f"{item.effort:.2f}",
            _cell("; ".join(citation(evidence) for evidence in item.evidence[:_FIRST])),
            f"{_cases_of(handoff, item)} failing cases of its group pass, nothing that passes fails",
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _evidence(handoff: Handoff, listed: int) -> str:
    groups = [group_line(group) for group in handoff.diagnosis.groups] or ["No group of failures was found."]
    kinds = [
        f"- recommendation {item.rank} is about a requirement or part that is {_KINDS[item.defect]}"
        for item in handoff.diagnosis.recommendations
    ]
    return "\n".join([*groups, "", *kinds, *([""] if kinds else []), case_lines(handoff, listed)])


def _details(handoff: Handoff) -> str:
    parts: list[str] = []
    for chapter, sections in CHAPTERS:
        parts.append(f"### {chapter}")
        for section, layers in sections:
            items = [item for item in handoff.diagnosis.recommendations if item.layer in layers]
            parts.append(f"#### {section}")
            parts.append("\n\n".join(map(recommendation_lines, items)) or "Nothing.")
    return "\n\n".join(parts)


def _by_source(handoff: Handoff) -> str:
    cited = [evidence for item in handoff.diagnosis.recommendations for evidence in item.evidence]
    signals = Counter[str]()
    for group in handoff.diagnosis.groups:
        signals.update(group.sources)
    lines = [f"- signals by {quoted(name)}: {count}" for name, count in sorted(signals.items())]
    lines += [
        f"- traces: {_distinct(item.trace_id for item in cited)} are cited",
        f"- human feedback: {_distinct(item.correction_id for item in cited)} corrections are cited",
        f"- generated evals: {_distinct(item.case_id for item in cited)} cases are cited",
        f"- eval results: {len(handoff.cases)} cases fail, {len(handoff.confirmed)} pass",
        f"- harness: {_distinct(_harness(item, handoff.editable) for item in cited)} of its files are cited",
    ]
    return "\n".join([*lines, "", "What every change has to keep to:", "", *guidance_lines(handoff)])


def _machine_readable(handoff: Handoff) -> str:
    first: list[JsonValue] = [
        {"rank": item.rank, "title": item.title, "layer": item.layer.value, "kind": item.defect.value}
        for item in handoff.diagnosis.recommendations[:_FIRST]
    ]
    return fenced({**handoff_block(handoff), "top_priorities": first})


def _cases_of(handoff: Handoff, item: Recommendation) -> int:
    return sum(case.group_id == item.group_id for case in handoff.cases)


def _harness(item: Evidence, editable: Iterable[str]) -> str | None:
    return item.path if item.path is not None and item.path.startswith(tuple(editable)) else None


def _distinct(names: Iterable[str | None]) -> int:
    return len({name for name in names if name is not None})


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
