"""Running cases once more on the two versions that the gate holds against each other."""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from naoshi.flow.judging import Judging
from naoshi.flow.loop import Loop
from naoshi.flow.suites import judged_cases
from naoshi.flow.versions import main_branch, present_version
from naoshi.gate.rerun import Rerun, RunAgain
from naoshi.records import EvalCase, EvalRun
from naoshi.release.versions import version_named
from naoshi.repair.workspace import export_tree, held_folder
from naoshi.system.remove_tree import remove_tree


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

    Before each round the files of both are written from git's objects, so that no round finds what an earlier one left;
    the agents run apart, as when a change is judged.

    Raises:
        MissingSandboxError: a sandbox is required for judging and cannot be had.
    """
    with ExitStack() as stack:
        places = _Places(loop=loop, judging=Judging.of(loop), stack=stack)
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
    """The folders of one settling, by commit, each with the files of its commit and no repository."""

    loop: Loop
    judging: Judging
    stack: ExitStack
    known: dict[str, Path] = field(default_factory=dict[str, Path])

    def run(self, run: EvalRun, cases: Sequence[EvalCase]) -> EvalRun:
        commit = commit_of(self.loop, run)
        return self.judging.run_again(self._fresh(commit), commit, cases, version=run.version)

    def _fresh(self, commit: str) -> Path:
        if commit not in self.known:
            held = held_folder(self.loop.worktrees / f"rerun-{commit[:12]}")
            self.known[commit] = self.stack.enter_context(held)
        folder = self.known[commit]
        checkout = folder / "checkout"
        remove_tree(checkout)
        export_tree(self.loop.git, commit, checkout, index=folder / "index")
        return checkout
