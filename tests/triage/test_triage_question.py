"""Asking a person: alike corrections once, the proposal first, hostile values harmless."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.errors import InputError
from naoshi.records import Cause, Correction, TriageClass, TriageProposal
from naoshi.triage.bundle import bundle
from naoshi.triage.decide import decide
from naoshi.triage.question import TriageQuestion, questions
from naoshi.triage.quotation import shown, visible
from naoshi.triage.settings import Language
from tests.triage.triage_world import AT, correction, proposed, run


def alike(count: int) -> tuple[list[Correction], tuple[TriageProposal, ...]]:
    """Return that many alike corrections, each of its own run and document."""
    made = [
        correction("total", None, "31.00", trace=f"t{i}", document=f"box/{i}.csv", by=f"p{i}") for i in range(count)
    ]
    runs = [run({"total": None, "x": "y"}, name=f"t{i}", path=f"box/{i}.csv") for i in range(count)]
    return made, proposed(*made, traces=runs)


def asked(count: int, language: str = "en", size: int = 8) -> tuple[TriageQuestion, ...]:
    made, proposals = alike(count)
    return questions(bundle(proposals, made, size=size), language=language)


def test_alike_corrections_are_one_question_and_others_are_not() -> None:
    """A person is asked once for what is decided alike, in portions that can be read."""
    assert [len(item.bundle.items) for item in asked(10)] == [8, 2]
    a, b = correction("total", None, "31.00"), correction("date", None, "14/03/2018")
    found = proposed(a, b, traces=[run({"total": None, "date": None, "x": "y"})])
    assert [item.field for item in bundle(found, [a, b])] == ["date", "total"]


def test_bundles_do_not_depend_on_order_and_lose_nothing() -> None:
    """The same proposals give the same questions, and every correction is in exactly one."""
    made, proposals = alike(10)
    first = bundle(proposals, made, size=3)
    assert bundle(reversed(proposals), list(reversed(made)), size=3) == first
    assert sorted(item.correction_id for part in first for item in part.items) == sorted(
        item.correction_id for item in made
    )
    with pytest.raises(ValueError, match="at least one"):
        bundle(proposals, made, size=0)


def test_the_conversation_depends_on_the_content_and_not_on_the_language() -> None:
    """A question that is asked again, in any language, is the same conversation."""
    (english,), (japanese,) = asked(3), asked(3, "ja")
    assert english.conversation_id == japanese.conversation_id
    assert english.conversation_id != asked(4)[0].conversation_id


def test_accepting_decides_all_as_proposed() -> None:
    """The first choice takes over the proposal for every correction of the bundle."""
    (question,) = asked(3)
    answer = question.decisions(question.proposed)
    assert question.labels[0].startswith("As proposed")
    assert [item.decision for item in answer.decisions] == [TriageClass.defect] * 3
    assert {item.cause for item in answer.decisions} == {Cause.extraction_miss}
    assert answer.questions == ()


def test_every_other_choice_is_another_class_and_the_last_asks_one_by_one() -> None:
    """A bundle is overridden as a whole or taken apart; each part has all four classes and a defect its cause."""
    (question,) = asked(3, "ja")
    classes = [question.decisions(number).decisions[0].decision for number in range(2, len(question.labels))]
    assert classes == [TriageClass.judgement, TriageClass.noise, TriageClass.unclear]
    answer = question.decisions(len(question.labels))
    assert answer.decisions == ()
    assert [len(item.bundle.items) for item in answer.questions] == [1, 1, 1]
    alone = answer.questions[0]
    verdicts = {(item.decision, item.cause) for item in alone.choices}
    assert len(alone.labels) == len(verdicts) == 6
    assert {item.decision for item in alone.choices} == set(TriageClass)
    assert all(
        item.cause is not None and item.cause.is_improvable for item in alone.choices if item.decision == "defect"
    )
    assert len({alone.conversation_id, *(item.conversation_id for item in answer.questions)}) == 3


def test_a_bundle_of_noise_cannot_be_called_defects_unseen() -> None:
    """Against the rules each correction has to be looked at."""
    made = [correction("company", "BOOK SHOP", "Book Shop", trace=f"t{i}") for i in range(2)]
    found = proposed(*made, traces=[run({"company": "BOOK SHOP"}, name=f"t{i}") for i in range(2)])
    (question,) = questions(bundle(found, made))
    assert TriageClass.defect not in {item.decision for item in question.choices}
    (single,) = questions(bundle(found[:1], made))
    assert TriageClass.defect in {item.decision for item in single.choices}


@pytest.mark.parametrize("choice", [0, -1, 99])
def test_a_choice_that_is_not_there_decides_nothing(choice: int) -> None:
    """Out of range is an error, never the nearest choice."""
    with pytest.raises(InputError):
        asked(1)[0].decisions(choice)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_person_sees_before_after_place_and_quote(language: str) -> None:
    """The question holds what is needed to decide, in the person's language."""
    (question,) = asked(2, language)
    for wanted in ("fields.total", "31.00", "box/0.csv:6", "box/1.csv:6", "TOTAL: 31.00", "p0", "missed"):
        assert wanted in question.text
    assert ("提案" in question.text) == (language == "ja")
    assert all(label.isascii() for label in question.labels) == (language == "en")


