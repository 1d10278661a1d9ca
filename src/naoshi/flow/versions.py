"""Which version of the agent is in force."""

from naoshi.flow.loop import Loop
from naoshi.records import Version
from naoshi.release.versions import ensure_version


def main_branch(loop: Loop) -> str:
    """Return the agent's main branch: the one that the settings name, else the one that is checked out.

    Raises:
        RepositoryError: neither is there.
    """
    return loop.settings.branch or loop.git.branch()


def present_version(loop: Loop) -> Version:
    """Return the version that the main branch has, registered if it has no number yet.

    Raises:
        RepositoryError: there is no commit.
    """
    commit = loop.git.commit_of(f"refs/heads/{main_branch(loop)}")
    return ensure_version(loop.git, loop.store, commit=commit, paths=loop.settings.repair.editable, now=loop.clock())
