"""What a coding agent leaves behind is ended, wherever it went, without a sandbox."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from naoshi.errors import CodingAgentError, CodingAgentLimitError, MissingProgramError
from naoshi.repair import CommandAgent, Limits, Work, WorkOrder
from naoshi.repair.coding_agents.kept import can_keep

pytestmark = pytest.mark.skipif(not can_keep(), reason="only Linux gives a process the orphans below it")

ROOT = Path(__file__).resolve().parents[3]
DAEMON = """
import os, pathlib, sys, time
note = pathlib.Path(sys.argv[1])
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        for name in list(os.environ): del os.environ[name]
        note.write_text(str(os.getpid()))
        empty = [sys.executable, "-c", "import os, signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(300)"]
        os.execve(sys.executable, empty, {})
    os._exit(0)
os.wait()
while not (note.exists() and note.read_text()): time.sleep(0.01)
"""
WORK = """
import sys
from pathlib import Path
from tests.repair.coding_agents.test_kept import work
work(Path(sys.argv[1]), sys.argv[2:])
"""


def order_in(folder: Path) -> WorkOrder:
    places = {name: folder / name for name in ("checkout", "home", "data", "scratch")}
    for place in places.values():
        place.mkdir(parents=True, exist_ok=True)
    return WorkOrder(
        checkout=places["checkout"], home=places["home"], data_root=places["data"], scratch=places["scratch"]
    )


def work(folder: Path, words: list[str], *, timeout: float = 30.0) -> Work:
    return CommandAgent(command=words, limits=Limits(timeout=timeout)).work(order_in(folder))


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


def assert_ended(note: Path) -> None:
    pid = int(note.read_text())
    deadline = time.monotonic() + 10
    while runs(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not runs(pid)


def test_a_daemon_without_folder_and_environment_is_seen_and_ended(tmp_path: Path) -> None:
    """Protects the machine from a process that nothing ties to its checkout, and the certificate from its author."""
    note = tmp_path / "note"
    done = work(tmp_path, [sys.executable, "-c", DAEMON, str(note)])
    assert isinstance(done.error, CodingAgentError)
    assert done.error.message == "it left 1 processes running in the background"
    assert_ended(note)


def test_it_is_ended_when_the_time_is_over(tmp_path: Path) -> None:
    """Protects against an agent that hangs after it has left something behind."""
    note = tmp_path / "note"
    done = work(tmp_path, [sys.executable, "-c", DAEMON + "\ntime.sleep(300)", str(note)], timeout=2.0)
    assert isinstance(done.error, CodingAgentLimitError)
    assert_ended(note)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_it_is_ended_when_naoshi_is(number: signal.Signals, tmp_path: Path) -> None:
    """Protects against what a kill leaves: nothing waits for the next repair to be cleaned up."""
    note = tmp_path / "note"
    words = [sys.executable, "-c", WORK, str(tmp_path), sys.executable, "-c", DAEMON + "\ntime.sleep(300)", str(note)]
    naoshi = subprocess.Popen(words, cwd=ROOT, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while not (note.exists() and note.read_text()):
        assert time.monotonic() < deadline and naoshi.poll() is None
        time.sleep(0.02)
    os.kill(naoshi.pid, number)
    naoshi.wait(30)
    assert_ended(note)


def test_an_agent_that_ends_its_keeper_is_refused(tmp_path: Path) -> None:
    """Protects against taking the work of a program that got rid of who watches it."""
    done = work(tmp_path, [sys.executable, "-c", "import os, time; os.kill(os.getppid(), 9); time.sleep(1)"])
    assert isinstance(done.error, CodingAgentError)
    assert done.error.message == "it ended the process that watched over it"


def test_exit_status_output_and_input_pass_through(tmp_path: Path) -> None:
    """Protects what is told of a program: the keeper adds nothing to it and takes nothing from it."""
    script = "import os, sys; print(os.getcwd()); print(len(sys.stdin.read()), file=sys.stderr); raise SystemExit(7)"
    done = work(tmp_path, [sys.executable, "-c", script])
    assert done.error is not None and done.error.message == "it ended with status 7: 0"
    assert done.log.splitlines() == [str(tmp_path / "checkout"), "0"]
    ended = work(tmp_path, [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"])
    assert ended.error is not None and ended.error.message.startswith("it was ended by signal 9")
    missing = work(tmp_path, ["no-such-program-of-ours"])
    assert isinstance(missing.error, MissingProgramError) and missing.final
    assert missing.error.message == "cannot start 'no-such-program-of-ours': No such file or directory"
    assert work(tmp_path, [sys.executable, "-c", "pass"]).error is None
