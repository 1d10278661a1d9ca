"""What a person decided when the loop asked."""

from pydantic import AwareDatetime

from naoshi.records.base import Record


class Decision(Record):
    """The answer to one numbered question. ``decision_id`` is the question's conversation.

    ``choice`` counts from 1; ``proposed`` is the choice that the question proposed, None where it proposed none.
    """

    decision_id: str
    kind: str
    question: str
    labels: tuple[str, ...]
    choice: int
    proposed: int | None = None
    reply: str
    actor: str
    confirmation_id: str
    asked: int = 1
    decided_at: AwareDatetime
