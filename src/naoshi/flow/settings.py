"""The settings of one loop: a section for each stage."""

from pydantic import BaseModel, ConfigDict, Field

from naoshi.capture.settings import PrivacySettings
from naoshi.confirm.policy import ConfirmSettings
from naoshi.evals.judging.settings import JudgeSettings
from naoshi.evals.settings import AgentSettings, EvalSettings
from naoshi.gate.policy import GatePolicy
from naoshi.records.field_rule import FieldRules
from naoshi.records.language import Language
from naoshi.release.settings import ReviewSettings
from naoshi.repair.settings import RepairSettings
from naoshi.signals.settings import ContractSettings, EvidenceSettings
from naoshi.triage.settings import TriageSettings


class LoopSettings(BaseModel):
    """All of naoshi.toml that the stages need.

    ``branch`` is the agent's main branch (empty: the one that is checked out). ``language`` is that of questions,
    handoffs and explanations. ``confirmation_hours`` is how long a question of the loop stays open. ``commit_evals``
    lets `naoshi evals mint` commit the suites that it changed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    language: Language = "en"
    branch: str = ""
    commit_evals: bool = True
    confirmation_hours: float = Field(default=24.0 * 14, gt=0)
    agent: AgentSettings = AgentSettings()
    fields: FieldRules = FieldRules()
    contract: ContractSettings = ContractSettings()
    evidence: EvidenceSettings = EvidenceSettings()
    triage: TriageSettings = TriageSettings()
    evals: EvalSettings = EvalSettings()
    judge: JudgeSettings = JudgeSettings()
    gate: GatePolicy = GatePolicy()
    repair: RepairSettings = RepairSettings()
    review: ReviewSettings = ReviewSettings()
    confirm: ConfirmSettings = ConfirmSettings()
    privacy: PrivacySettings = PrivacySettings()
