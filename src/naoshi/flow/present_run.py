"""Runs that have been made: of the version in force, and of every version so far."""

from naoshi.errors import NotFoundError
from naoshi.flow.evaluate import ALL_SPLITS
from naoshi.flow.loop import Loop
from naoshi.flow.suites import judged_cases
from naoshi.flow.versions import present_version
from naoshi.records import EvalRun

_RUN = "run `naoshi evals run` first"


def runs_by_version(loop: Loop) -> tuple[EvalRun, ...]:
    """Return the runs of all cases, oldest first, each under the name of the version that it is of.

    The run that a change was released with carries the name of a candidate; the version remembers it.
    """
    versions = loop.store.versions.find()
    names = {version.name for version in versions}
    released = {version.run_id: version.name for version in versions if version.run_id}
    named = (
        run.model_copy(update={"version": released.get(run.run_id, run.version)})
        for run in loop.store.runs.find(suite=ALL_SPLITS)
    )
    return tuple(sorted((run for run in named if run.version in names), key=lambda run: run.started_at))


def last_present_run(loop: Loop) -> EvalRun | None:
    """Return the latest run of all cases by the version in force, whatever the cases were then, or None."""
    version = present_version(loop)
    found = [run for run in runs_by_version(loop) if run.version == version.name]
    return found[-1] if found else None


def present_run(loop: Loop) -> EvalRun:
    """Return the latest run of the version in force, on the cases as they are now.

    Raises:
        NotFoundError: it was not run yet, or the cases have changed since.
    """
    run = last_present_run(loop)
    if run is None:
        raise NotFoundError("the version in force has not been run yet", hint=_RUN)
    tested = {(result.case_id, result.content_hash) for result in run.results}
    wanted = {(case.case_id, case.content_hash) for case in judged_cases(loop)}
    if tested != wanted:
        raise NotFoundError("the cases have changed since the last run", hint=_RUN)
    return run
