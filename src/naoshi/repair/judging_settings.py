"""The section `[repair.judging]`: how a change is judged besides its cases."""

from pydantic import BaseModel, ConfigDict, Field

from naoshi.repair.coding_agents.settings import SandboxMode


class JudgingSettings(BaseModel):
    """Where the changed agent runs when it is judged, and how many of its questions are asked again.

    ``sandbox`` runs it inside bubblewrap, away from Naoshi's state, the suites and git: where it is there (`auto`),
    always (`require`) or never (`off`). ``network`` leaves it the network there; unless it is set, an agent whose
    ``model`` under ``[agent]`` is "none" has none. ``hidden`` are more files and folders (relative to the repository
    or absolute) that are empty there: name what holds right answers, such as the file that corrections come from.

    ``asked_again`` is how many inputs are asked once more under other names and in other bytes, so that answers which
    are only remembered are seen (0: none).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    sandbox: SandboxMode = "auto"
    network: bool | None = None
    hidden: tuple[str, ...] = ()
    asked_again: int = Field(default=20, ge=0, le=1000)
