"""A repair that is killed with SIGKILL, and the next one."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from naoshi.repair import clear_leftovers
from tests.repair.receipts_repository import HONEST, ReceiptsRepository

ROOT = Path(__file__).resolve().parents[2]
REPAIR = """
import sys
from pathlib import Path
from tests.repair.receipts_repository import open_repository
open_repository(Path(sys.argv[1])).change_by(sys.argv[2])
"""
STUCK = """
import os, pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
pathlib.Path(os.environ["HOME"], "started").write_text(f"{os.getpid()} {child.pid}")
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="left processes are found through /proc")
def test_killed_while_the_coding_agent_works_the_next_repair_starts_clean(repository: ReceiptsRepository):
    """Protects the machine: no folder, process, branch or lock of the killed repair is left, and the next one works."""
    folder = repository.git.folder.parent
    killed = subprocess.Popen([sys.executable, "-c", REPAIR, str(folder), STUCK], cwd=ROOT)
    started = _awaited(repository.worktrees)
    pids = [int(word) for word in started.read_text().split()]
    assert clear_leftovers(repository.worktrees) == (), "its owner still works"
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()

    assert len(clear_leftovers(repository.worktrees)) == 2, "the workspace, and git's index beside it"
    deadline = time.monotonic() + 5
    while any(_runs(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(_runs(pid) for pid in pids)
    assert list(repository.worktrees.iterdir()) == []
    assert repository.change_by(HONEST).change is not None
    assert repository.git("worktree", "list").count("\n") == 0 and repository.git.changed() == ()


def _awaited(worktrees: Path) -> Path:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        for found in worktrees.glob("*/*/started"):
            if found.read_text():
                return found
        time.sleep(0.02)
    raise AssertionError("the coding agent did not start")


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False
