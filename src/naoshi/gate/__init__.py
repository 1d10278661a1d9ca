"""Judges a candidate run against the baseline, category by category, with every reason."""

from naoshi.gate.baseline import baseline_moves, best_version
from naoshi.gate.decide import decide, rerun_wanted, settle
from naoshi.gate.explain import Language, explain
from naoshi.gate.lenient import LenientRule, lenient_pass
from naoshi.gate.pairing import Pair, Pairing, pair_runs
from naoshi.gate.policy import CategoryTolerance, Decision, Gate, GatePolicy
from naoshi.gate.rerun import Rerun, RunAgain
from naoshi.gate.self_test import GATE_VERSION, self_test, self_test_key
from naoshi.gate.trials import CaseTrials, join_trials, passes

__all__ = [
    "GATE_VERSION",
    "CaseTrials",
    "CategoryTolerance",
    "Decision",
    "Gate",
    "GatePolicy",
    "Language",
    "LenientRule",
    "Pair",
    "Pairing",
    "Rerun",
    "RunAgain",
    "baseline_moves",
    "best_version",
    "decide",
    "explain",
    "join_trials",
    "lenient_pass",
    "pair_runs",
    "passes",
    "rerun_wanted",
    "self_test",
    "self_test_key",
    "settle",
]
