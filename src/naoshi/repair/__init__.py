"""From ranked failures to a change that is proven: diagnosis, handoff, coding agents, scan and certificate."""

from naoshi.repair.agents_md import agents_section, with_section
from naoshi.repair.attempts import (
    Granted,
    RepairOutcome,
    Workshop,
    attempt_record,
    best_granted,
    repair,
    try_once,
)
from naoshi.repair.certificate import certify, failures_told, verify_certificate
from naoshi.repair.citations import Lookup, RecordLookup, checked
from naoshi.repair.coding_agents.base import AgentEvent, CodingAgent, Work, WorkOrder
from naoshi.repair.coding_agents.claude import ClaudeAgent
from naoshi.repair.coding_agents.codex import CodexAgent
from naoshi.repair.coding_agents.command import CommandAgent
from naoshi.repair.coding_agents.open_agent import open_coding_agent
from naoshi.repair.coding_agents.program_run import Limits
from naoshi.repair.coding_agents.settings import ClaudeSettings, CodexSettings
from naoshi.repair.engines.base import DiagnosisEngine, DiagnosisMaterial
from naoshi.repair.engines.evidence import EvidenceEngine
from naoshi.repair.engines.halo import HaloEngine
from naoshi.repair.engines.halo_program import HaloProgram
from naoshi.repair.engines.open_engine import open_engine
from naoshi.repair.engines.settings import DiagnosisModelSettings, HaloSettings
from naoshi.repair.handoff import build_handoff, trace_path
from naoshi.repair.handoff_block import handoff_block
from naoshi.repair.handoff_file import parse_handoff, render_handoff
from naoshi.repair.judge_change import Judgement, judge_change
from naoshi.repair.make_change import Base, ChangeOutcome, RepairEvidence, make_change
from naoshi.repair.remove_branches import remove_unknown_branches
from naoshi.repair.sandbox import Sandbox, find_sandbox
from naoshi.repair.sandbox_doors import Endpoint
from naoshi.repair.scan import Finding, scan
from naoshi.repair.settings import HandoffBudget, RepairSettings
from naoshi.repair.task import build_task, render_task
from naoshi.repair.tree_diff import TreeDiff, read_tree_diff
from naoshi.repair.workspace import clear_leftovers

__all__ = [
    "AgentEvent",
    "Base",
    "ChangeOutcome",
    "ClaudeAgent",
    "ClaudeSettings",
    "CodexAgent",
    "CodexSettings",
    "CodingAgent",
    "CommandAgent",
    "DiagnosisEngine",
    "DiagnosisMaterial",
    "DiagnosisModelSettings",
    "Endpoint",
    "EvidenceEngine",
    "Finding",
    "Granted",
    "HaloEngine",
    "HaloProgram",
    "HaloSettings",
    "HandoffBudget",
    "Judgement",
    "Limits",
    "Lookup",
    "RecordLookup",
    "RepairEvidence",
    "RepairOutcome",
    "RepairSettings",
    "Sandbox",
    "TreeDiff",
    "Work",
    "WorkOrder",
    "Workshop",
    "agents_section",
    "attempt_record",
    "best_granted",
    "build_handoff",
    "build_task",
    "certify",
    "checked",
    "clear_leftovers",
    "failures_told",
    "find_sandbox",
    "handoff_block",
    "judge_change",
    "make_change",
    "open_coding_agent",
    "open_engine",
    "parse_handoff",
    "read_tree_diff",
    "remove_unknown_branches",
    "render_handoff",
    "render_task",
    "repair",
    "scan",
    "trace_path",
    "try_once",
    "verify_certificate",
    "with_section",
]
