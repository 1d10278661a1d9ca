"""Models that grade rubrics: how one is asked, whom it may grade, and how far it agrees with people.

Each name is loaded when it is first used; the libraries that ask models only when the first grade is asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from naoshi.evals.judging.calibrate import calibrate
    from naoshi.evals.judging.calibrations import below_mark, calibration_of, keep_calibration
    from naoshi.evals.judging.family import model_families
    from naoshi.evals.judging.labels import LabelledOutput, read_labels
    from naoshi.evals.judging.model_judge import ModelJudge, judge_pin
    from naoshi.evals.judging.open_judge import open_judge
    from naoshi.evals.judging.prompt import grading_prompt
    from naoshi.evals.judging.settings import JudgeSettings

__all__ = [
    "JudgeSettings",
    "LabelledOutput",
    "ModelJudge",
    "below_mark",
    "calibrate",
    "calibration_of",
    "grading_prompt",
    "judge_pin",
    "keep_calibration",
    "model_families",
    "open_judge",
    "read_labels",
]

_HOME = {
    "JudgeSettings": "settings",
    "LabelledOutput": "labels",
    "ModelJudge": "model_judge",
    "below_mark": "calibrations",
    "calibrate": "calibrate",
    "calibration_of": "calibrations",
    "grading_prompt": "prompt",
    "judge_pin": "model_judge",
    "keep_calibration": "calibrations",
    "model_families": "family",
    "open_judge": "open_judge",
    "read_labels": "labels",
}


def __getattr__(name: str) -> Any:
    """Return the public name *name*, loading the module that has it."""
    if name in _HOME:
        return getattr(import_module(f"naoshi.evals.judging.{_HOME[name]}"), name)
    raise AttributeError(f"module 'naoshi.evals.judging' has no attribute {name!r}")
