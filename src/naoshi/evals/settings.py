"""How the agent under test is started, and where the suites lie."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from naoshi.records.eval_case import Split

_Finite = Annotated[float, Field(allow_inf_nan=False)]
_Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class AgentSettings(BaseModel):
    """The section ``[agent]``: the program under test, run in a checkout of the version under test.

    ``command`` is a list of words, or a text that is split as a shell would, without a shell. ``environment`` is added
    to what the program sees of ours (docs/evals.md). ``workers`` is how many of it run at a time.

    ``timeout`` is seconds for one answer, ``start_timeout`` is added for the first one of a fresh process.
    ``output_limit`` is bytes for one answer. ``data_root`` (relative to the repository) is where documents lie;
    the agent finds its real path in NAOSHI_DATA_ROOT. ``max_turns`` reaches it as NAOSHI_MAX_TURNS.
    ``max_restarts`` is how many times in a row a process may end without an answer before the agent is given up.
    ``model`` is the model that the agent uses, or a list of several, or "none": a judge must be of another family.
    ``family`` says whose model it is where its name does not.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: str | tuple[str, ...] = ()
    timeout: _Seconds = 60.0
    start_timeout: _Seconds = 30.0
    output_limit: int = Field(default=16 * 1024 * 1024, gt=0)
    environment: dict[str, str] = {}
    max_turns: int = Field(default=30, gt=0)
    data_root: str = "."
    max_restarts: int = Field(default=5, gt=0)
    workers: int = Field(default=2, gt=0, le=256)
    model: str | tuple[str, ...] = ""
    family: str = ""


class SplitWeights(BaseModel, frozen=True, extra="forbid"):
    """The shares of sources that go to each split. They need not add up to one."""

    diagnose: _Finite = Field(default=0.6, ge=0, description="share of sources that the coding agent sees")
    validate_: _Finite = Field(default=0.2, ge=0, alias="validate", description="share of sources that judge a change")
    holdout: _Finite = Field(default=0.2, ge=0, description="share of sources that nobody sees")

    @model_validator(mode="after")
    def _some_weight(self) -> "SplitWeights":
        if not any(self.shares()):
            raise ValueError("at least one split needs a weight above 0")
        return self

    def shares(self) -> tuple[float, float, float]:
        """Return the weights in the order of `Split`."""
        return self.diagnose, self.validate_, self.holdout


class EvalSettings(BaseModel, frozen=True, extra="forbid"):
    """The section ``[evals]``.

    ``folder`` (relative to the repository) holds the suites that people keep. ``threshold`` (above 0, at most 1) is
    what a minted case asks for. ``rubric_fields`` names fields, as ``artifact.field``, whose truth is not literal:
    their cases are graded by a rubric made of the practitioner's reason. Another ``split_salt`` draws other splits.
    ``python`` is the interpreter that runs assertions in Python (empty: the one that runs Naoshi), ``python_timeout``
    seconds for one of them.

    ``trials`` is how often a cycle runs each case on each version: an agent with chance in it is judged by the
    share that passes. ``smoke_seconds`` is how long the smoke suite may take. ``near_duplicate`` (a share, 0–1) is
    the likeness of texts from which two cases count as near-duplicates. A case is flaky when more than
    ``flaky_share`` of its ``flaky_repeats`` or more repeats flipped. The holdout may be asked ``holdout_per_cycle``
    times in a cycle and ``holdout_per_month`` times in a calendar month (UTC) in all.
    """

    folder: str = "evals"
    threshold: float = Field(default=0.7, gt=0, le=1, allow_inf_nan=False)
    split_weights: SplitWeights = SplitWeights()
    split_salt: str = "naoshi"
    rubric_fields: frozenset[str] = frozenset()
    python: str = ""
    python_timeout: _Seconds = 10.0
    trials: int = Field(default=1, ge=1, le=100)
    smoke_seconds: _Seconds = 60.0
    near_duplicate: float = Field(default=0.9, gt=0.5, le=1, allow_inf_nan=False)
    flaky_share: float = Field(default=0.1, ge=0, lt=1, allow_inf_nan=False)
    flaky_repeats: int = Field(default=4, ge=2)
    holdout_per_cycle: int = Field(default=8, ge=0)
    holdout_per_month: int = Field(default=200, ge=0)

    def suite_path(self, split: Split, *, repository: Path, state: Path) -> Path:
        """Return where the suite of *split* lies: the holdout in *state*, outside git; the others in *repository*."""
        if split is Split.holdout:
            return state / "evals" / "holdout.yaml"
        return repository / self.folder / f"{split.value}.yaml"
