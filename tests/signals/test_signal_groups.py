"""Signals of corrections, and groups of signals."""

import random
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from naoshi.records import (
    Cause,
    Correction,
    Evidence,
    Signal,
    SignalSource,
    Trace,
    Triage,
    TriageClass,
    TriageProposal,
)
from naoshi.signals.corrections import signals_of_corrections
from naoshi.signals.group import group

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)


def correction(name: str, *, submitted: object = "8", corrected: object = "9") -> Correction:
    return Correction(
        correction_id=name,
        trace_id="t1",
        artifact="fields",
        field="total",
        submitted=submitted,
        corrected=corrected,
        practitioner="sato",
        at=AT,
    )


def triage(name: str, decision: TriageClass, *, day: int = 5) -> Triage:
    proposal = TriageProposal(
        correction_id=name,
        decision=decision,
        cause=Cause.extraction_miss,
        rule="r",
        statement="s",
        evidence=(Evidence(path="a", line=1, quote="TOTAL 9"),),
    )
    return Triage(
        triage_id=f"{name}-{day}",
        correction_id=name,
        decision=decision,
        cause=Cause.mapping_problem,
        proposal=proposal,
        overridden=False,
        decided_by="p",
        decided_at=AT.replace(day=day),
    )


def test_only_a_correction_that_is_a_defect_by_its_latest_triage_becomes_a_signal() -> None:
    """Nothing untriaged, and nothing that was called noise, gets any further."""
    corrections = [correction("defect"), correction("noise"), correction("open"), correction("changed")]
    triages = [
        triage("defect", TriageClass.defect),
        triage("noise", TriageClass.noise),
        triage("changed", TriageClass.judgement, day=7),
        triage("changed", TriageClass.defect, day=6),
    ]
    (signal,) = signals_of_corrections(corrections, triages=triages, traces={}.get)
    assert signal.correction_id == "defect"
    assert (signal.observed, signal.expected, signal.cause) == ("8", "9", Cause.mapping_problem)
    assert signal.evidence[0].quote == "TOTAL 9"
    assert signal.source is SignalSource.correction


def test_the_failure_type_says_wrong_missing_or_spurious() -> None:
    """The name of the failure tells what kind of change the field needed."""
    found = signals_of_corrections(
        [
            correction("a"),
            correction("b", submitted=None),
            correction("c", submitted=" "),
            correction("d", corrected=None),
        ],
        triages=[triage(name, TriageClass.defect) for name in "abcd"],
        traces={"t1": Trace(trace_id="t1", agent_version="v3", started_at=AT)}.get,
    )
    assert [item.failure_type for item in found] == ["wrong_total", "missing_total", "missing_total", "spurious_total"]
    assert {item.agent_version for item in found} == {"v3"}


def signal(number: int, artifact: str, failure: str) -> Signal:
    return Signal(
        signal_id=f"s{number}",
        trace_id=f"t{number % 3}",
        artifact=artifact,
        field="total",
        failure_type=failure,
        source=SignalSource.correction,
        message=f"m{number}",
        cause=Cause.extraction_miss,
    )


def test_the_most_frequent_group_is_first_and_ties_are_broken_by_name() -> None:
    """Ranks follow frequency; equal groups never change places by accident."""
    signals = [signal(i, "b", "x") for i in range(3)] + [signal(10, "b", "a"), signal(11, "a", "z")]
    groups = group(signals)
    assert [(item.artifact, item.failure_type, item.rank, item.count) for item in groups] == [
        ("b", "x", 1, 3),
        ("a", "z", 2, 1),
        ("b", "a", 3, 1),
    ]
    assert groups[0].share == 3 / 5
    assert groups[0].trace_ids == ("t0", "t1", "t2")
    assert (groups[0].causes, groups[0].sources) == ({"extraction_miss": 3}, {"correction": 3})
    assert group([]) == ()


@given(st.lists(st.tuples(st.integers(0, 30), st.sampled_from("ab"), st.sampled_from("xyz"))), st.randoms())
def test_order_and_repetition_of_signals_do_not_matter(items: list[tuple[int, str, str]], lot: random.Random) -> None:
    """The same signals give the same groups, and every signal is in exactly one."""
    distinct = {f"s{number}": signal(number, artifact, failure) for number, artifact, failure in items}
    signals = list(distinct.values())
    shuffled = signals + signals
    lot.shuffle(shuffled)
    groups = group(signals)
    assert group(shuffled) == groups
    assert sorted(name for item in groups for name in item.signal_ids) == sorted(distinct)
    assert [item.count for item in groups] == sorted((item.count for item in groups), reverse=True)
