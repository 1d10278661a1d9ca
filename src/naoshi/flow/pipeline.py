"""Judging a clone in a pipeline: the suites and the baseline that it has, and nothing else."""

from collections.abc import Collection, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from naoshi.errors import AgentError, NotFoundError
from naoshi.evals.suites.health import CaseKey
from naoshi.evals.suites.smoke import SmokeChoice, choose_smoke
from naoshi.flow.answers import require_some_answer
from naoshi.flow.evaluate import evaluate_folder
from naoshi.flow.kept_baseline import (
    KeptBaseline,
    baseline_path,
    commit_of_baseline,
    read_baseline,
    tree_without,
    write_baseline,
)
from naoshi.flow.loop import Loop
from naoshi.flow.quarantine import SetAside, case_key
from naoshi.flow.suites import load_cases
from naoshi.flow.trusted_gate import require_trusted
from naoshi.gate.decide import decide, settle
from naoshi.gate.rerun import Rerun, RunAgain
from naoshi.records import EvalCase, EvalRun, ResultState, Split, Verdict

PIPELINE = "ci"
"""The name of the suite of a pipeline's run."""

_WORK_TREE = "work tree"


@dataclass(frozen=True, kw_only=True)
class PipelineResult:
    """What a pipeline found. ``choice`` is what was run; ``notes`` say in words what could not be done."""

    run: EvalRun
    verdict: Verdict
    choice: SmokeChoice
    baseline: KeptBaseline
    notes: tuple[str, ...] = ()


def keep_baseline(loop: Loop, path: Path | None = None) -> KeptBaseline:
    """Run all committed cases on the work tree, and write what came of it to *path* (beside the suites if None).

    Raises:
        DirtyRepositoryError: files besides the suites are not committed, so that no commit stands for the run.
        NotFoundError: there is no case.
        AgentError: the agent answered nothing at all.
    """
    folder = loop.settings.evals.folder.strip("/") + "/"
    loop.git.require_clean(besides=[folder])
    commit = loop.git.commit_of("HEAD")
    cases = _committed(loop)
    run = _run(loop, cases)
    if all(item.state is ResultState.agent_error for item in run.results):
        reason = " ".join(run.results[0].reason.split())[:300]
        raise AgentError(f"the agent answered none of {len(run.results)} cases, so that there is no baseline: {reason}")
    known = {case_key(case) for case in cases}
    kept = KeptBaseline(
        commit=commit,
        tree=tree_without(loop.git, commit, folder),
        kept_at=loop.clock(),
        run_id=run.run_id,
        suite=PIPELINE,
        settings_hash=run.settings_hash,
        quarantined=tuple(sorted(key for key in SetAside.of(loop).standings if key in known)),
        results=tuple(item.model_copy(update={"output": None, "reason": "", "assertions": ()}) for item in run.results),
    )
    write_baseline(path or baseline_path(loop), kept)
    return kept


def judge_clone(loop: Loop, *, smoke: bool, path: Path | None = None, ref: str = "") -> PipelineResult:
    """Run the smoke suite, or all committed cases, on the work tree and hold it against the baseline.

    The baseline is the file at *path* (beside the suites if None), as the work tree or the commit *ref* has it. Flips
    are run once more on both sides before they block; where the baseline's commit is not in the clone, a flip leaves
    the verdict inconclusive. Cases that the baseline has and the suites have no more are missed, whatever is run.

    Raises:
        MissingPathError: there is no baseline.
        NotFoundError: there is no case.
        GateUntrustedError: the gate did not pass its test of itself on these cases.
    """
    place = path or baseline_path(loop)
    kept = read_baseline(loop, place, ref=ref)
    cases = _committed(loop)
    choice = _chosen(loop, cases, kept, smoke=smoke)
    loop.report(f"{len(choice.cases)} of {len(cases)} cases, about {choice.seconds:.0f} s of the agent's time")
    run = _run(loop, choice.cases)
    require_some_answer(loop, run, choice.cases)
    aside = frozenset(kept.quarantined)
    before = _restricted(kept, cases, choice.cases, aside)
    candidate = _without(run, aside)
    require_trusted(loop, candidate, before)
    commit = commit_of_baseline(loop, place, kept, ref=ref)
    verdict, notes = _judged(loop, candidate, before, choice.cases, commit)
    silent = SetAside.named(aside).told(run, kept.run())
    return PipelineResult(
        run=run,
        verdict=verdict.model_copy(update={"quarantined": silent}),
        choice=choice,
        baseline=kept,
        notes=(*notes, *_ungraded(run)),
    )


def _ungraded(run: EvalRun) -> tuple[str, ...]:
    """Return why the judge gave no grade, where it gave none: a verdict says only of how many cases."""
    lost = [item for item in run.results if item.state is ResultState.judge_error]
    if not lost:
        return ()
    told = " ".join(lost[0].reason.split())[:300]
    cases = "1 case was" if len(lost) == 1 else f"{len(lost)} cases were"
    return (f"{cases} not graded: {told} (the pipeline of a fork gets no secrets, and so no key)",)


