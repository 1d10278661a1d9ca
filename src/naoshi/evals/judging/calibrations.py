"""What is known of judges: a file for each, by its pin, in a folder that may be committed."""

from pathlib import Path

from pydantic import ValidationError

from naoshi.errors import InputError, MissingPathError
from naoshi.evals.judging.settings import JudgeSettings
from naoshi.evals.judging.told import told
from naoshi.records.calibration import Calibration, Estimate
from naoshi.system.files import read_text, write_durably

UNMEASURED = told("unmeasured")


def calibration_path(folder: Path, pin: str) -> Path:
    """Return where the calibration of the judge *pin* is kept in *folder*."""
    return folder / f"{pin[:32]}.json"


def keep_calibration(folder: Path, calibration: Calibration) -> Path:
    """Keep *calibration* in *folder*, in the place of an earlier one of the same judge, and return its file.

    Raises:
        StoreError: the disk or the rights do not allow it.
    """
    path = calibration_path(folder, calibration.pin)
    write_durably(path, calibration.model_dump_json(indent=2) + "\n")
    return path


def calibration_of(folder: Path, pin: str) -> Calibration | None:
    """Return the calibration of the judge *pin*, or None where it was never measured.

    Raises:
        InputError: its file was spoilt, or is of another judge.
    """
    path = calibration_path(folder, pin)
    try:
        found = Calibration.model_validate_json(read_text(path))
    except MissingPathError:
        return None
    except ValidationError as error:
        raise InputError(f"{path} is no calibration", hint="measure the judge again: naoshi judge calibrate") from error
    if found.pin != pin:
        raise InputError(f"{path} is of another judge", hint="measure the judge again: naoshi judge calibrate")
    return found


def below_mark(calibration: Calibration | None, settings: JudgeSettings) -> str:
    """Return why the judge may only advise, or "" if it is as good as *settings* ask for."""
    if calibration is None:
        return UNMEASURED
    labels, errors = calibration.labels - calibration.disputed, calibration.errors
    if labels < settings.min_labels:
        return told("few_labels", labels=labels, least=settings.min_labels)
    if errors > settings.max_errors * labels:
        return told("many_errors", errors=errors, labels=labels)
    if not calibration.true_passes.count or not calibration.false_passes.count:
        return told("no_fails" if calibration.true_passes.count else "no_passes")
    kappa, false_passes = calibration.kappa, calibration.false_passes
    if kappa.low is None or kappa.low < settings.min_kappa:
        return told("low_kappa", interval=_interval(kappa), mark=f"{settings.min_kappa:g}")
    if false_passes.high is None or false_passes.high > settings.max_false_passes:
        return told("many_false_passes", interval=_interval(false_passes), mark=f"{settings.max_false_passes:g}")
    return ""


def _interval(estimate: Estimate) -> str:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return "(not measured)"
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"
