"""The `[repair]` section of naoshi.toml."""

from pathlib import PurePosixPath
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from naoshi.records.language import Language
from naoshi.repair.coding_agents.settings import ClaudeSettings, CodexSettings, SandboxMode
from naoshi.repair.engines.settings import DiagnosisModelSettings, HaloSettings
from naoshi.repair.judging_settings import JudgingSettings
from naoshi.repair.prompt_search.settings import PromptSearchSettings
from naoshi.repair.proposal_settings import ProposalSettings

Layout = Literal["four", "seven"]
Engine = Literal["evidence", "model", "halo"]

DEFAULT_PROTECTED = (
    "evals/",
    "tests/",
    ".naoshi/",
    ".github/",
    ".gitlab/",
    ".circleci/",
    ".ci/",
    ".gitlab-ci.yml",
    ".travis.yml",
    ".drone.yml",
    ".pre-commit-config.yaml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "Jenkinsfile",
    "naoshi.toml",
    "promptfooconfig.yaml",
    "**/.gitattributes",
    "**/.gitmodules",
    "**/AGENTS.md",
    "**/CLAUDE.md",
)
"""What no change may touch, unless the settings say otherwise."""


class HandoffBudget(BaseModel):
    """How much a handoff may hold. What does not fit is left out, the least valuable first, and counted.

    ``listed`` is the number of cases shown in the part for reading; the machine-readable block has ``cases`` failing
    ones and ``confirmed`` ones that pass. ``traces`` are cited at most, ``places`` are the lines given for one case.
    ``characters`` is the length of the whole file, in which one failing case always has its place.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    cases: int = Field(default=2000, ge=1)
    confirmed: int = Field(default=4000, ge=0)
    traces: int = Field(default=200, ge=0)
    places: int = Field(default=12, ge=1)
    listed: int = Field(default=20, ge=1)
    characters: int = Field(default=1_500_000, ge=1)


class RepairSettings(BaseModel):
    """How changes are made and what they may touch.

    ``agent`` is `codex`, `claude`, or `command` for the program in ``command``, run in a checkout that holds
    ``codex_handoff.md`` and ``task.md``. ``timeout`` is in seconds, ``output_limit`` in bytes on each stream,
    ``token_limit`` in tokens of its model, ``change_limit`` in bytes of changed files. Paths ending in
    ``/`` are folders, ``**/name`` is that name at any depth, anything else is one file; ``protected`` wins over
    ``editable``; ``hidden`` files are not in the coding agent's checkout. ``environment`` is handed to the coding agent
    besides a short list of harmless variables. A repair has at most ``attempts`` tries (1 to 3). It ends with the first
    certified change; with ``best_of`` above 1 it goes on until so many are certified and takes the best, unless one
    mends every target and makes nothing worse.

    ``sandbox`` runs the coding agent inside bubblewrap: where it is there (`auto`), always (`require`) or never
    (`off`). ``reachable`` are the addresses that a `command` may reach from there, ``network`` opens all of them,
    ``readable`` are further places that the coding agent may read.

    ``every_case`` tells the coding agent that each case is true as it stands and has to pass; without it a rule may
    outvote a case. ``allow_worse`` is how many cases of the diagnose split that passed may fail after a change, where
    more are mended. ``language`` (``en`` or ``ja``) is that of the diagnosis; ``budget`` limits the handoff,
    whose ``layout`` has `four` sections or the `seven` of the public cookbook. ``engine`` diagnoses: `evidence` counts
    and asks no model, `model` asks the one of ``model`` once, `halo` runs HALO.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    agent: Literal["command", "codex", "claude"] = "command"
    command: str | tuple[str, ...] = ()
    timeout: float = Field(default=600.0, gt=0)
    output_limit: int = Field(default=4 * 1024 * 1024, gt=0)
    token_limit: int = Field(default=2_000_000, gt=0)
    change_limit: int = Field(default=8 * 1024 * 1024, gt=0)
    attempts: int = Field(default=3, ge=1, le=3)
    best_of: int = Field(default=1, ge=1, le=3)
    editable: tuple[str, ...] = ("harness/",)
    protected: tuple[str, ...] = DEFAULT_PROTECTED
    hidden: tuple[str, ...] = ("evals/validate.yaml",)
    environment: dict[str, str] = {}
    sandbox: SandboxMode = "auto"
    network: bool = False
    reachable: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()
    codex: CodexSettings = CodexSettings()
    claude: ClaudeSettings = ClaudeSettings()
    allow_worse: int = Field(default=0, ge=0)
    every_case: bool = False
    language: Language = "en"
    budget: HandoffBudget = HandoffBudget()
    layout: Layout = "four"
    engine: Engine = "evidence"
    model: DiagnosisModelSettings = DiagnosisModelSettings()
    halo: HaloSettings = HaloSettings()
    gepa: PromptSearchSettings = PromptSearchSettings()
    judging: JudgingSettings = JudgingSettings()
    proposal: ProposalSettings = ProposalSettings()

    def guarding(self, folder: str) -> "RepairSettings":
        """Return these settings with the suites in *folder* (relative to the repository) protected, and hidden.

        The diagnose suite may be read, since the handoff holds its cases; the validate suite may not, and
        neither may the kept baseline, which names its cases.
        """
        place = folder.strip("/")
        protected = dict.fromkeys((*self.protected, f"{place}/"))
        hidden = dict.fromkeys((*self.hidden, f"{place}/validate.yaml", f"{place}/baseline.json"))
        return self.model_copy(update={"protected": tuple(protected), "hidden": tuple(hidden)})

    @field_validator("editable", "protected", "hidden")
    @classmethod
    def _stay_inside(cls, places: tuple[str, ...]) -> tuple[str, ...]:
        for place in places:
            if not place.strip() or place.startswith("/") or ".." in PurePosixPath(place).parts or "\0" in place:
                raise ValueError(f"the path {place!r} does not stay inside the repository")
        return places

    @field_validator("editable")
    @classmethod
    def _something_editable(cls, places: tuple[str, ...]) -> tuple[str, ...]:
        if not places:
            raise ValueError("at least one path must be editable")
        return places
