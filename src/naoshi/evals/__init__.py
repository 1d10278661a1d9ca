"""Permanent cases: minted from corrections, kept as Promptfoo suites, run against versions of the agent."""

from naoshi.evals.answer import Answer
from naoshi.evals.judge import Grade, Judge, JudgeError
from naoshi.evals.left_alone import left_alone
from naoshi.evals.merge import Contradiction, MergeReport, merge_cases
from naoshi.evals.mint import mint
from naoshi.evals.run import run_cases, settings_hash
from naoshi.evals.score import score
from naoshi.evals.settings import AgentSettings, EvalSettings, SplitWeights
from naoshi.evals.splits import assign_split
from naoshi.evals.suite_file import SuiteFile, load_suite

__all__ = [
    "AgentSettings",
    "Answer",
    "Contradiction",
    "EvalSettings",
    "Grade",
    "Judge",
    "JudgeError",
    "MergeReport",
    "SplitWeights",
    "SuiteFile",
    "assign_split",
    "left_alone",
    "load_suite",
    "merge_cases",
    "mint",
    "run_cases",
    "score",
    "settings_hash",
]
