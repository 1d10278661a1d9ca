"""Judging a change: the evals of the base, run on the changed agent, in a folder made from git's objects alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from naoshi.records import Certificate, CertificateCheck, Change, EvalCase, EvalRun
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
        if ask is not None and settings.judging.asked_again:
            more.append(_asked_again(git, change, folder, ask, run, before, cases, targets, data_root, settings))
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


def _asked_again(
    git: Git,
    change: Change,
    folder: Path,
    ask: AskAgain,
    run: EvalRun,
    before: EvalRun,
    cases: Sequence[EvalCase],
    targets: Sequence[str],
    data_root: Path | None,
    settings: RepairSettings,
) -> CertificateCheck:
    def base() -> Ask:
        # Afresh each time, since a changed agent outside of a sandbox could have put another one there.
        place = folder / "base"
        remove_tree(place)
        export_tree(git, change.base_commit, place, index=folder / "index")
        return lambda some, root: ask(place, change.base_commit, some, root)

    return Memory(
        changed=lambda some, root: ask(folder / "checkout", change.commit, some, root),
        base=base,
        after=run,
        before=before,
        cases=cases,
        first=targets,
        data_root=data_root,
        scratch=folder / AGAIN,
        seed=change.change_id,
        most=settings.judging.asked_again,
    ).check()
