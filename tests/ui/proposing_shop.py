"""A shop with a certified change, a remote of its own, and a `gh` that is not GitHub's."""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from naoshi.system.process import run
from tests.ui.command_line import CommandLine

FAKE = Path(__file__).with_name("fake_gh.py")
ADDRESS = "https://github.com/hana/shop.git"


@dataclass(frozen=True, kw_only=True)
class CodeHost:
    """The remote in ``bare``, and the state of the fake `gh`."""

    bare: Path
    place: Path

    @classmethod
    def beside(cls, folder: Path) -> "CodeHost":
        """Make the host beside the repository *folder*, whose remote `origin` becomes it; `gh` is put into `bin`."""
        host = cls(bare=folder.with_name("remote.git"), place=folder.with_name("gh.json"))
        _git(folder.parent, "init", "--quiet", "--bare", str(host.bare))
        _git(folder, "remote", "add", "origin", ADDRESS)
        _git(folder, "config", f"url.{host.bare}.pushInsteadOf", ADDRESS)
        program = folder.with_name("bin") / "gh"
        program.parent.mkdir()
        program.write_text(f"#!{sys.executable} -IS\n{FAKE.read_text()}")
        program.chmod(0o755)
        host.place.write_text(json.dumps({"requests": [], "calls": [], "mode": "ok", "remote": str(host.bare)}))
        return host

    def environment(self, folder: Path) -> dict[str, str]:
        """What has to be set so that the fake is the one that is found."""
        return {"PATH": f"{folder.with_name('bin')}{os.pathsep}{os.environ['PATH']}", "FAKE_GH": str(self.place)}

    @property
    def state(self) -> dict[str, Any]:
        return json.loads(self.place.read_text())

    @property
    def requests(self) -> list[dict[str, Any]]:
        return self.state["requests"]

    def behave(self, mode: str) -> None:
        """Let `gh` do *mode* from now on."""
        self.place.write_text(json.dumps({**self.state, "mode": mode}))

    def add(self, **request: object) -> None:
        """Put a pull request there."""
        known = self.state
        known["requests"].append({"number": 1, "url": "https://github.com/hana/shop/pull/1", "state": "OPEN",
                                  "isCrossRepository": False, **request})  # fmt: skip
        self.place.write_text(json.dumps(known))

    def created(self) -> int:
        """How often `gh pr create` was called."""
        return sum(words[:2] == ["pr", "create"] for words in self.state["calls"])

    def branches(self) -> list[str]:
        return _git(self.bare, "for-each-ref", "--format=%(refname:short)").split()


def open_host(line: CommandLine, monkeypatch: pytest.MonkeyPatch) -> CodeHost:
    """Make the host beside the shop of *line* and let this process find its `gh`."""
    host = CodeHost.beside(line.folder)
    for name, value in host.environment(line.folder).items():
        monkeypatch.setenv(name, value)
    return host


def _git(folder: Path, *words: str) -> str:
    done = run(["git", *words], folder=folder, timeout=30)
    assert done.status == 0, done.stderr
    return done.stdout
