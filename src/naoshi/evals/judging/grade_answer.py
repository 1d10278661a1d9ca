"""What a judge has to answer, and nothing else counts as a grade."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

_SHOWN = 600


class GradeAnswer(BaseModel):
    """The grade of one output: why, whether it passes, a score of 0–1, and the mark of the question.

    Nothing is read into it: a score in words, a score beyond 0–1 or a missing `pass` is no grade.
    """

    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)

    reason: str = Field(description="One or two sentences on what keeps or breaks the rule.")
    passed: bool = Field(alias="pass", description="Whether the output keeps the rule.")
    score: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = Field(
        description="How well it keeps the rule: 0 not at all, 1 wholly."
    )
    mark: str = Field(description="The mark of the two lines around the document.")

    @property
    def told(self) -> str:
        """Return the reason on one line, cut to what a person reads."""
        line = " ".join(self.reason.split())
        return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"
