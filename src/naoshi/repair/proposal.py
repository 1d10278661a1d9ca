"""The branch of a proposal: one commit that cites the certificate and has the tree that was judged."""

from collections.abc import Callable
from dataclasses import dataclass

from naoshi.errors import ConfigError, ProposalPushError, RepositoryError
from naoshi.records import Certificate, Change, Handoff
from naoshi.repair.proposal_settings import ProposalSettings
from naoshi.repair.proposal_text import proposal_message
from naoshi.repair.pull_requests import repository_of
from naoshi.system.git import Git

PROPOSALS = "naoshi/proposal/"
_TELLING = ("[rejected]", "[remote rejected]", "fatal:", "remote:", "error:")
# The helpers that know a person's password for a code host may be named in the system's own settings of git.
_WITH_SYSTEM = {"GIT_CONFIG_NOSYSTEM": "0"}


@dataclass(frozen=True, kw_only=True)
class ProposalBranch:
    """Branch ``name`` with its one commit on the base of the change."""

    name: str
    commit: str


def proposal_branch(change: Change) -> str:
    """Return the name of the branch of a proposal of *change*."""
    return f"{PROPOSALS}{change.change_id}"


def make_proposal_commit(
    git: Git, change: Change, *, certificate: Certificate, handoff: Handoff, mask: Callable[[str], str]
) -> ProposalBranch:
    """Return the commit of a proposal of *change*: the same one each time, with the same certificate.

    No branch leads to it yet; see `set_proposal_branch`.

    Raises:
        RepositoryError: the judged commit is gone, or has another tree than the change.
    """
    judged = git.attempt("rev-parse", "--verify", "--quiet", f"{change.commit}^{{tree}}")
    if judged.stdout.strip() != change.tree:
        raise RepositoryError(f"the judged commit {change.commit[:12]} is not here as it was certified",
                              hint="run `naoshi repair` again")  # fmt: skip
    message = proposal_message(change, certificate, handoff, mask=mask)
    words = ("commit-tree", change.tree, "-p", change.base_commit, "-F", "-")
    commit = git(*words, stdin=message.encode("utf-8", "backslashreplace"),
                 environment=git.identity(certificate.made_at))  # fmt: skip
    return ProposalBranch(name=proposal_branch(change), commit=commit)


def set_proposal_branch(git: Git, branch: ProposalBranch) -> None:
    """Let the branch lead to its commit.

    Raises:
        RepositoryError: git cannot, or somebody has put other commits on the branch.
    """
    name = f"refs/heads/{branch.name}"
    there = git.attempt("rev-parse", "--verify", "--quiet", name).stdout.strip()
    if there and there != branch.commit:
        raise RepositoryError(
            f"the branch {branch.name} leads to {there[:12]}, which Naoshi did not make",
            hint=f"look at it, and remove it with `git branch -D {branch.name}`",
        )
    git("update-ref", name, branch.commit)


def remote_repository(git: Git, settings: ProposalSettings) -> str:
    """Return what the repository of the remote is called on its code host.

    Raises:
        ConfigError: there is no such remote, or its address is of no code host.
    """
    found = git.attempt("remote", "get-url", settings.remote)
    if found.status != 0:
        raise ConfigError(
            f"the repository has no remote {settings.remote!r}",
            hint=f"add it with `git remote add {settings.remote} URL`, or set `remote` under [repair.proposal]",
        )
    if settings.repository:
        return settings.repository
    name = repository_of(found.stdout)
    if name is None:
        raise ConfigError(
            f"the remote {settings.remote!r} is no repository on GitHub",
            hint="set `repository` under [repair.proposal], or use `naoshi propose --branch-only`",
        )
    return name


def push_proposal(git: Git, branch: ProposalBranch, *, remote: str, mask: Callable[[str], str]) -> None:
    """Push *branch* to *remote*. Pushing what is there already is allowed; nothing is ever overwritten.

    Raises:
        ProposalPushError: the remote did not take it.
    """
    refspec = f"{branch.commit}:refs/heads/{branch.name}"
    done = git.attempt("push", "--porcelain", remote, refspec, environment=_WITH_SYSTEM)
    if done.timed_out:
        raise ProposalPushError(f"pushing to {remote} did not end within {done.seconds:.0f} seconds")
    if done.status != 0:
        lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        telling = (line for sign in _TELLING for line in lines if sign in line)
        told = next(telling, lines[-1] if lines else "git said nothing")
        raise ProposalPushError(f"{remote} did not take the branch {branch.name}: {mask(told)[:300]}")
