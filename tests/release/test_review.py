"""The question that a reviewer answers."""

from itertools import pairwise

import pytest

from naoshi.errors import InputError
from naoshi.records import ReviewDecision, VerdictOutcome
from naoshi.release import ReviewQuestion, ReviewSettings, decide, next_reviewer, review_question
from tests.release.reviewed_change import LATER, NOW, ReviewedChange, make_reviewed_change, verdict_of


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> ReviewedChange:
    """A change with its certificate and verdict; the tests only read it."""
    return make_reviewed_change(tmp_path_factory.mktemp("review"))


def question(reviewed: ReviewedChange, *, worse: tuple[str, ...] = (), diff: str | None = None,
             **settings: object) -> ReviewQuestion:  # fmt: skip
    """Return the question about the change, with other worse cases or another diff where given."""
    change = reviewed.change if diff is None else reviewed.change.model_copy(update={"diff": diff})
    return review_question(
        change,
        certificate=reviewed.certificate.model_copy(update={"worse": worse}),
        verdict=reviewed.verdict,
        summary="answers 2 failing cases",
        case_names={"case_7": "total of receipt 7"},
        settings=ReviewSettings.model_validate(settings),
    )


def test_everything_that_the_decision_needs_is_on_one_page(reviewed: ReviewedChange):
    """Protects a real review: summary, diff, certificate with its checks, gate by category, worse cases."""
    asked = question(reviewed, worse=("case_7",))
    for part in ("answers 2 failing cases", "1 / 2", "[+] targets_mended: 1 of 2 targets pass", "total: 50% -> 100%",
                 "(3 cases)", "AMOUNT DUE", "- case_7: total of receipt 7", "harness/labels.json"):  # fmt: skip
        assert part in asked.text, part
    assert len(asked.labels) == 4 and asked.labels[0].startswith("Approve")


def test_japanese_asks_the_same(reviewed: ReviewedChange):
    """Protects Japanese reviewers: another language, the same facts and the same order of choices."""
    asked = question(reviewed, language="ja")
    assert asked.labels[:2] == ("承認してリリースする", "却下する")
    assert "証明書" in asked.text and "AMOUNT DUE" in asked.text and "50% -> 100%" in asked.text


def test_a_choice_decides_or_shows_more(reviewed: ReviewedChange):
    """Protects the meaning of the numbers: 1 approves, 2 rejects, 3 and 4 show and decide nothing."""
    asked = question(reviewed, worse=("case_7",))
    assert [asked.decision(number) for number in (1, 2, 3, 4)] == [
        ReviewDecision.approved, ReviewDecision.rejected, None, None]  # fmt: skip
    assert asked.shown(3) == reviewed.change.diff and "case_7" in (asked.shown(4) or "") and asked.shown(1) is None
    for number in (0, 5, -1):
        with pytest.raises(InputError, match="no choice"):
            asked.decision(number)
    assert decide(asked, 3, reviewer="hanako", now=NOW) is None


def test_a_review_is_bound_to_what_was_shown(reviewed: ReviewedChange):
    """Protects the approval: change, certificate, verdict and person are in it; nobody is no reviewer."""
    review = decide(question(reviewed), 1, reviewer="hanako", now=LATER, confirmation_id="confirmation_1")
    assert review is not None
    assert (review.change_id, review.certificate_id, review.verdict_id) == (
        reviewed.change.change_id, reviewed.certificate.certificate_id, reviewed.verdict.verdict_id)  # fmt: skip
    assert review.confirmation_id == "confirmation_1"
    with pytest.raises(InputError, match="reviewer"):
        decide(question(reviewed), 1, reviewer=" ", now=NOW)


def test_the_conversation_is_named_by_what_is_asked(reviewed: ReviewedChange):
    """Protects C4 and resuming: the same question is the same conversation, another verdict another one."""
    assert question(reviewed).conversation_id == question(reviewed).conversation_id
    other = review_question(reviewed.change, certificate=reviewed.certificate,
                            verdict=verdict_of(reviewed.run, VerdictOutcome.inconclusive).model_copy(
                                update={"verdict_id": "verdict_2"}))  # fmt: skip
    assert other.conversation_id != question(reviewed).conversation_id


def test_a_long_diff_is_cut_with_a_count_and_can_be_had_in_full(reviewed: ReviewedChange):
    """Protects L17: the reviewer can always see all of what they approve."""
    diff = "\n".join(f"+line {number}" for number in range(500))
    asked = question(reviewed, diff=diff, shown_lines=10)
    assert "+line 9\n… 490 more lines; choose 3" in asked.text and "+line 10\n" not in asked.text
    assert asked.shown(3) == diff


def test_hidden_and_moving_characters_are_shown_as_what_they_are(reviewed: ReviewedChange):
    """Protects the reviewer's eyes: a diff cannot clear the screen or turn the reading order."""
    asked = question(reviewed, diff="+a\x1b[2Jb\u202ec\r+d")
    assert "+a\\u001b[2Jb\\u202ec\\u000d+d" in asked.text
    assert not any(mark in asked.text + asked.full_diff for mark in "\x1b\u202e\r")


def test_reviewers_take_turns(reviewed: ReviewedChange):
    """Protects L18: nobody reviews twice in a row where there is somebody else, and work is spread."""
    settings, reviews, order = ReviewSettings(reviewers=("a", "b", "c")), [], []
    base = decide(question(reviewed), 1, reviewer="a", now=NOW)
    assert base is not None
    for _ in range(6):
        person = next_reviewer(settings, reviews)
        assert person is not None
        order.append(person)
        reviews.append(base.model_copy(update={"reviewer": person}))
    assert sorted(order) == ["a", "a", "b", "b", "c", "c"]
    assert all(first != second for first, second in pairwise(order))
    assert next_reviewer(ReviewSettings(), reviews) is None
    assert next_reviewer(ReviewSettings(reviewers=("a",)), reviews) == "a"


def test_the_folder_of_the_repository_is_not_in_the_question(reviewed: ReviewedChange):
    """Protects sharing a question: it holds nothing of this machine."""
    assert str(reviewed.git.folder) not in question(reviewed).to_json()
