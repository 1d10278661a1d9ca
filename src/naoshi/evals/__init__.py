"""Permanent cases: minted from corrections, kept as Promptfoo suites, run against versions of the agent.

Each name is loaded when it is first used, so that a command which only runs a suite loads nothing else.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from naoshi.evals.answer import Answer
    from naoshi.evals.evaluation import Evaluation
    from naoshi.evals.judge import Grade, Judge
    from naoshi.evals.merge import Contradiction, MergeReport, merge_cases
    from naoshi.evals.run import run_cases, settings_hash
    from naoshi.evals.runner import Runner
    from naoshi.evals.settings import AgentSettings, EvalSettings, SplitWeights
    from naoshi.evals.splits import assign_split
    from naoshi.evals.suite_file import SuiteFile
    from naoshi.evals.suite_load import load_suite

__all__ = [
    "AgentSettings",
    "Answer",
    "Contradiction",
    "EvalSettings",
    "Evaluation",
    "Grade",
    "Judge",
    "MergeReport",
    "Runner",
    "SplitWeights",
    "SuiteFile",
    "assign_split",
    "load_suite",
    "merge_cases",
    "run_cases",
    "settings_hash",
]

_HOME = {
    "AgentSettings": "settings",
    "Answer": "answer",
    "Contradiction": "merge",
    "EvalSettings": "settings",
    "Evaluation": "evaluation",
    "Grade": "judge",
    "Judge": "judge",
    "MergeReport": "merge",
    "Runner": "runner",
    "SplitWeights": "settings",
    "SuiteFile": "suite_file",
    "assign_split": "splits",
    "load_suite": "suite_load",
    "merge_cases": "merge",
    "run_cases": "run",
    "settings_hash": "run",
}


def __getattr__(name: str) -> Any:
    """Return the public name *name*, loading the module that has it."""
    if name in _HOME:
        return getattr(import_module(f"naoshi.evals.{_HOME[name]}"), name)
    raise AttributeError(f"module 'naoshi.evals' has no attribute {name!r}")
