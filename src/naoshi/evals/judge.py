"""Where a model that grades rubrics plugs in. None is configured unless a person does so."""

from dataclasses import dataclass
from typing import Protocol, Self

from pydantic import JsonValue

from naoshi.evals.answer import Answer
from naoshi.records.run_judge import RunJudge


@dataclass(frozen=True, kw_only=True)
class Grade:
    """What a judge says of an output: ``score`` 0–1, whether it ``passed`` in the judge's eyes, and why.

    ``advice`` is empty where the judge decides. Else it says why it may only advise: the grade is then shown, and
    neither passes nor fails the case.
    """

    score: float
    reason: str
    passed: bool = True
    advice: str = ""

    def as_advice(self) -> str:
        """Return the grade as the reason of a result that it does not decide."""
        said = "pass" if self.passed else "fail"
        return f"advice only, since {self.advice}: the judge says {said} at {self.score:g}: {self.reason}"


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


class OpenJudge(Judge, Protocol):
    """The judge of one run, open as long as it is entered. It may be asked for ``workers`` grades at once."""

    @property
    def workers(self) -> int: ...  # noqa: D102

    def see(self, answer: Answer) -> None:
        """Look at the *answer* that is graded next: who made it may decide whether it is graded at all."""
        ...

    def record(self) -> RunJudge:
        """Return who judged, by what right, and what it took."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...
