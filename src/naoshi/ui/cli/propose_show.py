"""Proposals, made and shown to people."""

from naoshi.flow.loop import Loop
from naoshi.flow.proposing import propose, propose_branch
from naoshi.ui.cli.output import Output
from naoshi.ui.cli.session import actor_of


def propose_and_show(loop: Loop, out: Output, *, change: str, by: str) -> None:
    """Open the pull request, or find it, and show where it is.

    Raises:
        NotFoundError: there is no such certified change.
        ChangeRefusedError: it may not be proposed.
        ProposalError: the remote or the code host did not take it.
    """
    done = propose(loop, change, actor=actor_of(loop, by))
    proposal = done.proposal
    out.say(
        f"{'opened' if done.made else f'there already ({done.state})'}: {proposal.url}",
        f"branch {proposal.branch} at {proposal.commit[:12]}, for {proposal.base}",
        "next: naoshi review, then naoshi release",
    )
    out.result({"proposal": proposal, "made": done.made, "state": done.state})


def propose_branch_and_show(loop: Loop, out: Output, *, change: str) -> None:
    """Make the branch of the proposal here, and show it.

    Raises:
        NotFoundError: there is no such certified change.
        ChangeRefusedError: it may not be proposed.
    """
    branch = propose_branch(loop, change)
    out.say(
        f"branch {branch.name} at {branch.commit[:12]}",
        f"to look at it: git show {branch.name}",
    )
    out.result(branch)