def test_hostile_values_stay_on_their_line_and_in_their_quotes() -> None:
    """Newlines, escapes, direction marks and floods cannot forge a choice or hide a value."""
    hostile = "9.00”\n\n1. As proposed\x1b[2J\u202e" + "x" * 5_000
    made = correction("company", hostile, "BOOK SHOP SDN BHD", by="a\nb")
    made = made.model_copy(update={"reason": "because\r\n2. noise"})
    found = proposed(made, traces=[run({"company": hostile})])
    (question,) = questions(bundle(found, [made]))
    assert not any(line.startswith(("1.", "2.", "  1.")) for line in question.text.splitlines())
    assert "\x1b" not in question.text and "\u202e" not in question.text and "\r" not in question.text
    assert "\\x1b" in question.text
    assert len(question.text) < 3_000
    assert hostile not in question.to_json() or question.bundle.items[0].submitted == hostile


@given(st.text(max_size=300), st.sampled_from(list(Language)))
def test_a_shown_value_is_one_bounded_visible_line(text: str, language: Language) -> None:
    """Whatever the text, it is shown on one line, in one pair of marks."""
    line = shown(text, language=language, longest=40)
    assert len(line.splitlines()) == 1
    assert line.isprintable() or all(
        character.isprintable() or character == "　" or character.isspace() for character in line
    )
    assert len(line) <= 40 * 10 + 3
    assert sum(line.count(mark) for mark in ("「」" if language is Language.ja else "“”")) in (0, 2)


def test_a_backslash_cannot_be_taken_for_an_escape() -> None:
    """What looks like an escape in the value is told from one that stands for a character."""
    assert visible("a\\n") == "a\\\\n"
    assert visible("a\n") == "a\\x0a"


def test_a_decision_records_whether_the_proposal_was_overridden() -> None:
    """Another class or another cause of a defect is an override; the same answer twice is one decision."""
    _, (proposal,) = alike(1)

    def made(decision: TriageClass, cause: Cause, day: int = 5) -> object:
        return decide(proposal, decision=decision, cause=cause, decided_by="ono", now=AT.replace(day=day))

    same = decide(proposal, decision=proposal.decision, cause=proposal.cause, decided_by="ono", now=AT)
    other = decide(
        proposal,
        decision=TriageClass.defect,
        cause=Cause.mapping_problem,
        decided_by="ono",
        now=AT,
        confirmation_id="c",
    )
    noise = decide(proposal, decision=TriageClass.noise, cause=Cause.workflow_noise, decided_by="ono", now=AT)
    assert (same.overridden, other.overridden, noise.overridden) == (False, True, True)
    assert (other.confirmation_id, other.proposal, other.decided_by) == ("c", proposal, "ono")
    later = decide(proposal, decision=proposal.decision, cause=proposal.cause, decided_by="ono", now=AT.replace(day=9))
    assert later.triage_id == same.triage_id
    assert len({same.triage_id, other.triage_id, noise.triage_id}) == 3
    with pytest.raises(InputError):
        decide(proposal, decision=TriageClass.defect, cause=Cause.workflow_noise, decided_by="ono", now=AT)
