"""The ledger and the figures against rubber-stamping."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.records import Cause, LedgerEntry, Review, ReviewDecision, Trace, Triage, TriageClass, TriageProposal
from naoshi.release import ReviewSettings, enter, review_figures, sample_traces, verify_ledger
from naoshi.store.memory import MemoryStore
from tests.release.reviewed_change import NOW


def review(person: str, number: int, *, approved: bool) -> Review:
    """Return a review by *person*."""
    return Review(
        review_id=f"review_{person}_{number}", change_id=f"change_{number}", certificate_id="c", verdict_id="v",
        decision=ReviewDecision.approved if approved else ReviewDecision.rejected, reviewer=person, decided_at=NOW,
    )  # fmt: skip


def triage(number: int, *, overridden: bool) -> Triage:
    """Return a triage that followed its proposal or not."""
    proposal = TriageProposal(correction_id=f"c{number}", decision=TriageClass.defect, cause=Cause.extraction_miss,
                              rule="found", statement="stands there")  # fmt: skip
    return Triage(triage_id=f"t{number}", correction_id=f"c{number}", decision=TriageClass.defect, proposal=proposal,
                  cause=Cause.extraction_miss, overridden=overridden, decided_by="jiro", decided_at=NOW)  # fmt: skip


def filled() -> list[LedgerEntry]:
    """Return a ledger of five acts."""
    store = MemoryStore()
    for number in range(5):
        enter(store, kind="review", subject=f"change_{number}", actor="hanako", now=NOW, payload={"n": number})
    return list(store.ledger.entries())


def test_an_act_is_entered_once():
    """Protects a step that runs again: the same act is the same entry, another act of its kind another one."""
    store = MemoryStore()
    first = enter(store, kind="review", subject="change_1", actor="hanako", now=NOW)
    assert enter(store, kind="review", subject="change_1", actor="jiro", now=NOW) == first
    enter(store, kind="review", subject="change_1", actor="jiro", now=NOW, act="second")
    assert len(store.ledger.entries()) == 2


def test_a_whole_ledger_holds_and_a_shortened_one_is_seen_by_its_count():
    """Protects the end of the chain, which the chain itself cannot vouch for."""
    entries = filled()
    assert verify_ledger(entries) == () == verify_ledger([])
    assert verify_ledger(entries[:3]) == ()
    assert "after entry 3" in verify_ledger(entries[:3], known_count=5)[0]


@given(index=st.integers(0, 4), data=st.data())
def test_the_first_broken_entry_is_named(index: int, data: st.DataObject):
    """Protects the record of decisions: whatever is altered, removed, repeated or moved is found, and where."""
    entries = filled()
    damage = data.draw(st.sampled_from(["alter", "remove", "repeat", "swap"]))
    if damage == "alter":
        field = data.draw(st.sampled_from(["actor", "subject", "kind", "key", "digest", "previous", "payload"]))
        value = {"payload": {"n": 99}}.get(field, "x" * 64)
        entries[index] = entries[index].model_copy(update={field: value})
    elif damage == "remove" and index < 4:
        del entries[index]
    elif damage == "swap" and index < 4:
        entries[index], entries[index + 1] = entries[index + 1], entries[index]
    else:
        entries.insert(index, entries[index])
    problems = verify_ledger(entries)
    assert (
        len(problems) == 1
        and f"entry {index + (2 if damage == 'repeat' or _repeated(damage, index) else 1)} " in (problems[0])
    )


def _repeated(damage: str, index: int) -> bool:
    return damage in ("remove", "swap") and index == 4


def test_approving_everything_raises_an_alarm_once_there_is_enough():
    """Protects L18: above 99 % approvals is an alarm, by all and by each person, but not after a handful."""
    few = [review("a", number, approved=True) for number in range(49)]
    assert review_figures(few).alarms == ()
    many = [review("a", number, approved=True) for number in range(60)]
    mixed = [review("b", number, approved=number % 4 > 0) for number in range(60)]
    assert "100.0% of 60 reviews were approved without change" in review_figures(many).alarms[0]
    figures = review_figures([*many, *mixed])
    assert len(figures.alarms) == 1 and "reviews by a" in figures.alarms[0]
    assert figures.approved_share == pytest.approx(105 / 120) and figures.by_person == {"a": 60, "b": 60}
    assert review_figures(many, settings=ReviewSettings(alarm_above=1.0)).alarms == ()


def test_the_override_rate_is_of_triages():
    """Protects the figure: how often people decided otherwise than proposed; no decisions give no figure."""
    figures = review_figures([], triages=[triage(number, overridden=number == 0) for number in range(4)])
    assert figures.override_rate == pytest.approx(0.25) and figures.triages == 4
    empty = review_figures([])
    assert (empty.approved_share, empty.override_rate, empty.alarms) == (None, None, ())


@given(rate=st.floats(0, 1), more=st.integers(0, 50))
def test_a_sample_is_stable_and_more_traces_never_change_who_was_drawn(rate: float, more: int):
    """Protects expert review from a sample that can be drawn again until it pleases."""
    traces = [Trace(trace_id=f"trace_{number}", started_at=NOW) for number in range(100 + more)]
    drawn = sample_traces(traces[:100], rate=rate, seed="may")
    assert drawn == sample_traces(traces[:100], rate=rate, seed="may")
    assert set(item.trace_id for item in drawn) <= {
        item.trace_id for item in sample_traces(traces, rate=rate, seed="may")
    }


def test_a_sample_has_about_the_share_that_was_asked_for():
    """Protects the rate: none, all, about a tenth, and no rate that means nothing."""
    traces = [Trace(trace_id=f"trace_{number}", started_at=NOW) for number in range(3000)]
    assert sample_traces(traces, rate=0, seed="x") == () and len(sample_traces(traces, rate=1, seed="x")) == 3000
    assert 230 <= len(sample_traces(traces, rate=0.1, seed="x")) <= 370
    for rate in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="rate"):
            sample_traces(traces, rate=rate, seed="x")
