"""The real Promptfoo: how it is found, how it runs our suites on the agent, and its results, read and written."""

from naoshi.evals.promptfoo.program import DEFAULT_VERSION, Promptfoo, find_promptfoo
from naoshi.evals.promptfoo.results_reader import read_results
from naoshi.evals.promptfoo.results_writer import write_results
from naoshi.evals.promptfoo.run import run_with_promptfoo

__all__ = [
    "DEFAULT_VERSION",
    "Promptfoo",
    "find_promptfoo",
    "read_results",
    "run_with_promptfoo",
    "write_results",
]
