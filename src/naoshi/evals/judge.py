"""Where a model that grades rubrics plugs in. None is configured unless a person does so."""

from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue


@dataclass(frozen=True, kw_only=True)
class Grade:
    """What a judge says of an output: ``score`` 0–1, and why."""

    score: float
    reason: str


class Judge(Protocol):
    """Grades an output by a rule in words. ``pin`` names all that its grades depend on (model, prompt, temperature)."""

    @property
    def pin(self) -> str: ...  # noqa: D102

    def grade(self, *, rubric: str, output: JsonValue, vars: dict[str, JsonValue]) -> Grade:
        """Return the grade.

        Raises:
            JudgeError: there is none.
        """
        ...
