"""The folder in which a demo happens: documents, the agent's own repository, and what comes of it."""

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from naoshi.app.initialise import STATE_NAME
from naoshi.demo.agent.write_agent import write_agent
from naoshi.demo.receipts import Receipt
from naoshi.errors import InputError
from naoshi.system.files import write_durably
from naoshi.system.git import Git
from naoshi.system.process import run

_MARK = ".naoshi-demo"

_CONFIG = """\
# The receipts agent of `naoshi demo`.
language = {language}

[agent]
command = {agent}
model = "none"
timeout = 20
data_root = "../documents"

[fields.artifacts.fields.company]
comparison = "letters_and_digits"
[fields.artifacts.fields.date]
comparison = "letters_and_digits"
kind = "date"
[fields.artifacts.fields.address]
comparison = "letters_and_digits"
[fields.artifacts.fields.total]
comparison = "letters_and_digits"
kind = "amount"

[contract.artifacts.fields]
kind = "record"
[contract.artifacts.claims]
kind = "record"
required = false

[repair]
command = {mender}
editable = ["harness/"]
timeout = 120
# The mender is part of Naoshi; for a program of others this stays as it is by default, `auto`.
sandbox = "off"
every_case = {every_case}
"""


@dataclass(frozen=True, kw_only=True)
class DemoWorkspace:
    """``documents`` (working ones, without their truths), ``agent`` (a git repository), and the report beside them."""

    folder: Path

    @property
    def documents(self) -> Path:
        """The data root of the working documents."""
        return self.folder / "documents"

    @property
    def agent(self) -> Path:
        """The agent's own git repository."""
        return self.folder / "agent"

    @property
    def inbox(self) -> Path:
        """Where the traces of production lie, a file a cycle."""
        return self.folder / "traces"


def open_workspace(folder: Path) -> DemoWorkspace:
    """Make *folder* an empty workspace. One that an earlier demo made is emptied, anything else is left alone.

    Raises:
        InputError: there is something in *folder* that no demo made.
        StoreError: the disk or the rights do not allow it.
    """
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir()) and not (folder / _MARK).is_file()):
        raise InputError(f"there is something at {folder} that no demo made", hint="name another with --workspace")
    if folder.is_dir():
        shutil.rmtree(folder)
    write_durably(folder / _MARK, "`naoshi demo` made this folder and empties it.\n")
    return DemoWorkspace(folder=folder)


def furnish(
    workspace: DemoWorkspace, *, source: Path, working: Sequence[Receipt], language: str, believe: bool, now: datetime
) -> None:  # fmt: skip
    """Put copies of the *working* documents of *source* and the basic agent, as a git repository, into *workspace*.

    With *believe* the coding agent is told that every case is true as it stands.
    """
    for receipt in working:
        target = workspace.documents / receipt.document
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / receipt.document, target)
    write_agent(workspace.agent)
    write_durably(workspace.agent / "naoshi.toml", _config(language, believe))
    write_durably(workspace.agent / ".gitignore", f"__pycache__/\n{STATE_NAME}/\n")
    run(["git", "init", "--quiet", "--initial-branch=main"], folder=workspace.agent, timeout=60)
    Git.at(workspace.agent).commit("The receipts agent with its basic harness", paths=["."], when=now)


def _config(language: str, believe: bool) -> str:
    agent = json.dumps([sys.executable, "runner.py"])
    mender = json.dumps([sys.executable, "-m", "naoshi.demo.mender"])
    return _CONFIG.format(language=json.dumps(language), agent=agent, mender=mender, every_case=json.dumps(believe))
