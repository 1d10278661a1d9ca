"""Which model is asked, where, and how."""

from enum import StrEnum
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

_ADDRESSES = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "google": "https://generativelanguage.googleapis.com",
}
_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "google": "GOOGLE_API_KEY"}


def _is_plain_address(told: str) -> bool:
    try:
        parts = urlsplit(told)
        port = parts.port
    except ValueError:
        return False
    secret = parts.username is not None or parts.password is not None or parts.query or parts.fragment
    return parts.scheme in ("http", "https") and bool(parts.hostname) and port != 0 and not secret


class Provider(StrEnum):
    """Whose protocol is spoken: OpenAI's Chat Completions, Anthropic's Messages, or Google's generateContent."""

    openai = "openai"
    anthropic = "anthropic"
    google = "google"


class AnswerForm(StrEnum):
    """How an answer is asked for: a call of a tool, an answer bound to a JSON schema, or JSON asked for in words."""

    tool = "tool"
    schema = "schema"
    text = "text"


class ModelSettings(BaseModel):
    """The model that is asked. Without ``model`` there is none.

    ``base_url`` is the address of any endpoint that speaks the protocol of ``provider`` (empty: the provider's own),
    with no password and no query in it, since it is shown.
    The key is read from the variable of the environment that ``key_variable`` names (empty: the provider's usual
    one), and from nowhere else. ``temperature`` may be "default" for models that take none. ``max_tokens`` bounds one
    answer, ``timeout`` is seconds for one question with all its tries. ``retries`` is how often a request is sent
    again after a failure of the endpoint, and as often an answer that cannot be read is asked for again.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    provider: Provider = Provider.openai
    model: str = ""
    base_url: str = ""
    key_variable: str = ""
    temperature: Annotated[float, Field(ge=0, le=2, allow_inf_nan=False)] | Literal["default"] = 0.0
    max_tokens: int = Field(default=2048, gt=0)
    answer_form: AnswerForm = AnswerForm.tool
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 120.0
    retries: int = Field(default=2, ge=0, le=10)

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, told: str) -> str:
        """Take an address without secrets alone: it stands in every error and in the doctor's report."""
        if told and not _is_plain_address(told):
            raise ValueError("write an address such as https://host/v1, with no password and no query in it")
        return told

    @property
    def address(self) -> str:
        """Return where requests go; no variable of the environment changes it."""
        return self.base_url or _ADDRESSES[self.provider.value]

    @property
    def key_name(self) -> str:
        """Return the name of the variable of the environment that holds the key."""
        return self.key_variable or _KEYS[self.provider.value]
