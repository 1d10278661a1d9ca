"""Every question that the loop asks can be answered by its numbers."""

from datetime import UTC, datetime

import pytest

from naoshi.confirm import label_warnings, resolve_reply
from naoshi.records import Cause, Correction, TriageClass, TriageProposal
from naoshi.release.review import CHOICES
from naoshi.release.review_wording import WORDS
from naoshi.triage.bundle import bundle
from naoshi.triage.question import questions

NOW = datetime(2026, 1, 5, tzinfo=UTC)


def labels_of_triage(language: str, decision: TriageClass, cause: Cause, count: int) -> tuple[str, ...]:
    corrections = [
        Correction(
            correction_id=f"correction_{number}",
            trace_id=f"trace_{number}",
            artifact="fields",
            field="total",
            submitted="1",
            corrected="2",
            practitioner="aki",
            at=NOW,
        )
        for number in range(count)
    ]
    proposals = [
        TriageProposal(
            correction_id=item.correction_id, decision=decision, cause=cause, rule="rule", statement="so it is"
        )
        for item in corrections
    ]
    (question,) = questions(bundle(proposals, corrections), language=language)
    return question.labels


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("decision", list(TriageClass))
@pytest.mark.parametrize("cause", list(Cause))
@pytest.mark.parametrize("count", [1, 3])
def test_every_choice_of_triage_resolves_by_its_number(
    language: str, decision: TriageClass, cause: Cause, count: int
) -> None:
    """No label of a triage question reads as a number that points at another choice."""
    labels = labels_of_triage(language, decision, cause, count)
    assert label_warnings(labels) == ()
    for number in range(1, len(labels) + 1):
        assert resolve_reply(str(number), labels).choice == number


@pytest.mark.parametrize("language", ["ja", "en"])
@pytest.mark.parametrize("worse", [0, 1, 12])
def test_every_choice_of_a_review_resolves_by_its_number(language: str, worse: int) -> None:
    """No label of a review reads as a number that points at another choice."""
    words = WORDS[language]  # type: ignore[index]
    labels = (words.approve, words.reject, words.full_diff, words.worse_cases.format(count=worse))
    assert len(labels) == len(CHOICES)
    assert label_warnings(labels) == ()
    for number in range(1, len(labels) + 1):
        assert resolve_reply(str(number), labels).choice == number
