"""Which model grades rubrics, how it is asked, and how good it has to be before it decides."""

from typing import Annotated

from pydantic import Field

from naoshi.models.model_settings import ModelSettings
from naoshi.records.base import content_hash

_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]

MARKS = ("allow_same_family", "min_labels", "min_kappa", "max_false_passes", "max_errors")
"""The settings that say when a judge decides, and not how it grades."""


class JudgeSettings(ModelSettings):
    """The section ``[judge]``: the model that grades `llm-rubric`. Without ``model`` there is none.

    ``family`` says whose model it is where its name does not. ``timeout`` is seconds for one grade, all tries
    included. ``workers`` is how many grades are asked for at a time. ``longest_input`` is the most characters that
    the judge is shown; longer material is not cut, but not graded.

    ``allow_same_family`` lets a judge grade a model of its own family; the run says so. The judge decides only after
    `naoshi judge calibrate`: with at least ``min_labels`` labels, the lower end of the interval of Cohen's kappa at
    ``min_kappa`` or above, the upper end of that of false passes at ``max_false_passes`` or below, and at most the
    share ``max_errors`` without a grade. Below that it advises. What was measured is kept in the folder
    ``calibrations``, relative to the repository.
    """

    family: str = ""
    workers: int = Field(default=4, gt=0, le=64)
    longest_input: int = Field(default=200_000, gt=0)
    allow_same_family: bool = False
    min_labels: int = Field(default=30, gt=0)
    min_kappa: float = Field(default=0.4, ge=-1, le=1, allow_inf_nan=False)
    max_false_passes: _Share = 0.25
    max_errors: _Share = 0.05
    calibrations: str = ".naoshi/judge"

    def pin(self, *, prompt_hash: str, rubric_version: str) -> str:
        """Return the hash of all that grades depend on, 64 hexadecimal digits."""
        return content_hash(
            {
                "provider": self.provider.value,
                "address": self.address,
                "model": self.model,
                "temperature": self.temperature,
                "max_tokens": self.max_tokens,
                "answer_form": self.answer_form.value,
                "rubric_version": rubric_version,
                "prompt": prompt_hash,
            }
        )
