"""A certificate with all that it stands on, and whether it still stands."""

from dataclasses import dataclass

from naoshi.errors import ChangeRefusedError, NotFoundError, RepositoryError
from naoshi.flow.loop import Loop
from naoshi.records import Certificate, Change, EvalRun
from naoshi.repair.certificate import verify_certificate
from naoshi.repair.protect import require_protected_kept
from naoshi.system.git import Git


@dataclass(frozen=True, kw_only=True)
class CertificateEvidence:
    """A certificate, the change that it is of, and the runs before and after that change."""

    certificate: Certificate
    change: Change
    before: EvalRun
    after: EvalRun

    @classmethod
    def of(cls, loop: Loop, certificate: Certificate) -> "CertificateEvidence":
        """Return what *certificate* stands on.

        Raises:
            NotFoundError: the change or one of the runs is not in the store.
            RepositoryError: the commit of the change, or the one that it starts from, is gone.
        """
        change = loop.store.changes.get(certificate.change_id)
        if change is None:
            raise NotFoundError(
                f"the change {certificate.change_id} of the certificate is not in the store",
                hint="open the store that the change was made with",
            )
        runs = [
            _run(loop, word, run_id)
            for word, run_id in (("before", certificate.before_run_id), ("after", certificate.after_run_id))
        ]
        _require_commit(loop.git, change.base_commit, "base commit")
        _require_commit(loop.git, change.commit, "commit")
        return cls(certificate=certificate, change=change, before=runs[0], after=runs[1])

    def problems(self, loop: Loop) -> tuple[str, ...]:
        """Return what is wrong: the record, its runs or the commit are not what they were when it was made."""
        git, change = loop.git, self.change
        found = list(verify_certificate(self.certificate, before=self.before, after=self.after, change=change))
        if git("rev-parse", f"{change.commit}^@").split() != [change.base_commit]:
            found.append("the commit is not one step from the base that it was certified on")
        if git("rev-parse", f"{change.commit}^{{tree}}") != change.tree:
            found.append("the commit holds other files than were certified")
        if git.diff(change.base_commit, change.commit) != change.diff:
            found.append("the commit shows another diff than is on record")
        try:
            require_protected_kept(
                git, base=change.base_commit, commit=change.commit, protected=loop.settings.repair.protected
            )
        except ChangeRefusedError as error:
            found.append(error.message)
        return tuple(found)


def all_certificates(loop: Loop) -> tuple[Certificate, ...]:
    """Return every certificate, granted or refused, oldest first."""
    return tuple(sorted(loop.store.certificates.find(), key=lambda item: item.made_at))


def certificate_named(loop: Loop, name: str = "") -> Certificate:
    """Return the certificate that *name* stands for: its identifier, its change's, or the beginning of either.

    Of the certificates of one change it is the latest; without *name* it is the latest of all.

    Raises:
        NotFoundError: there is none, or *name* stands for several.
    """
    known = all_certificates(loop)
    if not known:
        raise NotFoundError("there is no certificate yet", hint="`naoshi repair` makes one")
    if not name:
        return known[-1]
    found = [item for item in known if item.certificate_id.startswith(name)]
    if not found:
        of_changes = [item for item in known if item.change_id.startswith(name)]
        found = of_changes[-1:] if len({item.change_id for item in of_changes}) == 1 else of_changes
    if len(found) == 1:
        return found[0]
    if not found:
        raise NotFoundError(f"there is no certificate {name}", hint="`naoshi certificate list` shows what there is")
    hint = "write more of the identifier; `naoshi certificate list` shows them"
    raise NotFoundError(f"{name} stands for {len(found)} certificates", hint=hint)


def _run(loop: Loop, word: str, run_id: str) -> EvalRun:
    run = loop.store.runs.get(run_id)
    if run is None:
        told = f"the run {run_id} {word} the change is not in the store, so that nothing can be compared with it"
        raise NotFoundError(told, hint="open the store that the change was judged with, or run `naoshi repair` again")
    return run


def _require_commit(git: Git, commit: str, what: str) -> None:
    if git.attempt("cat-file", "-e", f"{commit}^{{commit}}").status != 0:
        hint = "fetch the branch of the change, or run `naoshi repair` again"
        raise RepositoryError(f"the {what} {commit[:12]} of the change is gone from the repository", hint=hint)