def _committed(loop: Loop) -> tuple[EvalCase, ...]:
    cases = tuple(case for case in load_cases(loop) if case.split is not Split.holdout)
    if not cases:
        raise NotFoundError("there is no case in the repository", hint="make cases with `naoshi evals mint`")
    return cases


def _chosen(loop: Loop, cases: Sequence[EvalCase], kept: KeptBaseline, *, smoke: bool) -> SmokeChoice:
    """Return the smoke suite, or a choice of everything, whose time is told by what the baseline took."""
    settings = loop.settings
    found = choose_smoke(
        cases,
        budget=settings.evals.smoke_seconds if smoke else float("inf"),
        latencies={item.case_id: item.latency_ms for item in kept.results if item.latency_ms is not None},
        workers=settings.agent.workers,
        salt=settings.evals.split_salt,
    )
    if not found.cases:
        raise NotFoundError("no case fits the time of the smoke suite", hint="raise `smoke_seconds` under [evals]")
    return found


def _run(loop: Loop, cases: Sequence[EvalCase]) -> EvalRun:
    return evaluate_folder(loop, loop.git.folder, version=_WORK_TREE, cases=cases, suite=PIPELINE)


def _restricted(
    kept: KeptBaseline, cases: Sequence[EvalCase], chosen: Sequence[EvalCase], aside: Collection[CaseKey]
) -> EvalRun:
    """Return the baseline's run on what was *chosen*, and on what is no more among *cases* as it was."""
    not_run = {case_key(case) for case in cases} - {case_key(case) for case in chosen}
    return kept.run(without=not_run | set(aside))


def _without(run: EvalRun, aside: Collection[CaseKey]) -> EvalRun:
    return run.model_copy(
        update={"results": tuple(item for item in run.results if (item.case_id, item.content_hash) not in aside)}
    )


def _judged(
    loop: Loop, candidate: EvalRun, before: EvalRun, cases: Sequence[EvalCase], commit: str | None
) -> tuple[Verdict, tuple[str, ...]]:
    policy = loop.settings.gate
    if commit is None:
        verdict = decide(candidate, before, policy, now=loop.clock())
        told = f"the agent as it was at the baseline ({before.commit[:12]}) is not in this clone"
        remedy = "fetch the whole history (fetch-depth: 0), or keep a fresh baseline with `naoshi ci --keep`"
        return verdict, (f"{told}, so that flips could not be run again: {remedy}",) if verdict.rerun else ()
    with ExitStack() as stack:
        again = _Again(loop=loop, before=before, cases=cases, commit=commit, stack=stack)
        return settle(candidate, before, policy, run_again=again, now=loop.clock()), tuple(again.notes)


class _Again(RunAgain):
    """Runs cases once more in the work tree, and in a checkout of the baseline's commit, made when first needed."""

    def __init__(
        self, *, loop: Loop, before: EvalRun, cases: Sequence[EvalCase], commit: str, stack: ExitStack
    ) -> None:
        self._loop, self._commit, self._stack = loop, commit, stack
        self._answered = {item.case_id for item in before.results if item.state is not ResultState.agent_error}
        self._cases = {case.case_id: case for case in cases}
        self._folder: Path | None = None
        self.notes: list[str] = []

    def __call__(self, case_ids: Sequence[str], /) -> Rerun:
        cases = [self._cases[name] for name in case_ids if name in self._cases]
        self._loop.report(f"{len(cases)} cases that flipped are run once more on both sides")
        before = evaluate_folder(self._loop, self._checkout(), version=self._commit[:12], cases=cases, suite=PIPELINE)
        return Rerun(candidate=_run(self._loop, cases), baseline=self._known(before))

    def _checkout(self) -> Path:
        if self._folder is None:
            place = self._loop.worktrees / f"ci-{self._commit[:12]}"
            self._folder = self._stack.enter_context(self._loop.git.worktree(self._commit, place)).folder
        return self._folder

    def _known(self, run: EvalRun) -> EvalRun:
        """Take it for unknown, and not for a failure, when the baseline answers here what it answered when it was kept.

        What the agent needs may be installed in the work tree alone.
        """
        lost = {
            item.case_id
            for item in run.results
            if item.state is ResultState.agent_error and item.case_id in self._answered
        }
        if lost and not self.notes:
            reason = next(item.reason for item in run.results if item.case_id in lost)
            told = " ".join(reason.split())[:200]
            self.notes.append(f"the agent of the baseline does not answer in a checkout of its commit: {told}")
        results = tuple(
            item.model_copy(update={"state": ResultState.not_run, "score": None}) if item.case_id in lost else item
            for item in run.results
        )
        return run.model_copy(update={"results": results})
