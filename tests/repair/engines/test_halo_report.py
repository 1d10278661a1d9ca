"""HALO's report read, in either layout, whole or torn."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naoshi.errors import HaloError
from naoshi.records import Defect, Layer
from naoshi.repair import render_handoff
from naoshi.repair.engines.halo_report import drafts_of_report, share
from naoshi.repair.engines.prose_citations import KnownNames, cited
from tests.repair.engines.failing_receipts import GOOD
from tests.repair.engines.halo_reports import FOUR_SECTIONS, WHOLE, seven_sections
from tests.repair.receipts_repository import ReceiptsRepository

KNOWN = KnownNames(
    traces=("trace_003", "trace_004"), spans=("span_003",), cases=("case_004_total",),
    corrections=("correction_004_total",),
)  # fmt: skip
ROW = "| 2 | Check the sum | medium | 70% | 0.3 | case_004_total | it passes |"


def test_seven_sections_are_read_with_all_that_they_say() -> None:
    """Protects what HALO found: order, kind, layer, figures and every citation of the machine-readable summary."""
    good, bad = drafts_of_report(WHOLE, KNOWN)
    assert (good.title, good.kind, good.layer) == (GOOD["title"], Defect.requirement_missing, Layer.mapping)
    assert (good.impact, good.confidence, good.effort, good.group) == (1.0, 0.9, 0.2, "group_total")
    assert [item.model_dump(exclude_none=True) for item in good.evidence] == GOOD["evidence"]
    assert bad.title == "Trust me" and bad.evidence[0].trace_id == "trace_999"


def test_a_row_of_the_table_that_the_summary_lacks_is_not_lost() -> None:
    """Protects recommendations below the first three: figures from words, layer and citations from the details."""
    _, second = drafts_of_report(seven_sections(GOOD, table=ROW), KNOWN)
    assert (second.title, second.layer) == ("Check the sum", Layer.control_flow)
    assert (second.impact, second.confidence, second.effort) == (0.5, 0.7, 0.3)
    assert [item.case_id for item in second.evidence] == ["case_004_total"]


@pytest.mark.parametrize("block", ["```json\n{not json\n```", "no block at all", '```json\n{"top_priorities": 3}\n```'])
def test_a_summary_that_cannot_be_read_leaves_the_table(block: str) -> None:
    """Protects against a report lost for one bracket."""
    head = WHOLE.partition("## Machine-readable summary")[0]
    (item,) = drafts_of_report(f"{head}## Machine-readable summary\n{block}\n", KNOWN)
    assert item.title == "Read the value beside AMOUNT DUE" and item.layer is Layer.tools
    assert {evidence.trace_id or evidence.file for evidence in item.evidence} == {"trace_003", "box/003.csv"}


def test_entries_that_are_only_titles_take_their_evidence_from_the_prose() -> None:
    """Protects the cookbook's own, looser form of the summary."""
    text = WHOLE.partition("```json")[0] + '```json\n{"top_priorities": ["Read the value beside AMOUNT DUE"]}\n```\n'
    (item,) = drafts_of_report(text, KNOWN)
    assert [(evidence.file, evidence.line) for evidence in item.evidence] == [("harness/labels.json", 2)]


def test_four_sections_are_read_each_change_with_its_diagnosis() -> None:
    """Protects the first layout: priority words, layer by name, and citations of change and cause."""
    first, second = drafts_of_report(FOUR_SECTIONS, KNOWN)
    assert first.title.startswith("Add the label AMOUNT DUE") and first.layer is Layer.mapping and first.impact == 0.9
    assert first.kind is Defect.requirement_missing and "2/2 runs" in first.statement
    assert {item.trace_id or item.span_id or item.file for item in first.evidence} == {
        "trace_003", "span_003", "box/003.csv", "harness/labels.json",
    }  # fmt: skip
    assert (second.layer, second.impact, second.kind) == (Layer.observability, 0.2, Defect.observability)
    assert [item.trace_id for item in second.evidence] == ["trace_999"]


