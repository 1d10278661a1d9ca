"""Running cases once more on the two versions that the gate holds against each other."""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from naoshi.flow.evaluate import RERUN, evaluate_checkout
from naoshi.flow.loop import Loop
from naoshi.flow.suites import judged_cases
from naoshi.flow.versions import main_branch, present_version
from naoshi.gate.rerun import Rerun, RunAgain
from naoshi.records import EvalCase, EvalRun
from naoshi.release.versions import version_named
from naoshi.system.git import Git


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


@contextmanager
def rerunning(loop: Loop, candidate: EvalRun, baseline: EvalRun | None) -> Generator[RunAgain]:
    """Give what runs cases once more on the versions of both runs.

    The two are checked out when the first round asks for them, and kept until the gate has settled. Before each further
    round they are put back as the commit has them, so that no round finds what an earlier one left.
    """
    with ExitStack() as stack:
        places = _Places(loop=loop, stack=stack)
        judged: dict[str, EvalCase] = {}

        def run_again(case_ids: Sequence[str], /) -> Rerun:
            judged.update((case.case_id, case) for case in (() if judged else judged_cases(loop)))
            cases = [judged[name] for name in dict.fromkeys(case_ids) if name in judged]
            loop.report(f"gate: {len(cases)} cases that flipped are run once more")
            runs = [places.run(run, cases) for run in (candidate, baseline) if run is not None]
            return Rerun(candidate=runs[0], baseline=runs[1] if len(runs) > 1 else None)

        yield run_again


@dataclass(frozen=True, kw_only=True)
class _Places:
    """The checkouts of one settling, by commit."""

    loop: Loop
    stack: ExitStack
    known: dict[str, Git] = field(default_factory=dict[str, Git])

    def run(self, run: EvalRun, cases: Sequence[EvalCase]) -> EvalRun:
        checkout = self._fresh(commit_of(self.loop, run))
        return evaluate_checkout(self.loop, checkout.folder, version=run.version, cases=cases, suite=RERUN)

    def _fresh(self, commit: str) -> Git:
        if commit in self.known:
            checkout = self.known[commit]
            checkout("reset", "--quiet", "--hard", commit)
            checkout("clean", "--quiet", "-ffdx")
            return checkout
        place = self.loop.worktrees / f"rerun-{commit[:12]}"
        self.known[commit] = self.stack.enter_context(self.loop.git.worktree(commit, place))
        return self.known[commit]
