"""Whether the judge of rubrics can work: named, with a key, of another family, measured, and there."""

import os
import time
from pathlib import Path

from naoshi.app.finding import Finding
from naoshi.errors import NaoshiError
from naoshi.evals.judging.calibrations import below_mark, calibration_of
from naoshi.evals.judging.kinship import Kinship
from naoshi.evals.judging.model_judge import ModelJudge, judge_pin
from naoshi.evals.judging.open_judge import require_libraries
from naoshi.evals.judging.settings import JudgeSettings
from naoshi.evals.settings import AgentSettings
from naoshi.models.model_key import key_of

_RUBRIC, _OUTPUT = "The output is the word yes.", "yes"


def examine_judge(
    settings: JudgeSettings, *, agent: AgentSettings, folder: Path, rubrics: int, ask: bool
) -> list[Finding]:
    """Look at the judge that *settings* name; *rubrics* is how many cases need one, *folder* the repository.

    Nothing is sent anywhere, unless *ask*: then the judge is asked for one grade.
    """
    # What stops nobody today is told all the same, since the first rubric will need it.
    lacking = "missing" if rubrics else "optional"
    need = f"{rubrics} cases have a rubric" if rubrics else "rubrics (llm-rubric) need one"
    if not settings.model.strip():
        remedy = "write `model` under [judge]"
        return [Finding(subject="judge", state=lacking, detail=f"none is configured; {need}", remedy=remedy)]
    told = f"{settings.model} at {settings.address}"
    findings = [Finding(subject="judge", state="ok", detail=told), _family(settings, agent, lacking)]
    try:
        require_libraries(settings)
        key_of(settings, os.environ, section="judge")
        findings.append(Finding(subject="judge's key", state="ok", detail=f"{settings.key_name}, if it asks for one"))
        findings.append(_word(settings, folder))
    except NaoshiError as error:
        return [*findings, Finding(subject="judge's key", state=lacking, detail=error.message, remedy=error.advice)]
    return [*findings, _answer(settings)] if ask else findings


def _family(settings: JudgeSettings, agent: AgentSettings, lacking: str) -> Finding:
    kinship = Kinship.of(settings, agent)
    families = (
        f"{', '.join(sorted(kinship.judge)) or 'unknown'} judges {', '.join(sorted(kinship.judged)) or 'no model'}"
    )
    if not kinship.doubt:
        return Finding(subject="judge's family", state="ok", detail=families)
    if settings.allow_same_family:
        return Finding(subject="judge's family", state="ok", detail=f"{kinship.doubt}, which is allowed")
    remedy = 'name the agent\'s `model` under [agent] ("none" if it uses none), or a judge of another family'
    return Finding(subject="judge's family", state=lacking, detail=kinship.doubt, remedy=remedy)


def _word(settings: JudgeSettings, folder: Path) -> Finding:
    why = below_mark(calibration_of(folder / settings.calibrations, judge_pin(settings)), settings)
    if not why:
        return Finding(subject="judge's word", state="ok", detail="it decides")
    return Finding(subject="judge's word", state="optional", detail=f"it advises: {why}")


def _answer(settings: JudgeSettings) -> Finding:
    """Ask for one grade, of what is plainly right."""
    begun = time.monotonic()
    try:
        with ModelJudge(settings=settings, environment=os.environ) as judge:
            grade = judge.grade(rubric=_RUBRIC, output=_OUTPUT, vars={})
    except NaoshiError as error:
        return Finding(subject="judge's answer", state="missing", detail=error.message, remedy=error.advice)
    seconds = time.monotonic() - begun
    said = "passes" if grade.passed else "fails"
    detail = f"it {said} what is plainly right, with {grade.score:g}, after {seconds:.1f} s"
    if grade.passed:
        return Finding(subject="judge's answer", state="ok", detail=detail)
    return Finding(
        subject="judge's answer", state="optional", detail=detail, remedy="naoshi judge calibrate labels.csv"
    )
