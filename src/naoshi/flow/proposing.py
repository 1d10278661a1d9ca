"""Putting a certified change before others: its branch, and one pull request, however often it is asked for."""

from dataclasses import dataclass

from naoshi.errors import ChangeRefusedError
from naoshi.flow.alone import alone, clear_parts
from naoshi.flow.certified import CertifiedChange, certified_change
from naoshi.flow.loop import Loop
from naoshi.flow.masking import handed_out
from naoshi.flow.required import require
from naoshi.flow.versions import main_branch
from naoshi.records import Proposal, ProposalState, ReviewDecision, content_id
from naoshi.release.ledger import enter
from naoshi.repair.certificate import verify_certificate
from naoshi.repair.proposal import (
    ProposalBranch,
    make_proposal_commit,
    push_proposal,
    remote_repository,
    set_proposal_branch,
)
from naoshi.repair.proposal_text import proposal_body, proposal_title
from naoshi.repair.pull_requests import PullRequest, PullRequests
from naoshi.system.files import write_durably


@dataclass(frozen=True, kw_only=True)
class Proposed:
    """A proposal, and whether its pull request was made now (else it was found). ``state`` is what the host says."""

    proposal: Proposal
    made: bool
    state: str


def propose_branch(loop: Loop, name: str = "") -> ProposalBranch:
    """Make the branch of the certified change *name* (the latest if empty), and nothing else.

    Raises:
        NotFoundError: there is no such certified change.
        ChangeRefusedError: a person rejected it, it is released, or its certificate does not hold.
        RepositoryError: git cannot.
    """
    found = _proposable(loop, name)
    with alone(loop.state / "proposal.lock", doing="opens a proposal"):
        branch = _branch(loop, found)
        set_proposal_branch(loop.git, branch)
    return branch


def propose(loop: Loop, name: str = "", *, actor: str) -> Proposed:
    """Open a pull request with the certified change *name* (the latest if empty), unless there is one.

    Killed or refused anywhere, the same call goes on from there: what was begun is kept, and what the code host has
    already is found by its branch before anything is made.

    Raises:
        NotFoundError: there is no such certified change.
        ChangeRefusedError: a person rejected it, it is released, or its certificate does not hold.
        MissingProgramError: `gh` is not on this machine.
        ConfigError: there is no remote, or it is of no code host.
        ProposalError: the remote or the code host did not take it; nothing is lost.
        RepositoryError: git cannot.
    """
    found, settings = _proposable(loop, name), loop.settings.repair.proposal
    repository = remote_repository(loop.git, settings)
    requests = PullRequests.of(settings, repository=repository, folder=loop.git.folder, mask=handed_out(loop).text)
    with alone(loop.state / "proposal.lock", doing="opens a proposal"):
        clear_parts(loop.state / "proposals")
        proposal = _begun(loop, found, repository, actor)
        branch = ProposalBranch(name=proposal.branch, commit=proposal.commit)
        set_proposal_branch(loop.git, branch)
        known = requests.find(branch.name)
        if known is not None:
            return Proposed(proposal=_opened(loop, proposal, known), made=False, state=known.state.lower())
        loop.report(f"pushing {branch.name} to {settings.remote}")
        push_proposal(loop.git, branch, remote=settings.remote, mask=handed_out(loop).text)
        made = _create(loop, requests, proposal, found)
        return Proposed(proposal=_opened(loop, proposal, made), made=True, state=made.state.lower())


def _create(loop: Loop, requests: PullRequests, proposal: Proposal, found: CertifiedChange) -> PullRequest:
    handoff = require(loop.store.handoffs, found.change.handoff_id)
    body = proposal_body(found.change, found.certificate, handoff, verdict=found.verdict, mask=handed_out(loop).text)
    path = loop.state / "proposals" / f"{found.change.change_id}.md"
    write_durably(path, body)
    return requests.create(
        proposal.branch, base=proposal.base, title=proposal_title(found.certificate), body=path
    )  # fmt: skip


def _proposable(loop: Loop, name: str) -> CertifiedChange:
    found = certified_change(loop, name)
    if found.review is not None and found.review.decision is ReviewDecision.rejected:
        raise ChangeRefusedError(f"{found.review.reviewer} rejected the change {found.change.change_id}")
    if found.release is not None:
        raise ChangeRefusedError(
            f"the change {found.change.change_id} is released as {found.release.version}",
            hint="push the agent's branch and its tags instead",
        )
    if problems := verify_certificate(found.certificate):
        raise ChangeRefusedError(f"the certificate of {found.change.change_id} does not hold: {'; '.join(problems)}")
    return found


def _branch(loop: Loop, found: CertifiedChange) -> ProposalBranch:
    handoff = require(loop.store.handoffs, found.change.handoff_id)
    return make_proposal_commit(
        loop.git, found.change, certificate=found.certificate, handoff=handoff, mask=handed_out(loop).text
    )  # fmt: skip


def _begun(loop: Loop, found: CertifiedChange, repository: str, actor: str) -> Proposal:
    """Return the proposal of the change as it was begun, or begin it. Its commit stays the one that it began with."""
    identifier = content_id("proposal", found.change.change_id)
    known = loop.store.proposals.get(identifier)
    if known is not None:
        return known
    branch = _branch(loop, found)
    proposal = Proposal(
        proposal_id=identifier,
        change_id=found.change.change_id,
        certificate_id=found.certificate.certificate_id,
        remote=loop.settings.repair.proposal.remote,
        repository=repository,
        base=main_branch(loop),
        branch=branch.name,
        commit=branch.commit,
        actor=actor,
        begun_at=loop.clock(),
    )
    loop.store.proposals.put(proposal)
    return proposal


def _opened(loop: Loop, proposal: Proposal, request: PullRequest) -> Proposal:
    """Keep that the pull request is there, together with the entry in the ledger or not at all."""
    if proposal.state is ProposalState.open and proposal.number == request.number:
        return proposal
    opened = proposal.model_copy(
        update={
            "state": ProposalState.open,
            "url": request.url,
            "number": request.number,
            "opened_at": loop.clock(),
        }
    )
    with loop.store.transaction():
        loop.store.proposals.put(opened)
        enter(
            loop.store,
            kind="proposal",
            subject=opened.change_id,
            actor=opened.actor,
            now=loop.clock(),
            payload={"url": request.url, "certificate": opened.certificate_id, "commit": opened.commit},
        )
    return opened
