"""Running cases once more on the two versions that the gate holds against each other."""

from collections.abc import Sequence

from naoshi.flow.evaluate import evaluate_commit
from naoshi.flow.loop import Loop
from naoshi.flow.suites import judged_cases
from naoshi.flow.versions import main_branch, present_version
from naoshi.gate.rerun import Rerun, RunAgain
from naoshi.records import EvalRun
from naoshi.release.versions import version_named

RERUN = "rerun"
"""The name of the suite of a re-run."""


def commit_of(loop: Loop, run: EvalRun) -> str:
    """Return the commit that *run* was made on: a version's, or that of a candidate (``VERSION+COMMIT``).

    Raises:
        NotFoundError: there is no such version.
        RepositoryError: the commit is gone.
    """
    _, _, candidate = run.version.partition("+")
    if candidate:
        return loop.git.commit_of(candidate)
    if present_version(loop).name == run.version:
        return loop.git.commit_of(f"refs/heads/{main_branch(loop)}")
    return version_named(loop.store, run.version).commit


def rerunner(loop: Loop, candidate: EvalRun, baseline: EvalRun | None) -> RunAgain:
    """Return what runs cases once more on the versions of both runs."""

    def run_again(case_ids: Sequence[str], /) -> Rerun:
        wanted = frozenset(case_ids)
        cases = [case for case in judged_cases(loop) if case.case_id in wanted]
        loop.report(f"gate: {len(cases)} cases that flipped are run once more")
        runs = [
            evaluate_commit(loop, commit_of(loop, run), version=run.version, cases=cases, suite=RERUN)
            for run in (candidate, baseline)
            if run is not None
        ]
        return Rerun(candidate=runs[0], baseline=runs[1] if len(runs) > 1 else None)

    return run_again
