"""The ledger alone says which cases have no say in the gate."""

from datetime import timedelta

from naoshi.evals.suites.standing import DECIDED, QUARANTINED, CaseStanding, standings
from naoshi.records import LedgerEntry
from tests.gate.runs import NOW


def entry(number: int, kind: str, case_id: str = "a", digest: str = "h") -> LedgerEntry:
    return LedgerEntry(
        sequence=number,
        key=f"{kind}:{number}",
        kind=kind,
        actor="aki",
        subject=case_id,
        payload={"content_hash": digest},
        at=NOW + timedelta(hours=number),
        previous="",
        digest="",
    )


def test_the_last_word_on_a_case_counts():
    """Quarantined, kept, retired: whatever was said last, and how often."""
    told = standings([entry(1, QUARANTINED), entry(2, DECIDED[CaseStanding.counts]), entry(3, "review")])
    assert (told["a", "h"].standing, told["a", "h"].times) == (CaseStanding.counts, 2)
    told = standings([entry(1, QUARANTINED), entry(2, DECIDED[CaseStanding.retired])])
    assert told["a", "h"].standing is CaseStanding.retired


def test_a_case_that_was_changed_has_its_say_again():
    """What was said of another wording does not silence this one."""
    told = standings([entry(1, QUARANTINED, digest="old")])
    assert ("a", "new") not in told


def test_other_entries_say_nothing_of_cases():
    """A release or review whose subject looks like a case changes nothing."""
    assert standings([entry(1, "release"), entry(2, "cycle")]) == {}
