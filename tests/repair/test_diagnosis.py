"""Diagnosis by evidence: what it recommends, and that nothing is cited that does not exist."""

from pathlib import Path

import pytest

from naoshi.errors import InputError
from naoshi.records import (
    Cause,
    Defect,
    Evidence,
    FailureGroup,
    Layer,
    Signal,
    SignalSource,
    Span,
    Split,
)
from naoshi.repair import DiagnosisMaterial, EvidenceEngine, RecordLookup, checked
from naoshi.repair.citations import fault
from tests.repair.receipts_repository import (
    DOCUMENTS,
    LABELS,
    NOW,
    all_cases,
    read,
    run_of,
    seen_cases,
    trace,
    truth,
)


def signal(document: str, cause: Cause | None) -> Signal:
    """Return a signal that the total of *document* is wrong."""
    number = document[4:7]
    return Signal(
        signal_id=f"signal_{number}", trace_id=f"trace_{number}", agent_version="v0", artifact="fields", field="total",
        failure_type="missing_total", source=SignalSource.correction, message="", expected=truth(document)["total"],
        cause=cause, correction_id=f"correction_{number}_total",
    )  # fmt: skip


def material(cause: Cause | None = Cause.extraction_miss, **parts: object) -> DiagnosisMaterial:
    """Return four signals of one group, two of them of runs that may be shown."""
    names = [name for name in DOCUMENTS if DOCUMENTS[name][0] == "AMOUNT DUE"]
    signals = [signal(name, cause) for name in names]
    group = FailureGroup(
        group_id="group_total", artifact="fields", failure_type="missing_total", field="total", rank=1, count=4,
        share=1.0, signal_ids=tuple(item.signal_id for item in signals),
        trace_ids=tuple(item.trace_id for item in signals), causes={},
    )  # fmt: skip
    given = {
        "agent_version": "v0", "groups": [group], "signals": signals, "cases": seen_cases(),
        "traces": [trace(name) for name in DOCUMENTS if DOCUMENTS[name][2] is Split.diagnose], **parts,
    }  # fmt: skip
    return DiagnosisMaterial(**given)  # type: ignore[arg-type]


def test_the_label_beside_the_right_value_is_what_it_recommends():
    """Protects the usefulness: where the value stands, what the run did, how sure, and what it rests on."""
    found = EvidenceEngine().diagnose(material(), now=NOW)
    assert len(found.recommendations) == 1
    item = found.recommendations[0]
    assert item.title == "total: read the value beside “AMOUNT DUE”"
    assert "beside “AMOUNT DUE”" in item.statement and "2 runs gave no value" in item.statement
    assert (item.layer, item.defect, item.cause) == (Layer.tools, Defect.requirement_missing, Cause.extraction_miss)
    assert (item.impact, item.confidence, item.rank) == (1.0, 1.0, 1)
    assert item.evidence[0] == Evidence(
        trace_id="trace_003", case_id="case_003_total", correction_id="correction_003_total", path="box/003.csv",
        line=4, quote="AMOUNT DUE 30.30", label="AMOUNT DUE",
    )  # fmt: skip


def test_runs_that_may_not_be_shown_weigh_but_are_not_cited():
    """Protects hidden cases: their number counts, their names and values are nowhere."""
    text = EvidenceEngine().diagnose(material(), now=NOW).recommendations[0].to_json()
    assert '"impact":1.0' in text
    assert not any(hidden in text for hidden in ("005", "006", "50.50", "60.60"))


def test_a_label_that_works_elsewhere_is_a_requirement_that_is_not_followed():
    """Protects the second kind of defect: the harness knows the words and yet missed them here."""
    outputs = {name: read(name, LABELS) for name in DOCUMENTS}
    outputs["box/003.csv"] = truth("box/003.csv")
    found = EvidenceEngine().diagnose(material(run=run_of(outputs, version="v0")), now=NOW)
    assert found.recommendations[0].defect is Defect.requirement_not_followed
    assert found.recommendations[0].layer is Layer.mapping


@pytest.mark.parametrize(
    ("cause", "expected"),
    [
        (Cause.mapping_problem, (Layer.mapping, Defect.implementation)),
        (Cause.missing_product_support, (Layer.routing, Defect.requirement_missing)),
        (None, (Layer.tools, Defect.requirement_missing)),
    ],
)
def test_layer_and_defect_follow_from_the_cause(cause: Cause | None, expected: tuple[Layer, Defect]):
    """Protects the stated rules."""
    item = EvidenceEngine().diagnose(material(cause), now=NOW).recommendations[0]
    assert (item.layer, item.defect) == expected


