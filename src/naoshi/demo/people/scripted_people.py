"""Triagers and reviewers that follow a script, for a demo in which nobody sits at the keyboard."""

from collections import Counter
from collections.abc import Sequence
from random import Random

from naoshi.demo.people.typed_number import not_ready, typed_number
from naoshi.flow.people import Answer, Question
from naoshi.records.language import Language

TRIAGERS = ("mori", "tan", "elena")
REVIEWERS = ("ono", "devi", "marek")


class ScriptedPeople:
    """Triagers and reviewers who see the question alone and mostly follow its proposal.

    In a share *deviate* of the questions a triager chooses another of the choices, and a reviewer first asks for
    another (to see the full diff, or to reject) and, when asked again, follows the proposal. In a share *hesitate*
    they type words first, and the number when asked again. Without a proposal they do not answer: no judgement of
    their own is scripted, and no answer means no.

    What is answered depends on *seed*, the question's conversation and how often it was asked of this object, so a
    second loop, such as one for comparison, needs an object of its own. *turn* says whose turn among the reviewers it
    is (the number of the cycle, so that they rotate); without it the reviewer is drawn by lot.
    """

    def __init__(
        self,
        *,
        seed: int,
        deviate: float = 0.05,
        hesitate: float = 0.03,
        turn: int | None = None,
        language: Language = "ja",
        triagers: Sequence[str] = TRIAGERS,
        reviewers: Sequence[str] = REVIEWERS,
    ) -> None:
        if not (0.0 <= deviate <= 1.0 and 0.0 <= hesitate <= 1.0):
            raise ValueError("deviate and hesitate are shares between 0 and 1")
        if not triagers or not reviewers:
            raise ValueError("there must be a triager and a reviewer")
        self._seed = seed
        self._deviate = deviate
        self._hesitate = hesitate
        self._turn = turn
        self._language: Language = language
        self._triagers = tuple(triagers)
        self._reviewers = tuple(reviewers)
        self._asked: Counter[str] = Counter()

    def answer(self, question: Question) -> Answer | None:
        """Return what is typed this time in reply to *question*, or None when it proposes nothing."""
        if question.proposed is None:
            return None
        lot = self._lot(question, "plan")
        plan = self._plan(question, question.proposed, lot)
        step = min(self._asked[question.conversation_id], len(plan) - 1)
        self._asked[question.conversation_id] += 1
        typing = self._lot(question, f"typing {step}")
        number = plan[step]
        if number is None:
            reply = not_ready(lot=typing, language=self._language)
        else:
            reply = typed_number(number, lot=typing, language=self._language)
        return Answer(reply=reply, actor=self._actor(question))

    def _plan(self, question: Question, proposed: int, lot: Random) -> list[int | None]:
        """Return the numbers to be typed one asking after the other; None stands for words."""
        hesitates, deviates = lot.random() < self._hesitate, lot.random() < self._deviate
        others = [number for number in range(1, len(question.labels) + 1) if number != proposed]
        plan: list[int | None] = [None] if hesitates else []
        if deviates and others:
            plan.append(lot.choice(others))
        if question.kind == "review" or not (deviates and others):
            plan.append(proposed)
        return plan

    def _actor(self, question: Question) -> str:
        if question.kind != "review":
            return self._lot(question, "triager").choice(self._triagers)
        if self._turn is None:
            return self._lot(question, "reviewer").choice(self._reviewers)
        return self._reviewers[self._turn % len(self._reviewers)]

    def _lot(self, question: Question, purpose: str) -> Random:
        return Random("|".join(("people", str(self._seed), purpose, question.conversation_id)))  # noqa: S311
