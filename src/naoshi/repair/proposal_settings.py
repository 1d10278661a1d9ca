"""The `[repair.proposal]` section of naoshi.toml."""

from pydantic import BaseModel, ConfigDict, Field


class ProposalSettings(BaseModel):
    """How a certified change is put before others.

    ``remote`` is the git remote that its branch is pushed to. ``repository`` is ``OWNER/NAME`` on GitHub, with the host
    before it where that is not github.com; empty takes it from the remote's address. ``draft`` opens pull requests as
    drafts, ``labels`` are put on them (they have to exist). ``program`` is the name or path of GitHub's `gh`;
    ``timeout`` is in seconds for each request.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    remote: str = Field(default="origin", pattern=r"^[A-Za-z0-9_][A-Za-z0-9_./-]*$")
    repository: str = Field(default="", pattern=r"^([A-Za-z0-9.-]+/)?[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$|^$")
    draft: bool = False
    labels: tuple[str, ...] = ()
    program: str = "gh"
    timeout: float = Field(default=60.0, gt=0)
