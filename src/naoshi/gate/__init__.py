"""Judges a candidate run against the baseline, category by category, with every reason."""

from naoshi.gate.baseline import baseline_moves, best_version
from naoshi.gate.decide import decide
from naoshi.gate.explain import Language, explain
from naoshi.gate.lenient import LenientRule, lenient_pass
from naoshi.gate.pairing import Pair, Pairing, pair_runs, passes
from naoshi.gate.policy import CategoryTolerance, Decision, GatePolicy

__all__ = [
    "CategoryTolerance",
    "Decision",
    "GatePolicy",
    "Language",
    "LenientRule",
    "Pair",
    "Pairing",
    "baseline_moves",
    "best_version",
    "decide",
    "explain",
    "lenient_pass",
    "pair_runs",
    "passes",
]