def test_noise_is_no_reason_to_change_anything():
    """Protects the harness from corrections that are no defects."""
    assert EvidenceEngine().diagnose(material(Cause.workflow_noise), now=NOW).recommendations == ()


def test_it_is_the_same_every_time_and_in_both_languages():
    """Protects comparison: only the time differs; Japanese says the same of the same evidence."""
    first = EvidenceEngine().diagnose(material(), now=NOW)
    again = EvidenceEngine().diagnose(material(), now=NOW.replace(year=2027))
    assert first.diagnosis_id == again.diagnosis_id
    japanese = EvidenceEngine(language="ja").diagnose(material(), now=NOW).recommendations[0]
    assert "「AMOUNT DUE」" in japanese.statement and japanese.evidence == first.recommendations[0].evidence


def test_hidden_cases_are_an_error():
    """Protects against diagnosing from what nobody may see."""
    with pytest.raises(InputError, match="holdout"):
        EvidenceEngine().diagnose(
            material(cases=[case for case in all_cases() if case.split is Split.holdout]), now=NOW
        )


def lookup(tmp_path: Path) -> RecordLookup:
    """Return a lookup of one trace with a span, the seen cases, and a harness of one file."""
    (tmp_path / "harness").mkdir(exist_ok=True)
    (tmp_path / "harness" / "labels.json").write_text('{"total":  ["TOTAL"]}\n')
    span = Span(trace_id="trace_003", span_id="span_1", name="x", start_time=NOW)
    known = trace("box/003.csv").model_copy(update={"spans": (span,)})
    return RecordLookup.of(traces=[known], cases=seen_cases(), correction_ids=["correction_003_total"],
                           harness_root=tmp_path)  # fmt: skip


@pytest.mark.parametrize(
    ("evidence", "told"),
    [
        (Evidence(trace_id="trace_003", span_id="span_1"), None),
        (Evidence(case_id="case_003_total", correction_id="correction_003_total"), None),
        (Evidence(path="box/003.csv", line=4, quote="AMOUNT  DUE"), None),
        (Evidence(path="harness/labels.json", line=1, quote='"total": ["TOTAL"]'), None),
        (Evidence(path="harness/labels.json", quote="TOTAL"), None),
        (Evidence(trace_id="trace_nowhere"), "no such trace"),
        (Evidence(trace_id="trace_003", span_id="span_2"), "no such span"),
        (Evidence(span_id="span_2"), "no such span"),
        (Evidence(case_id="case_x"), "no such case"),
        (Evidence(case_id="case_006_total"), "no such case"),
        (Evidence(correction_id="correction_x"), "no such correction"),
        (Evidence(path="box/003.csv", line=9), "no such line"),
        (Evidence(path="box/003.csv", line=0), "no such line"),
        (Evidence(path="box/003.csv", line=3, quote="AMOUNT DUE"), "not stand on that line"),
        (Evidence(path="box/999.csv", line=1), "no such file"),
        (Evidence(path="../outside.txt", line=1), "no such file"),
        (Evidence(path="/etc/passwd", line=1), "no such file"),
        (Evidence(path="harness", line=1), "no such file"),
        (Evidence(path="a\0b", line=1), "no such file"),
        (Evidence(path="harness/labels.json", quote="GRAND"), "stands nowhere"),
        (Evidence(note="trust me"), "names nothing"),
    ],
)
def test_what_is_cited_has_to_exist(tmp_path: Path, evidence: Evidence, told: str | None):
    """Protects the reader from citations that lead nowhere, and files outside from being opened."""
    found = fault(evidence, lookup(tmp_path))
    assert found is None if told is None else told in (found or "")


def test_a_recommendation_left_without_evidence_is_dropped_and_what_was_struck_is_reported(tmp_path: Path):
    """Protects against advice out of thin air: struck citations are kept with reasons, the ranks close up."""
    found = EvidenceEngine().diagnose(material(), now=NOW)
    good = found.recommendations[0]
    made_up = good.model_copy(update={"recommendation_id": "made_up", "evidence": (Evidence(case_id="case_x"),)})
    told = found.model_copy(update={"recommendations": (made_up, good.model_copy(update={"rank": 2}))})
    after = checked(told, lookup(tmp_path))
    assert [item.recommendation_id for item in after.recommendations] == [good.recommendation_id]
    assert after.recommendations[0].rank == 1 and after.dropped == ("made_up",)
    assert (after.struck[0].recommendation_id, after.struck[0].reason) == ("made_up", "there is no such case")
    assert len(after.recommendations[0].evidence) == 1, "the trace 004 is not known to this lookup"
