"""The settings of the engines that ask a model."""

from pydantic import BaseModel, ConfigDict, Field

from naoshi.models.model_settings import ModelSettings


class DiagnosisModelSettings(ModelSettings):
    """The model that diagnoses, with the engine `model`.

    ``longest_input`` is the most characters of data that it is shown; the rarest failures are left out first.
    """

    max_tokens: int = Field(default=8192, gt=0)
    timeout: float = Field(default=600.0, gt=0, allow_inf_nan=False)
    longest_input: int = Field(default=300_000, gt=0)


class HaloSettings(BaseModel):
    """HALO, with the engine `halo`. It is a program of its own; `naoshi halo install` brings it.

    ``model`` is asked at ``base_url`` (empty: OpenAI's own address) with the Responses API. The key is read from the
    variable of the environment that ``key_variable`` names, and from nowhere else. ``synthesis_model`` (empty: the
    same) sums up. ``max_turns``, ``max_depth`` and ``max_parallel`` bound its agents, ``timeout`` (seconds) the whole
    run. ``folder`` is where it is installed (empty: in the cache folder of the user), ``python`` the interpreter that
    it is installed for, ``version`` its release.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str = ""
    base_url: str = ""
    key_variable: str = "OPENAI_API_KEY"
    synthesis_model: str = ""
    max_turns: int = Field(default=30, ge=1)
    max_depth: int = Field(default=1, ge=0)
    max_parallel: int = Field(default=2, ge=1)
    timeout: float = Field(default=1800.0, gt=0, allow_inf_nan=False)
    folder: str = ""
    python: str = "python3.12"
    version: str = "0.3.5"
