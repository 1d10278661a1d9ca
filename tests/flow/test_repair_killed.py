"""SIGKILL at any time of a repair with a coding agent and of its proposal, then again: nothing is left, nothing twice.

The moments are drawn by lot from a seed; NAOSHI_TEST_KILLS (25 unless it is set) says how many there are in all.
"""

import fcntl
import json
import multiprocessing
import os
import random
import shutil
import signal
import sys
import time
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from naoshi.app.build import open_loop
from naoshi.flow.steps.mint import mint_cases
from naoshi.flow.steps.run import run_present
from naoshi.flow.steps.triage import triage
from naoshi.records import ProposalState, RepairState
from naoshi.repair import find_sandbox
from tests.flow.mail_shop import Follower, correct_mails, make_shop, record_traces
from tests.flow.repair_kill_driver import work
from tests.ui.proposing_shop import CodeHost

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1200),
    pytest.mark.skipif(sys.platform != "linux", reason="what is left is found through /proc"),
]

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["tests.flow.repair_kill_driver"])
KILLS = int(os.environ.get("NAOSHI_TEST_KILLS", "25"))
SHARES = {"off": 0.4, "require": 0.36, "cycle": 0.24}
MEND = Path(__file__).parent / "mail_agent" / "mend.py"
AGENT = """
import runpy, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)", sys.argv[2]], start_new_session=True)
time.sleep(0.4)
child.kill()
child.wait()
runpy.run_path(sys.argv[1])
"""


@dataclass(frozen=True, kw_only=True)
class Shop:
    """A copy of the prepared shop that is repaired and killed; ``token`` is in the words of its coding agent."""

    folder: Path
    host: CodeHost
    token: str
    how: str

    def start(self) -> BaseProcess:
        """Start a repair."""
        scratch = self.folder.with_name("tmp")
        scratch.mkdir(exist_ok=True)
        environment = {**self.host.environment(self.folder), "FAKE_GH_PAUSE": "0.2", "TMPDIR": str(scratch)}
        process = SERVER.Process(target=work, args=(self.folder, self.how, environment))
        process.start()
        return process

    def finish(self) -> float:
        """Let a repair go to its end, and return how long it took."""
        begun = time.monotonic()
        process = self.start()
        process.join(300)
        assert process.exitcode == 0
        process.close()
        return time.monotonic() - begun

    def kill_after(self, seconds: float) -> bool:
        """Kill a repair after *seconds*; return whether it was still at work. What it had started ends by itself."""
        process = self.start()
        process.join(seconds)
        process.kill()
        process.join()
        killed = process.exitcode == -signal.SIGKILL
        process.close()
        deadline = time.monotonic() + 20
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert self.processes() == [], "the keeper or the sandbox ends what a killed repair had started"
        return killed

    def processes(self) -> list[str]:
        """The coding agent's processes."""
        found: list[str] = []
        for place in Path("/proc").iterdir():
            try:
                words = (place / "cmdline").read_bytes() if place.name.isdecimal() else b""
            except OSError:
                continue
            if self.token.encode() in words:
                found.append(f"{place.name}: {words!r}")
        return found

    def assert_clean(self) -> None:
        """Nothing is left over, and nothing happened twice."""
        git_folder, state = self.folder / ".git", self.folder / ".naoshi"
        assert self.processes() == []
        assert list((state / "worktrees").iterdir()) == []
        assert list(self.folder.with_name("tmp").iterdir()) == []
        assert [*git_folder.rglob("*.lock"), *state.rglob(".*.part")] == []
        for lock in state.glob("*.lock"):
            with lock.open("w") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with open_loop(self.folder) as loop:
            git, store = loop.git, loop.store
            assert git("worktree", "list").count("\n") == 0 and git.changed() == ()
            (change,) = store.changes.find()
            repairs = [(item.state, len(item.attempts)) for item in store.repairs.find()]
            assert repairs == [(RepairState.certified, 1)] and store.attempts.count() == 1
            keys = [entry.key for entry in store.ledger.entries()]
            assert len(keys) == len(set(keys))
            branches = set(git("for-each-ref", "--format=%(refname:short)", "refs/heads").split())
            if self.how == "cycle":
                assert branches == {"main"} and store.releases.count() == 1
                return
            (proposal,) = store.proposals.find()
            assert branches == {"main", change.branch, proposal.branch}
            assert proposal.state is ProposalState.open
            assert sum(key.startswith("proposal:") for key in keys) == 1
        (request,) = self.host.requests
        assert (request["url"], request["commit"]) == (proposal.url, proposal.commit)
        assert self.host.branches() == [proposal.branch]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shop whose cases are made and run, so that nothing but the repair is to be done."""
    # The server loads its modules now, which is no part of the time of a repair.
    first = SERVER.Process(target=os.getpid)
    first.start()
    first.join()
    first.close()
    folder = make_shop(tmp_path_factory.mktemp("killed") / "shop")
    with open_loop(folder, people=Follower()) as loop:
        record_traces(folder, loop)
        correct_mails(loop)
        triage(loop)
        mint_cases(loop)
        run_present(loop)
    return folder


def make(source: Path, folder: Path, how: str) -> Shop:
    """Copy the shop *source* to *folder*, with a code host beside it and a coding agent that starts a child."""
    shutil.copytree(source, folder)
    token = f"token-{folder.parent.name}-{folder.parent.parent.name}"
    (folder.with_name("agent.py")).write_text(AGENT)
    command = [sys.executable, str(folder.with_name("agent.py")), str(MEND), token]
    config = folder / "naoshi.toml"
    kept = config.read_text().partition("[repair]")[0]
    sandbox = "off" if how == "off" else "require" if how == "require" else "auto"
    config.write_text(f'{kept}[repair]\ncommand = {json.dumps(command)}\nsandbox = "{sandbox}"\ntimeout = 60\n')
    with open_loop(folder) as loop:
        loop.git.commit("settings", paths=["."])
    host = CodeHost.beside(folder)
    return Shop(folder=folder, host=host, token=token, how="cycle" if how == "cycle" else "repair")


@pytest.mark.parametrize("how", SHARES)
def test_killed_at_any_time_and_started_again(how: str, prepared: Path, tmp_path: Path) -> None:
    """Protects the machine and the code host: whenever it was killed, the next run ends as if it had not been."""
    if how == "require" and find_sandbox("auto")[0] is None:
        pytest.skip("bubblewrap does not work here")
    draw = random.Random(how)
    whole = make(prepared, tmp_path / "0" / "shop", how)
    seconds = whole.finish()
    whole.assert_clean()
    wanted, killed, number = max(1, round(KILLS * SHARES[how])), 0, 0
    while killed < wanted:
        number += 1
        assert number < 10 * wanted, "the moments do not meet it at work"
        shop = make(prepared, tmp_path / str(number) / "shop", how)
        while killed < wanted and shop.kill_after(draw.uniform(0, seconds)):
            killed += 1
        shop.finish()
        shop.assert_clean()
        shutil.rmtree(shop.folder.parent)
