"""Pull requests through GitHub's own program `gh`, which has the person's login."""

import json
import os
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from naoshi.errors import (
    MissingProgramError,
    ProposalCredentialsError,
    ProposalError,
)
from naoshi.repair.proposal_settings import ProposalSettings
from naoshi.system.process import Finished, run

_NEEDS_LOGIN = 4
"""The exit status of `gh` where nobody is logged in."""

_LOGIN = re.compile(r"gh auth login|not logged in|authentication|bad credentials|HTTP 401|GH_TOKEN", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://\S+/pull/(?P<number>\d+)\b")
_QUIET = {
    "GH_PROMPT_DISABLED": "1",
    "GH_NO_UPDATE_NOTIFIER": "1",
    "GH_NO_EXTENSION_UPDATE_NOTIFIER": "1",
    "GH_FORCE_TTY": "",
    "NO_COLOR": "1",
    "CLICOLOR_FORCE": "0",
}


@dataclass(frozen=True, kw_only=True)
class PullRequest:
    """A pull request as the code host has it. ``state`` is ``OPEN``, ``CLOSED`` or ``MERGED``."""

    number: int
    url: str
    state: str


@dataclass(frozen=True, kw_only=True)
class PullRequests:
    """The pull requests of ``repository``, as `gh` shows and makes them. It is run in ``folder``.

    ``mask`` hides secrets in what it complains of.
    """

    settings: ProposalSettings
    repository: str
    folder: Path
    mask: Callable[[str], str]
    environment: Mapping[str, str]

    @classmethod
    def of(
        cls, settings: ProposalSettings, *, repository: str, folder: Path, mask: Callable[[str], str]
    ) -> "PullRequests":
        """Return those of *repository*, with the environment of this process.

        Raises:
            MissingProgramError: `gh` is not on this machine.
        """
        if shutil.which(settings.program) is None:
            raise MissingProgramError(
                f"GitHub's program {settings.program!r} is not on this machine",
                hint="install it (https://cli.github.com), or make the branch with `naoshi propose --branch-only`",
            )
        return cls(settings=settings, repository=repository, folder=folder, mask=mask, environment=dict(os.environ))

    def find(self, branch: str) -> PullRequest | None:
        """Return the pull request from *branch* of the repository itself, open or not, or None.

        One from somebody's fork with a branch of that name is another one.

        Raises:
            ProposalCredentialsError: nobody is logged in.
            ProposalError: `gh` could not tell.
        """
        words = ("pr", "list", "--repo", self.repository, "--head", branch, "--state", "all", "--limit", "100",
                 "--json", "number,url,state,isCrossRepository")  # fmt: skip
        done = self._run(*words)
        try:
            found = cast("list[dict[str, Any]]", json.loads(done.stdout or "[]"))
            ours = [item for item in found if not item.get("isCrossRepository")]
            requests = [
                PullRequest(number=int(item["number"]), url=str(item["url"]), state=str(item["state"])) for item in ours
            ]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ProposalError("`gh pr list` did not answer in the form that was asked for") from error
        # An open one before those that were closed, then the first that was made.
        requests.sort(key=lambda item: (item.state != "OPEN", item.number))
        return requests[0] if requests else None

    def create(self, branch: str, *, base: str, title: str, body: Path) -> PullRequest:
        """Open the pull request from *branch* into *base*; the text is in the file *body*.

        Raises:
            ProposalCredentialsError: nobody is logged in.
            ProposalError: it was not made, or it is not known whether it was.
        """
        words = ["pr", "create", "--repo", self.repository, "--head", branch, "--base", base, "--title", title,
                 "--body-file", str(body)]  # fmt: skip
        words += ["--draft"] if self.settings.draft else []
        words += [part for label in self.settings.labels for part in ("--label", label)]
        done = self._run(*words)
        address = _ADDRESS.search(done.stdout)
        if address is not None:
            return PullRequest(number=int(address["number"]), url=address[0], state="OPEN")
        found = self.find(branch)
        if found is None:
            raise ProposalError("`gh pr create` ended well and named no pull request")
        return found

    def _run(self, *words: str) -> Finished:
        done = run(
            [self.settings.program, *words],
            folder=self.folder,
            environment={**self.environment, **_QUIET},
            timeout=self.settings.timeout,
        )
        if done.timed_out:
            raise ProposalError(f"`gh {words[0]} {words[1]}` did not end within {self.settings.timeout:g} seconds")
        if done.status != 0:
            told = self.mask(_complaint(done))
            if done.status == _NEEDS_LOGIN or _LOGIN.search(told):
                raise ProposalCredentialsError(f"`gh` may not ask for {self.repository}: {told}")
            raise ProposalError(f"`gh {words[0]} {words[1]}` failed: {told}")
        return done


def repository_of(address: str) -> str | None:
    """Return what `gh` calls the repository at *address*, a git remote's: ``[HOST/]OWNER/NAME``; None: it is none."""
    for form in _FORMS:
        if found := form.fullmatch(address.strip()):
            host = found["host"].casefold()
            known = host in ("github.com", "ssh.github.com", "www.github.com")
            return found["path"] if known else f"{host}/{found['path']}"
    return None


_PATH = r"(?P<path>[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+?)(?:\.git)?/?"
_FORMS = (
    re.compile(rf"(?:https?|ssh|git)://(?:[^/@]*@)?(?P<host>[A-Za-z0-9.-]+)(?::\d+)?/{_PATH}"),
    re.compile(rf"(?:[^@/:]+@)?(?P<host>[A-Za-z0-9-]+\.[A-Za-z0-9.-]+):{_PATH}"),
)


def _complaint(done: Finished) -> str:
    lines = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    lines = [line for line in lines if not line.startswith(("Warning:", "Creating "))] or lines
    return (lines[0] if lines else f"it ended with status {done.status} and said nothing")[:300]
