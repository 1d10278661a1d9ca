"""Questions that the loop puts to people, and who answers them."""

from typing import Protocol

from naoshi.records.base import Record


class Question(Record):
    """A numbered question as a person sees it: the text with its evidence, then ``labels`` numbered from 1.

    ``proposed`` is the number of the choice that follows the proposal shown in the text (None: there is none).
    ``kind`` is ``triage`` or ``review``; ``subjects`` names the records that the decision is about.
    """

    conversation_id: str
    kind: str
    text: str
    labels: tuple[str, ...]
    proposed: int | None = None
    subjects: tuple[str, ...] = ()

    def shown(self) -> str:
        """Return the text and the numbered choices below it."""
        choices = "\n".join(f"  {number}. {label}" for number, label in enumerate(self.labels, start=1))
        return f"{self.text}\n\n{choices}"


class Answer(Record):
    """What a person typed, and who it was."""

    reply: str
    actor: str


class People(Protocol):
    """Whoever can be asked: a terminal, a script, or nobody just now."""

    def answer(self, question: Question) -> Answer | None:
        """Return the answer to *question*, or None when nobody answers now (the question stays pending)."""
        ...


class Nobody:
    """Nobody is there to answer: every question stays pending until a command answers it."""

    def answer(self, question: Question) -> Answer | None:
        """Return None."""
        return None
