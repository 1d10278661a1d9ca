"""Asking one question of a model: what comes of it."""

from dataclasses import dataclass
from typing import Protocol

from naoshi.errors import JudgeError
from naoshi.evals.judging.grade_answer import GradeAnswer
from naoshi.evals.judging.prompt import GradingPrompt


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What became of one question: a grade, or the error in its place, and what it took.

    ``lasting`` says that the error comes again until somebody changes something. ``cost`` is US dollars, None where
    the price is not known; ``served_by`` is the model that answered, by its own account.
    """

    grade: GradeAnswer | JudgeError
    lasting: bool = False
    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    served_by: str = ""


class Client(Protocol):
    """Asks a model for grades, from any thread."""

    def ask(self, prompt: GradingPrompt) -> Asked:
        """Return the grade, or why there is none, and what it took."""
        ...

    def close(self) -> None:
        """Let go of the connections."""
        ...
