"""Which model grades rubrics, how it is asked, and how good it has to be before it decides."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from naoshi.records.base import content_hash

_Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]
_Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]

_ADDRESSES = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "google": "https://generativelanguage.googleapis.com",
}
_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "google": "GOOGLE_API_KEY"}


class Provider(StrEnum):
    """Whose protocol is spoken: OpenAI's Chat Completions, Anthropic's Messages, or Google's generateContent."""

    openai = "openai"
    anthropic = "anthropic"
    google = "google"


class AnswerForm(StrEnum):
    """How the grade is asked for: a call of a tool, an answer bound to a JSON schema, or JSON asked for in words."""

    tool = "tool"
    schema = "schema"
    text = "text"


class JudgeSettings(BaseModel):
    """The section ``[judge]``: the model that grades `llm-rubric`. Without ``model`` there is none.

    ``base_url`` is the address of any endpoint that speaks the protocol of ``provider`` (empty: the provider's own).
    The key is read from the variable of the environment that ``key_variable`` names (empty: the provider's usual
    one), and from nowhere else. ``family`` says whose model it is where its name does not. ``temperature`` may be
    "default" for models that take none. ``max_tokens`` bounds one answer.

    ``timeout`` is seconds for one grade, all tries included. ``retries`` is how often a request is sent again after
    a failure of the endpoint, and as often a grade that cannot be read is asked for again. ``workers`` is how many
    grades are asked for at a time. ``longest_input`` is the most characters that the judge is shown; longer material
    is not cut, but not graded.

    ``allow_same_family`` lets a judge grade a model of its own family; the run says so. The judge decides only after
    `naoshi judge calibrate`: with at least ``min_labels`` labels, the lower end of the interval of Cohen's kappa at
    ``min_kappa`` or above, the upper end of that of false passes at ``max_false_passes`` or below, and at most the
    share ``max_errors`` without a grade. Below that it advises. What was measured is kept in the folder
    ``calibrations``, relative to the repository.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    provider: Provider = Provider.openai
    model: str = ""
    base_url: str = ""
    key_variable: str = ""
    family: str = ""
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | Literal["default"] = 0.0
    max_tokens: int = Field(default=2048, gt=0)
    answer_form: AnswerForm = AnswerForm.tool
    timeout: _Seconds = 120.0
    retries: int = Field(default=2, ge=0, le=10)
    workers: int = Field(default=4, gt=0, le=64)
    longest_input: int = Field(default=200_000, gt=0)
    allow_same_family: bool = False
    min_labels: int = Field(default=30, gt=0)
    min_kappa: float = Field(default=0.4, ge=-1, le=1, allow_inf_nan=False)
    max_false_passes: _Share = 0.25
    max_errors: _Share = 0.05
    calibrations: str = ".naoshi/judge"

    @property
    def address(self) -> str:
        """Return where requests go; no variable of the environment changes it."""
        return self.base_url or _ADDRESSES[self.provider.value]

    @property
    def key_name(self) -> str:
        """Return the name of the variable of the environment that holds the key."""
        return self.key_variable or _KEYS[self.provider.value]

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
