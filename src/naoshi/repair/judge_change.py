"""Judging a change: the evals of the base, run on the changed agent, in a folder made from git's objects alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from naoshi.errors import AgentError
from naoshi.records import Certificate, CertificateCheck, Change, EvalCase, EvalRun, ResultState, Split
from naoshi.repair.certificate import certify, failures_told
from naoshi.repair.from_memory import Ask, Memory
from naoshi.repair.protect import altered, file_hashes, named, repository_hashes, require_protected_kept
from naoshi.repair.settings import RepairSettings
from naoshi.repair.workspace import export_tree, held_folder
from naoshi.system.git import Git
from naoshi.system.remove_tree import remove_tree

Evaluate = Callable[[Path, str], EvalRun]
"""Runs the cases on the agent in a folder; the second argument is the commit whose files these are."""

AskAgain = Callable[[Path, str, Sequence[EvalCase], Path | None], EvalRun]
"""Runs some cases on the agent in a folder (files of a commit), with the documents of a folder (None: as ever)."""


_ASKED_OF_BASE = 4

AGAIN = "again"
"""The folder beside the checkout in which the documents lie that are asked again."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """A certificate, granted or not, the run that it stands on, and what the next attempt may know of it."""

    certificate: Certificate
    run: EvalRun
    failures: tuple[str, ...]


def judge_change(
    git: Git,
    change: Change,
    *,
    targets: Sequence[str],
    before: EvalRun,
    cases: Sequence[EvalCase],
    evaluate: Evaluate,
    settings: RepairSettings,
    worktrees: Path,
    now: datetime,
    ask: AskAgain | None = None,
    data_root: Path | None = None,
    judged_in: str = "",
    guarded: Sequence[Path] | None = None,
    place: str = "",
) -> Judgement:
    """Run the evals on *change*, made to mend the cases *targets*, and return its certificate.

    The protected files are written from the base commit and hashed before the agent runs and after, so that neither
    the change nor the changed agent can have a say in them. With *ask* some of what the agent answers right is asked
    again in another dress, with copies of the documents in *data_root*. *judged_in* says in words where it ran. With
    *guarded* files the user's repository and these are hashed before and after too: give them where the agent could
    reach them. *place* names the folder below *worktrees* that it is done in, where that is not the one of a repair.

    Raises:
        ChangeRefusedError: the commit itself holds other protected files than its base.
        AgentError: what passed before fails now, and on the agent of the base too, so that it is not the change.
        RepositoryError: git cannot do its part.
        StoreError: the disk or the rights do not allow it.
    """
    require_protected_kept(git, base=change.base_commit, commit=change.commit, protected=settings.protected)
    with held_folder(worktrees / (place or f"{change.change_id}-judge")) as folder:
        checkout = folder / "checkout"
        export_tree(git, change.commit, checkout, index=folder / "index", without=settings.protected)
        export_tree(git, change.base_commit, checkout, index=folder / "index", only=settings.protected)
        protected = file_hashes(checkout, settings.protected)
        around = repository_hashes(git, settings.protected, besides=guarded) if guarded is not None else None
        run = evaluate(checkout, change.commit)
        more: list[CertificateCheck] = []
        if ask is not None:
            agents = _Agents(git=git, change=change, folder=folder, ask=ask)
            _require_place_borne(agents, cases, before=before, after=run)
            if settings.judging.asked_again:
                more.append(_asked_again(agents, run, before, cases, targets, data_root, settings))
        protected_after = file_hashes(checkout, settings.protected)
        if guarded is not None and around is not None:
            more.append(_repository_kept(around, repository_hashes(git, settings.protected, besides=guarded)))
    if judged_in:
        more.append(CertificateCheck(name="judged_apart", held=True, detail=judged_in))
    certificate = certify(
        change,
        cases=cases,
        before=before,
        after=run,
        targets=targets,
        protected=protected,
        protected_after=protected_after,
        allow_worse=settings.allow_worse,
        more=more,
        now=now,
    )
    told = failures_told(certificate, cases=cases, before=before, after=run)
    return Judgement(certificate=certificate, run=run, failures=told)


def _repository_kept(before: Mapping[str, str], after: Mapping[str, str]) -> CertificateCheck:
    different = altered(before, after)
    detail = f"{len(after)} things looked after" + (f"; altered: {named(different)}" if different else "")
    return CertificateCheck(name="repository_kept", held=not different, detail=detail)


@dataclass(frozen=True, kw_only=True)
class _Agents:
    """The changed agent and the one of the base, to be asked once more in *folder*."""

    git: Git
    change: Change
    folder: Path
    ask: AskAgain

    def changed(self, cases: Sequence[EvalCase], data_root: Path | None) -> EvalRun:
        return self.ask(self.folder / "checkout", self.change.commit, cases, data_root)

    def base(self) -> Ask:
        """Return what asks the agent of the base, with its files written afresh.

        A changed agent outside of a sandbox could have put others there.
        """
        place = self.folder / "base"
        remove_tree(place)
        export_tree(self.git, self.change.base_commit, place, index=self.folder / "index")
        return lambda some, root: self.ask(place, self.change.base_commit, some, root)


def _require_place_borne(agents: _Agents, cases: Sequence[EvalCase], *, before: EvalRun, after: EvalRun) -> None:
    """Check that it is the change by which cases are lost, and not where it is judged, or what the agent relies on.

    Raises:
        AgentError: the agent of the base loses each of a few of them as well.
    """
    then, now = before.case_states(), after.case_states()
    lost = [
        case
        for case in cases
        if case.split is not Split.holdout
        and then.get(case.case_id) is ResultState.pass_
        and now.get(case.case_id) is not ResultState.pass_
    ][:_ASKED_OF_BASE]
    if len(lost) < _ASKED_OF_BASE:
        return
    run = agents.base()(lost, None)
    if any(state is ResultState.pass_ for state in run.case_states().values()):
        return
    why = next((result.reason for result in run.results if result.reason), "its answers are wrong")
    told = f"the agent of the base commit fails here too, on {len(lost)} cases that passed before: {why[:200]}"
    hint = "see that all it needs is there; `sandbox` and `network` under [repair.judging] say where changes are judged"
    raise AgentError(told, hint=hint)


def _asked_again(
    agents: _Agents,
    run: EvalRun,
    before: EvalRun,
    cases: Sequence[EvalCase],
    targets: Sequence[str],
    data_root: Path | None,
    settings: RepairSettings,
) -> CertificateCheck:
    return Memory(
        changed=agents.changed,
        base=agents.base,
        after=run,
        before=before,
        cases=cases,
        first=targets,
        data_root=data_root,
        scratch=agents.folder / AGAIN,
        seed=agents.change.change_id,
        most=settings.judging.asked_again,
    ).check()
