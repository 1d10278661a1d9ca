"""The question that a reviewer answers before a change is released: everything that the decision needs, on one page."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum

from naoshi.errors import InputError
from naoshi.records import (
    Certificate,
    Change,
    Record,
    Review,
    ReviewDecision,
    Verdict,
    content_id,
)
from naoshi.release.review_wording import WORDS, Words, one_line, shown_diff, shown_share
from naoshi.release.settings import ReviewSettings

_WORSE_SHOWN = 12


class ReviewChoice(StrEnum):
    """What a reviewer can answer: decide, or see more first."""

    approve = "approve"
    reject = "reject"
    full_diff = "full_diff"
    worse_cases = "worse_cases"


CHOICES = (ReviewChoice.approve, ReviewChoice.reject, ReviewChoice.full_diff, ReviewChoice.worse_cases)
"""The choices in the order in which they are numbered, from 1."""


class ReviewQuestion(Record):
    """A numbered question about one change. ``labels`` are numbered from 1; ``conversation_id`` is by content.

    ``full_diff`` and ``worse_cases`` are what the choices 3 and 4 show before the question is asked again.
    """

    conversation_id: str
    change_id: str
    certificate_id: str
    verdict_id: str
    text: str
    labels: tuple[str, ...]
    full_diff: str
    worse_cases: str

    def choice(self, number: int) -> ReviewChoice:
        """Return what the choice *number* (from 1) stands for.

        Raises:
            InputError: there is no such choice.
        """
        if not 1 <= number <= len(CHOICES):
            raise InputError(f"there is no choice {number}", hint=f"answer with a number from 1 to {len(CHOICES)}")
        return CHOICES[number - 1]

    def decision(self, number: int) -> ReviewDecision | None:
        """Return what the choice *number* decides, or None when it only asks to see more.

        Raises:
            InputError: there is no such choice.
        """
        decided = {ReviewChoice.approve: ReviewDecision.approved, ReviewChoice.reject: ReviewDecision.rejected}
        return decided.get(self.choice(number))

    def shown(self, number: int) -> str | None:
        """Return what the choice *number* shows, or None when it decides.

        Raises:
            InputError: there is no such choice.
        """
        pages = {ReviewChoice.full_diff: self.full_diff, ReviewChoice.worse_cases: self.worse_cases}
        return pages.get(self.choice(number))


def review_question(
    change: Change,
    *,
    certificate: Certificate,
    verdict: Verdict,
    summary: str = "",
    case_names: Mapping[str, str] | None = None,
    settings: ReviewSettings | None = None,
) -> ReviewQuestion:
    """Return the question about *change*. *summary* says what it answers; *case_names* describe cases for reading."""
    chosen = settings or ReviewSettings()
    words = WORDS[chosen.language]
    names = case_names or {}
    worse = [f"- {name}: {one_line(names.get(name, ''))}".rstrip(": ") for name in certificate.worse]
    return ReviewQuestion(
        conversation_id=content_id(
            "review", change.change_id, certificate.certificate_id, verdict.verdict_id, chosen.language
        ),
        change_id=change.change_id,
        certificate_id=certificate.certificate_id,
        verdict_id=verdict.verdict_id,
        text=_text(change, certificate, verdict, summary, worse, chosen.shown_lines, words),
        labels=(words.approve, words.reject, words.full_diff, words.worse_cases.format(count=len(worse))),
        full_diff=shown_diff(change.diff, None, words),
        worse_cases="\n".join(worse) or words.none_worse,
    )


def decide(
    question: ReviewQuestion,
    number: int,
    *,
    reviewer: str,
    now: datetime,
    confirmation_id: str | None = None,
    comment: str = "",
) -> Review | None:
    """Return the review that the choice *number* makes, or None when it only asks to see more.

    Raises:
        InputError: there is no such choice, or nobody is named as the reviewer.
    """
    decision = question.decision(number)
    if decision is None:
        return None
    if not reviewer.strip():
        raise InputError("a review needs the name of its reviewer")
    bound = (question.change_id, question.certificate_id, question.verdict_id)
    return Review(
        review_id=content_id("review", *bound, decision.value, reviewer),
        change_id=question.change_id,
        certificate_id=question.certificate_id,
        verdict_id=question.verdict_id,
        decision=decision,
        reviewer=reviewer,
        confirmation_id=confirmation_id,
        comment=comment,
        decided_at=now,
    )


def next_reviewer(settings: ReviewSettings, reviews: Sequence[Review]) -> str | None:
    """Return whose turn it is: the reviewer with the fewest reviews, not the last one where there is another.

    None when the settings name nobody.
    """
    if not settings.reviewers:
        return None
    last = reviews[-1].reviewer if reviews else None
    others = [name for name in settings.reviewers if name != last] or list(settings.reviewers)
    counts = {name: sum(review.reviewer == name for review in reviews) for name in others}
    return min(others, key=lambda name: (counts[name], others.index(name)))


def _text(
    change: Change,
    certificate: Certificate,
    verdict: Verdict,
    summary: str,
    worse: Sequence[str],
    shown_lines: int,
    words: Words,
) -> str:
    parts = [
        words.question.format(
            version=one_line(change.base_version), attempt=change.attempt, agent=one_line(change.coding_agent)
        ),
        *([one_line(summary, limit=600)] if summary else []),
        f"{words.mended}: {len(certificate.mended)} / {len(certificate.targets)}    "
        f"{words.worse}: {len(certificate.worse)}    {words.files}: {', '.join(map(one_line, change.files))}",
        f"{words.certificate} {certificate.certificate_id} "
        f"({words.granted if certificate.granted else words.not_granted})",
        *(f"  [{'+' if check.held else '-'}] {check.name}: {one_line(check.detail)}" for check in certificate.checks),
        f"{words.verdict}: {words.outcomes[verdict.outcome]}",
        *(f"  {one_line(reason, limit=300)}" for reason in verdict.reasons),
        *(
            f"  {one_line(item.category)}: {shown_share(item.baseline_rate)} -> {shown_share(item.candidate_rate)} "
            f"({words.cases.format(count=item.cases)}) {words.outcomes[item.outcome]}"
            for item in verdict.categories
        ),
        *([f"{words.worse}:", *worse[:_WORSE_SHOWN]] if worse else []),
        *([words.more.format(count=len(worse) - _WORSE_SHOWN)] if len(worse) > _WORSE_SHOWN else []),
        f"{words.diff}:",
        shown_diff(change.diff, shown_lines, words),
    ]
    return "\n".join(parts)
