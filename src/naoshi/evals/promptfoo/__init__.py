"""The real Promptfoo: how it is found, how it runs our suites on the agent, and its results, read and written.

Each name is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_HOME = {
    "DEFAULT_VERSION": "program",
    "Promptfoo": "program",
    "find_promptfoo": "program",
    "read_results": "results_reader",
    "run_with_promptfoo": "run",
    "write_results": "results_writer",
}


def __getattr__(name: str) -> Any:
    """Return the public name *name*, loading the module that has it."""
    if name in _HOME:
        return getattr(import_module(f"naoshi.evals.promptfoo.{_HOME[name]}"), name)
    raise AttributeError(f"module 'naoshi.evals.promptfoo' has no attribute {name!r}")