@pytest.mark.parametrize(
    ("report", "told"),
    [
        ("", "neither layout"),
        ("All is well.", "neither layout"),
        (WHOLE.replace("## Insights by feedback source", "## Insights"), "neither layout"),
        (WHOLE.replace("## Executive summary", "```\n## Executive summary") + "```", "neither layout"),
        (FOUR_SECTIONS.replace("## Supporting Traces", ""), "neither layout"),
        (FOUR_SECTIONS.replace("- Add", "Add").replace("- Improve", "Improve"), "recommends nothing"),
    ],
)
def test_a_report_without_the_sections_is_refused(report: str, told: str) -> None:
    """Protects against prose taken for a diagnosis, and headings inside a fence taken for headings."""
    with pytest.raises(HaloError, match=told):
        drafts_of_report(report, KNOWN)


def test_headings_are_found_however_a_model_dresses_them() -> None:
    """Protects against numbering, back ticks, bold and case, and against a draft of the report before the report."""
    dressed = WHOLE.replace("## Executive summary", "## 1. `Executive Summary`").replace(
        "## Insights by feedback source", "## **Insights by feedback source**"
    )
    assert len(drafts_of_report(f"{WHOLE}\n\nOnce more:\n\n{dressed}", KNOWN)) == 2


def test_our_own_handoffs_are_read_as_reports_too(repository: ReceiptsRepository) -> None:
    """Protects the word "both are written and read": a handoff in seven sections passes for a report."""
    text = render_handoff(repository.handoff(), layout="seven")
    with pytest.raises(HaloError, match="recommends nothing"):
        drafts_of_report(text, KNOWN)


@settings(max_examples=150, deadline=None)
@given(
    pieces=st.lists(
        st.sampled_from(
            WHOLE.split("\n\n") + FOUR_SECTIONS.split("\n\n") + ["```", "|", "- ", "| 1 | x |", "#### Tools"]
        )
        | st.text(max_size=40),
        max_size=20,
    )
)
def test_whatever_a_model_writes_is_read_or_refused(pieces: list[str]) -> None:
    """Protects the command from a traceback: any text gives drafts or one clear error."""
    try:
        drafts = drafts_of_report("\n\n".join(pieces), KNOWN)
    except HaloError:
        return
    assert all(0 <= item.impact <= 1 and item.title for item in drafts)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see trace `trace_003`, span_003 and harness/a.json:12-14", ["trace_003", "span_003", "harness/a.json"]),
        ("trace_id: 0123456789abcdef0123456789abcdef", ["0123456789abcdef0123456789abcdef"]),
        ("span id 0123456789abcdef", ["0123456789abcdef"]),
        ("eval.id = case_777_x and feedback.id = fb-2024-01", ["case_777_x", "fb-2024-01"]),
        ("the trace ids and case numbers at http://example.com:80 say nothing, nor does v1.2:3", []),
        ("no citation: 12:30, a.b", []),
    ],
)  # fmt: skip
def test_citations_in_prose_are_found_whether_they_exist_or_not(text: str, found: list[str]) -> None:
    """Protects the look-up: what is not found cannot be struck; what is no citation is not made one."""
    named = [
        item.trace_id or item.span_id or item.case_id or item.correction_id or item.file for item in cited(text, KNOWN)
    ]
    assert named == found


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.3, 0.3), (7, 1.0), (-1, 0.0), ("85%", 0.85), ("0.4", 0.4), ("High", 0.9), ("", 0.5), (None, 0.5),
     (float("nan"), 0.5), (True, 0.5), ("very low", 0.2), ("999%", 1.0)],
)  # fmt: skip
def test_figures_in_any_form_are_shares(value: object, expected: float) -> None:
    """Protects the ranking: numbers, percentages and words give 0 to 1, anything else a half."""
    assert share(value) == expected
