"""Running the command line in this process, and a shop of mails in the state that a test needs."""

import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from naoshi.app.build import open_loop
from naoshi.ui.cli.main import run
from tests.flow.mail_shop import correct_mails, make_shop, record_traces

MISBEHAVING = Path(__file__).parents[1] / "evals" / "agents" / "misbehaving.py"


@dataclass(frozen=True, kw_only=True)
class Done:
    """How a command ended, and what it printed."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        return json.loads(self.out)

    @property
    def code(self) -> str:
        """The code of the one line that says what went wrong."""
        lines = [line for line in self.err.splitlines() if line.startswith("naoshi: ")]
        assert len(lines) == 1, self.err
        assert "Traceback" not in self.out + self.err
        return lines[0].split(": ")[1]


@dataclass(frozen=True, kw_only=True)
class CommandLine:
    """The program `naoshi` in ``folder``, without a terminal."""

    folder: Path
    capsys: pytest.CaptureFixture[str]

    def __call__(self, *words: str) -> Done:
        self.capsys.readouterr()
        status = run([*words, "-C", str(self.folder)])
        printed = self.capsys.readouterr()
        return Done(status=status, out=printed.out, err=printed.err)

    def configure(self, **sections: dict[str, object]) -> None:
        """Set settings in sections that naoshi.toml has, and commit."""
        section = ""
        config = self.folder / "naoshi.toml"
        lines: list[str] = []
        for line in config.read_text().splitlines():
            if line.startswith("["):
                section = line.strip("[]")
                lines += [line, *(f"{name} = {json.dumps(value)}" for name, value in sections.get(section, {}).items())]
            elif line.partition(" = ")[0] not in sections.get(section, {}):
                lines.append(line)
        config.write_text("\n".join(lines) + "\n")
        self.git("commit", "--quiet", "--all", "--allow-empty", "-m", "settings")

    def git(self, *words: str) -> str:
        names = ["-c", "user.name=shop", "-c", "user.email=shop@localhost"]
        done = subprocess.run(["git", *names, *words], cwd=self.folder, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def worktrees(self) -> list[str]:
        """What is left of checkouts: those that git knows besides the main one, and folders."""
        folder = self.folder / ".naoshi" / "worktrees"
        known = self.git("worktree", "list").splitlines()[1:]
        return known + ([path.name for path in folder.iterdir()] if folder.is_dir() else [])


def make_corrected_shop(folder: Path) -> Path:
    """Make a shop whose traces and corrections are in the store, nothing triaged yet."""
    make_shop(folder)
    with open_loop(folder) as loop:
        record_traces(folder, loop)
        correct_mails(loop)
    return folder


def copy_shop(source: Path, target: Path) -> Path:
    """Copy a shop with its trace file, so that each test has its own and none pays for making it."""
    shutil.copytree(source, target, symlinks=True)
    shutil.copyfile(traces_of(source), traces_of(target))
    return target


def traces_of(folder: Path) -> Path:
    """Return the file that the traces of the shop in *folder* came from."""
    return folder.with_name(f"{folder.name}-traces.jsonl")


def misbehaving(what: str) -> list[str]:
    """Return the command of an agent that does *what* with every request."""
    return [sys.executable, str(MISBEHAVING), what]
