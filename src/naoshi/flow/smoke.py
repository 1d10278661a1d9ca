"""A quick look: the smoke suite of the cases as they are, run on one version."""

from statistics import median

from naoshi.errors import NotFoundError
from naoshi.evals.suites.smoke import SMOKE, SmokeChoice, choose_smoke
from naoshi.flow.evaluate import ALL_SPLITS, evaluate_commit
from naoshi.flow.loop import Loop
from naoshi.flow.suites import load_cases
from naoshi.flow.versions import main_branch, present_version
from naoshi.records import EvalRun


def smoke_suite(loop: Loop) -> SmokeChoice:
    """Return the smoke suite within the settings' ``smoke_seconds``, by the times that runs in the store took.

    Raises:
        SuiteError: a suite cannot be read.
    """
    settings = loop.settings
    return choose_smoke(
        load_cases(loop),
        budget=settings.evals.smoke_seconds,
        latencies=_latencies(loop),
        workers=settings.agent.workers,
        salt=settings.evals.split_salt,
    )


def run_smoke(loop: Loop, choice: SmokeChoice, *, commit: str = "") -> EvalRun:
    """Run the cases of *choice* on *commit* (the version in force where it is empty), and keep the run.

    It is kept under the name of the smoke suite: a run of some cases is never taken for one of all.

    Raises:
        NotFoundError: there is no case, or none that fits the time.
    """
    if not choice.cases:
        hint = "raise `smoke_seconds` under [evals]" if choice.left_out else "make cases with `naoshi evals mint`"
        raise NotFoundError("there is no case in the smoke suite", hint=hint)
    name = loop.git.commit_of(commit or f"refs/heads/{main_branch(loop)}")
    known = [version.name for version in loop.store.versions.find() if version.commit == name]
    version = present_version(loop).name if not commit else (known[-1] if known else name[:12])
    return evaluate_commit(loop, name, version=version, cases=choice.cases, suite=SMOKE)


def _latencies(loop: Loop) -> dict[str, float]:
    """Return the median milliseconds of each case in the runs so far."""
    seen: dict[str, list[float]] = {}
    for suite in (ALL_SPLITS, SMOKE):
        for run in loop.store.runs.find(suite=suite):
            for result in run.results:
                if result.latency_ms is not None:
                    seen.setdefault(result.case_id, []).append(result.latency_ms)
    return {case_id: median(values) for case_id, values in seen.items()}
