"""The judge of one run: found in the settings, refused where it is kin, advising where it was not measured."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from naoshi.evals.judging.calibrations import below_mark, calibration_of
from naoshi.evals.judging.kinship import Kinship, require_other_family
from naoshi.evals.judging.model_judge import ModelJudge, judge_pin
from naoshi.evals.judging.settings import JudgeSettings
from naoshi.evals.settings import AgentSettings
from naoshi.models import libraries as installed
from naoshi.records.eval_case import EvalCase

RUBRIC = "llm-rubric"


def open_judge(
    settings: JudgeSettings,
    *,
    agent: AgentSettings,
    cases: Sequence[EvalCase],
    repository: Path,
    environment: Mapping[str, str],
) -> ModelJudge | None:
    """Return the judge that *settings* name, or None where they name none; close it afterwards.

    Where none of *cases* has a rubric the judge is there for its pin alone, and nothing is required of it: two runs
    under one judge can be compared whatever part of a suite they ran. Calibrations are looked for in *repository*.

    Raises:
        JudgeKinError: the judge may be of the judged model's family, and nobody allowed that.
        MissingExtraError: what asks models is not installed.
        InputError: the file of the judge's calibration was spoilt.
    """
    if not settings.model.strip():
        return None
    kinship = Kinship.of(settings, agent)
    if not has_rubrics(cases):
        return ModelJudge(settings=settings, environment=environment, kinship=kinship, advice="there is no rubric")
    require_other_family(kinship, allowed=settings.allow_same_family)
    require_libraries(settings)
    calibration = calibration_of(repository / settings.calibrations, judge_pin(settings))
    return ModelJudge(
        settings=settings,
        environment=environment,
        kinship=kinship,
        advice=below_mark(calibration, settings),
        calibration_id=calibration.calibration_id if calibration else None,
    )


def has_rubrics(cases: Sequence[EvalCase]) -> bool:
    """Return whether any assertion of *cases* needs a judge."""
    return any(assertion.type == RUBRIC for case in cases for assertion in case.assertions)


def require_libraries(settings: JudgeSettings) -> None:
    """Check that what asks the provider's models is installed.

    Raises:
        MissingExtraError: it is not.
    """
    installed.require_libraries(settings.provider, doing="judging rubrics")
