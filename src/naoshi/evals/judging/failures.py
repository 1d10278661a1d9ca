"""Why there is no grade, as the error of a judge."""

from typing import Final

from naoshi.errors import JudgeError
from naoshi.evals.judging.settings import JudgeSettings
from naoshi.models.failures import Asking, model_error

_GRADE: Final = Asking(
    section="judge",
    wanted="grade",
    refused="refused to grade this output",
    at_refusal="look at the case; a person has to grade it",
    error=JudgeError,
)


def judge_error(error: Exception, settings: JudgeSettings, *, secret: str) -> JudgeError:
    """Return *error*, raised while a grade was asked for, as the error that a person reads, without the *secret*."""
    found = model_error(error, settings, _GRADE, secret=secret)
    return JudgeError(found.message, hint=found.advice)
