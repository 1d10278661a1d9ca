"""Releasing what was approved: review, versions, merging, rollback, and the ledger of decisions."""

from naoshi.release.ledger import ReviewFigures, enter, review_figures, sample_traces, verify_ledger
from naoshi.release.review import CHOICES, ReviewChoice, ReviewQuestion, decide, next_reviewer, review_question
from naoshi.release.rollback import RolledBack, rollback
from naoshi.release.settings import ReviewSettings
from naoshi.release.ship import BaselineMove, enter_review, ship
from naoshi.release.versions import current_version, ensure_version, version_named

__all__ = [
    "CHOICES",
    "BaselineMove",
    "ReviewChoice",
    "ReviewFigures",
    "ReviewQuestion",
    "ReviewSettings",
    "RolledBack",
    "current_version",
    "decide",
    "ensure_version",
    "enter",
    "enter_review",
    "next_reviewer",
    "review_figures",
    "review_question",
    "rollback",
    "sample_traces",
    "ship",
    "verify_ledger",
    "version_named",
]
