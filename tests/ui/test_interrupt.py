"""Ctrl-C and its relatives: what was started is ended, nothing is half done, and the same command goes on."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from naoshi.ui.cli.main import run
from tests.ui.command_line import CommandLine

SLOW = """\
import pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path(sys.argv[1]).write_text(f"{child.pid}")
time.sleep(600)
"""
_PATIENCE = 60.0


def wait_for(what: Callable[[], bool]) -> None:
    last = time.monotonic() + _PATIENCE
    while not what():
        assert time.monotonic() < last, "it never happened"
        time.sleep(0.05)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Started:
    """`naoshi cycle` in a process of its own, stopped while the coding agent is at work."""

    def __init__(self, line: CommandLine, note: Path) -> None:
        note.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "naoshi", "cycle", "-C", str(line.folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        wait_for(lambda: note.exists() and note.read_text().isdecimal())
        self.child = int(note.read_text())

    def stop(self, number: signal.Signals) -> str:
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=_PATIENCE)
        assert "Traceback" not in out + err
        return err


@pytest.fixture
def slow(triaged: CommandLine, tmp_path: Path) -> tuple[CommandLine, Path]:
    """A shop whose coding agent takes ten minutes and has a child."""
    program, note = tmp_path / "slow.py", tmp_path / "note"
    program.write_text(SLOW)
    # From inside a sandbox nobody could write down a process's number that means anything outside.
    triaged.configure(repair={"command": [sys.executable, str(program), str(note)], "sandbox": "off"})
    return triaged, note


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_cycle_that_is_stopped_leaves_nothing_running(number: signal.Signals, slow: tuple[CommandLine, Path]) -> None:
    """The coding agent and its children end, its checkout goes, and exit status and line say what happened."""
    line, note = slow
    started = Started(line, note)
    err = started.stop(number)
    assert started.process.returncode == 130
    assert err.splitlines()[-1].startswith("naoshi: interrupted: ")
    assert not alive(started.child)
    assert line.worktrees() == []
    assert line.git("status", "--porcelain") == ""


def test_a_cycle_that_was_killed_can_be_stopped_when_it_goes_on(slow: tuple[CommandLine, Path]) -> None:
    """DBOS takes a killed cycle up in the background; Ctrl-C reaches it there, and the next run goes on at once."""
    line, note = slow
    killed = Started(line, note)
    killed.stop(signal.SIGKILL)
    again = Started(line, note)
    assert not alive(killed.child), "what a killed run left running is ended before another begins"
    again.stop(signal.SIGINT)
    assert again.process.returncode == 130
    assert not alive(again.child)
    assert line.worktrees() == []
    line.configure(repair={"command": [sys.executable, str(Path(__file__).parents[1] / "flow/mail_agent/mend.py")]})
    done = line("cycle")
    assert (done.status, done.code) == (3, "waiting"), "the same cycle goes on and comes to its review"
    assert line("status", "--json").document["cycles"] == 1


def test_a_reader_that_goes_away_is_told_nothing(triaged: CommandLine) -> None:
    """`naoshi … | head -c 1` ends without a word: 0 where all was written before it went, else 141."""
    program = f"{sys.executable} -m naoshi repair --dry-run -C {triaged.folder} | head -c 1 > /dev/null"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {program}"], capture_output=True, text=True, timeout=60)
    assert done.returncode in (0, 141)
    assert done.stderr == ""


def test_a_fault_of_our_own_is_one_line_too(
    triaged: CommandLine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody sees a traceback unasked, even of what should not happen."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by\nzero")

    monkeypatch.setattr("naoshi.ui.cli.session.open_loop", broken)
    assert run(["status", "-C", str(triaged.folder)]) == 70
    assert capsys.readouterr().err.startswith("naoshi: internal-error: ZeroDivisionError: by zero; ")
