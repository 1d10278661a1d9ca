"""Programs that are killed, and programs that race, around a guarded action."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from naoshi.confirm import Confirmations, FileStore, Guard, PermitState

PROGRAM = """
import os, sys, time
from naoshi.confirm import Confirmations, FileStore, Guard, NotPermittedError
folder, mode = sys.argv[1:]
guard = Guard(Confirmations(FileStore(folder + "/state")))

@guard
def send(to):
    if mode == "kill":
        os.kill(os.getpid(), 9)
    if mode == "hang":
        print("begun", flush=True)
        time.sleep(60)
    with open(folder + "/sent", "ab", buffering=0) as log:
        log.write(b"x")
    return "sent"

if mode == "race":
    print("ready", flush=True)
    sys.stdin.readline()
with guard.conversation("c"):
    try:
        print(send("a"))
    except NotPermittedError as stopped:
        print(stopped.permit.state)
"""


def start(folder: Path, mode: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", PROGRAM, str(folder), mode]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def said(process: subprocess.Popen[str]) -> str:
    return process.communicate(timeout=60)[0].strip()


def approved(folder: Path) -> Guard:
    """Ask about the action as another program would, and approve it."""
    confirmations = Confirmations(FileStore(folder / "state"))
    guard = Guard(confirmations)
    assert guard("send", {"to": "a"}, conversation_id="c").state is PermitState.asked
    assert confirmations.receive("c", "1").choice == 1
    return guard


def test_a_program_killed_after_asking_is_answered_by_the_next(tmp_path: Path) -> None:
    """Protects the question and the answer from kill -9: ask, die, start again, answer, act."""
    assert said(start(tmp_path, "ask")) == "asked"
    assert Confirmations(FileStore(tmp_path / "state")).receive("c", "1").choice == 1
    assert said(start(tmp_path, "send")) == "sent"
    assert (tmp_path / "sent").read_bytes() == b"x"


def test_a_kill_between_claim_and_effect_is_reported_and_never_retried(tmp_path: Path) -> None:
    """Protects the effect: the next program finds a claim without an end, and a person is asked."""
    guard = approved(tmp_path)
    process = start(tmp_path, "kill")
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert guard("send", {"to": "a"}, conversation_id="c").state is PermitState.outcome_unknown
    assert said(start(tmp_path, "send")) == "outcome_unknown"
    assert not (tmp_path / "sent").exists()
    assert Confirmations(FileStore(tmp_path / "state")).receive("c", "2").choice == 2
    assert said(start(tmp_path, "send")) == "sent"
    assert (tmp_path / "sent").read_bytes() == b"x"


def test_a_slow_effect_elsewhere_is_under_way_until_its_program_dies(tmp_path: Path) -> None:
    """Protects against asking about a crash that has not happened."""
    guard = approved(tmp_path)
    process = start(tmp_path, "hang")
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    assert guard("send", {"to": "a"}, conversation_id="c").state is PermitState.running
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    assert guard("send", {"to": "a"}, conversation_id="c").state is PermitState.outcome_unknown


@pytest.mark.parametrize("racers", [4])
def test_of_racing_programs_one_does_it(tmp_path: Path, racers: int) -> None:
    """Protects the effect from programs that take up the same approval at the same moment."""
    approved(tmp_path)
    processes = [start(tmp_path, "race") for _ in range(racers)]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
    outcomes = sorted(process.communicate(timeout=60)[0].strip() for process in processes)
    assert (tmp_path / "sent").read_bytes() == b"x"
    assert outcomes.count("sent") == 1
    assert set(outcomes) <= {"sent", "running", "asked"}
