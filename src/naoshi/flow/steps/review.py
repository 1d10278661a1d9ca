"""A person looks at the change, the certificate and the verdict, and decides."""

from naoshi.flow.asking import ask
from naoshi.flow.loop import Loop
from naoshi.flow.people import Question
from naoshi.flow.required import require
from naoshi.flow.steps.ending import ended, waiting
from naoshi.flow.steps.triage import counts_so_far
from naoshi.flow.suites import load_cases
from naoshi.records import Certificate, Change, Cycle, CycleState, Review, ReviewDecision, Verdict
from naoshi.release.review import ReviewQuestion, decide, review_question
from naoshi.release.ship import enter_review

_PAGES = 100
"""How often a reviewer may ask to see more; past that the question would stay open for ever."""


def review(loop: Loop, change: Change, certificate: Certificate, verdict: Verdict) -> Review | None:
    """Have *change* reviewed; None while nobody has decided. The review is kept and entered in the ledger."""
    known = [item for item in loop.store.reviews.find(change_id=change.change_id)
             if (item.certificate_id, item.verdict_id) == (certificate.certificate_id, verdict.verdict_id)]  # fmt: skip
    if known:
        return known[-1]
    asked = review_question(
        change,
        certificate=certificate,
        verdict=verdict,
        case_names={case.case_id: case.description for case in load_cases(loop)},
        settings=loop.settings.review,
    )
    shown = ""
    for page in range(_PAGES):
        decision = ask(loop, _question(asked, page, shown))
        if decision is None:
            return None
        found = decide(
            asked,
            decision.choice,
            reviewer=decision.actor,
            now=decision.decided_at,
            confirmation_id=decision.confirmation_id,
        )
        if found is not None:
            enter_review(loop.store, found)
            return found
        shown = asked.shown(decision.choice) or ""
    return None


def _question(asked: ReviewQuestion, page: int, shown: str) -> Question:
    """Return the question as it is put: what was asked to be shown stands above it, on a page of its own."""
    return Question(
        conversation_id=f"{asked.conversation_id}-{page}" if page else asked.conversation_id,
        kind="review",
        text=f"{shown}\n\n{asked.text}" if shown else asked.text,
        labels=asked.labels,
        proposed=1,
        subjects=(asked.change_id, asked.certificate_id, asked.verdict_id),
    )


def review_step(loop: Loop, cycle: Cycle) -> Cycle:
    """Have the change reviewed; a rejection ends the cycle."""
    change = require(loop.store.changes, cycle.change_id)
    certificate = require(loop.store.certificates, cycle.certificate_id)
    verdict = require(loop.store.verdicts, cycle.verdict_id)
    found = review(loop, change, certificate, verdict)
    asked = counts_so_far(loop, cycle)["questions"]
    if found is None:
        return waiting(cycle, f"change {change.change_id} waits for a review").model_copy(update={"questions": asked})
    reviewed = cycle.model_copy(update={"review_id": found.review_id, "questions": asked})
    loop.report(f"review: {found.decision.value} by {found.reviewer}")
    if found.decision is ReviewDecision.rejected:
        return ended(loop, reviewed, CycleState.refused, f"{found.reviewer} rejected the change")
    return reviewed.model_copy(update={"stage": "release"})
