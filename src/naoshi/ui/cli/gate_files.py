"""The gate on files of results alone, for pipelines that use nothing else of Naoshi."""

from collections.abc import Sequence
from pathlib import Path

from naoshi.app.build import utc_now
from naoshi.app.settings import CONFIG_NAME, Settings, read_settings
from naoshi.errors import RepositoryError, UsageError
from naoshi.evals.results_file import ResultsFile, read_results_file
from naoshi.gate.decide import decide
from naoshi.gate.rerun import Rerun
from naoshi.gate.self_test import self_test
from naoshi.records.language import Language
from naoshi.system.git import Git
from naoshi.ui.cli.gate_show import show_verdict
from naoshi.ui.cli.output import Output
from naoshi.ui.cli.self_test_show import show_self_test


def compare_and_show(
    baseline: Path,
    candidate: Path,
    folder: Path,
    out: Output,
    *,
    again: Sequence[str],
    policy: str | None,
    language: Language | None,
) -> int:
    """Hold the results in the file *candidate* against those in *baseline*, and return the exit status.

    Each of *again* names two files, ``BASELINE,CANDIDATE``: one more run of both on the cases that flipped.

    Raises:
        UsageError: one of *again* is not two files.
        InputError: a file holds no results.
        ConfigError: naoshi.toml is wrong.
    """
    settings = _settings(folder)
    gate = settings.gate.model_copy(update={"policy": policy} if policy else {})
    before = read_results_file(baseline)
    after = read_results_file(candidate).graded_as(before)
    reruns = [_rerun(pair, before) for pair in again]
    verdict = decide(after, before.run, gate, now=utc_now(), reruns=reruns)
    return show_verdict(verdict, out, language=language or settings.language)


def test_file_and_show(path: Path, folder: Path, out: Output, *, language: Language | None) -> bool:
    """Have the gate test itself on the results in the file at *path*, and show what came of it.

    Raises:
        InputError: it holds no results.
        ConfigError: naoshi.toml is wrong.
    """
    run = read_results_file(path).run
    settings = _settings(folder)
    found = self_test(run, settings.gate, now=utc_now())
    return show_self_test(found, run, settings.gate, out, language=language or settings.language)


def _rerun(pair: str, first: ResultsFile) -> Rerun:
    names = pair.split(",")
    if len(names) != 2 or not all(names):
        raise UsageError("--again takes two files, the baseline's and the candidate's: --again old.json,new.json")
    before, after = (read_results_file(Path(name)).graded_as(first) for name in names)
    return Rerun(candidate=after, baseline=before)


def _settings(folder: Path) -> Settings:
    """Return the settings of the repository that *folder* lies in, the usual ones where it has no naoshi.toml."""
    try:
        root = Git.at(folder).folder
    except RepositoryError:
        root = folder
    path = root / CONFIG_NAME
    return read_settings(path) if path.is_file() else Settings()
