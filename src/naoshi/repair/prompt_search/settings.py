"""The settings of the prompt search."""

from typing import Literal

from pydantic import Field

from naoshi.models.model_settings import ModelSettings


class PromptSearchSettings(ModelSettings):
    """The search for a better prompt with GEPA, in place of a coding agent.

    ``use`` lets every repair do it, `naoshi repair --engine gepa` one. ``prompt`` is the file that is reworded,
    relative to the repository. The model proposes wordings from cases of the diagnose split; the validate split alone
    scores them. At most ``proposals`` are asked for, each from ``batch`` cases, and at most ``evaluations`` cases are
    run. A winner has to be better than the present prompt on the cases that both answered; with ``rule`` `lenient`
    it also has to be good enough by the lenient rule (75 % of the scores at 0.85, or their average), with `better` it
    need not. ``seed`` makes the search repeatable.
    """

    max_tokens: int = Field(default=8192, gt=0)
    use: bool = False
    prompt: str = ""
    proposals: int = Field(default=8, ge=1)
    batch: int = Field(default=4, ge=1)
    evaluations: int = Field(default=1000, ge=1)
    rule: Literal["lenient", "better"] = "lenient"
    seed: int = 0
