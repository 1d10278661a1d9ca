"""Child programs: bounded, and gone with all that they started."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from naoshi.errors import MissingProgramError
from naoshi.system.process import command_words, end, run, start


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def is_alive(identifier: int) -> bool:
    try:
        state = Path(f"/proc/{identifier}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False
    return state != "Z"


def wait_until_gone(identifier: int) -> bool:
    last = time.monotonic() + 5
    while is_alive(identifier) and time.monotonic() < last:
        time.sleep(0.01)
    return not is_alive(identifier)


def test_a_program_is_run_to_its_end(tmp_path: Path) -> None:
    """Input, both outputs, status, folder and environment are as asked."""
    program = (
        "import os,sys; print(sys.stdin.read(), os.getcwd(), os.environ.get('X'));"
        "print('e', file=sys.stderr); sys.exit(3)"
    )
    done = run(python(program), folder=tmp_path, stdin="直".encode(), environment={"X": "1"}, timeout=30)
    assert done.stdout.split() == ["直", str(tmp_path.resolve()), "1"]
    assert (done.status, done.stderr, done.timed_out, done.flooded) == (3, "e\n", False, False)


def test_much_input_and_output_never_block(tmp_path: Path) -> None:
    """A program that writes before it reads must not wait for us while we wait for it."""
    program = "import sys; sys.stdout.write('x' * 3_000_000); sys.stdout.flush(); print(len(sys.stdin.read()))"
    done = run(python(program), folder=tmp_path, stdin=b"y" * 3_000_000, timeout=30)
    assert done.stdout.endswith("x3000000\n")


def test_output_that_is_not_text_is_still_given(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 become marks, not a crash."""
    done = run(python("import sys; sys.stdout.buffer.write(b'a\\xffb')"), folder=tmp_path, timeout=30)
    assert done.stdout == "a\ufffdb"


def test_a_program_that_hangs_is_ended(tmp_path: Path) -> None:
    """Also one that ignores being asked."""
    program = (
        "import signal,time,os; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "print(os.getpid(), flush=True); time.sleep(60)"
    )
    done = run(python(program), folder=tmp_path, timeout=0.6)
    assert done.timed_out
    assert done.status == -signal.SIGKILL
    assert done.seconds < 10
    assert wait_until_gone(int(done.stdout))


def test_a_program_that_floods_is_ended(tmp_path: Path) -> None:
    """Endless output fills no disk; what is kept is cut at the limit."""
    done = run(python("while True: print('x' * 10000)"), folder=tmp_path, timeout=30, output_limit=100_000)
    assert done.flooded
    assert not done.timed_out
    assert len(done.stdout) == 100_000


def test_a_short_flood_is_seen_too(tmp_path: Path) -> None:
    """A program that floods and ends at once is not taken for a good one."""
    done = run(python("print('x' * 200_000)"), folder=tmp_path, timeout=30, output_limit=100_000)
    assert done.flooded


@pytest.mark.parametrize("ending", ["", "time.sleep(60)"])
def test_nothing_that_it_started_outlives_it(tmp_path: Path, ending: str) -> None:
    """A child left in the background would hold files and processors of a machine for ever."""
    program = (
        "import subprocess,sys,time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import signal,time;"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)'])\n"
        f"print(child.pid, flush=True)\n{ending}\n"
    )
    done = run(python(program), folder=tmp_path, timeout=30 if not ending else 1.0)
    assert wait_until_gone(int(done.stdout))


@pytest.mark.parametrize("times", [1, 2])
def test_an_interrupt_ends_the_program(tmp_path: Path, times: int) -> None:
    """Ctrl-C while an agent runs, pressed once or twice, leaves no agent behind."""
    marker = tmp_path / "pid"
    agent = (
        "import os,signal,time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        f"f = open({str(marker)!r}, 'w'); f.write(str(os.getpid())); f.close(); time.sleep(60)"
    )
    ours = (
        "import sys\nfrom pathlib import Path\nfrom naoshi.system.process import run\n"
        "run([sys.executable, '-c', sys.argv[1]], folder=Path('.'), timeout=60)\n"
    )
    process = subprocess.Popen([*python(ours), agent], stderr=subprocess.PIPE, cwd=tmp_path)
    last = time.monotonic() + 30
    while not (marker.exists() and marker.read_text()) and time.monotonic() < last:
        time.sleep(0.01)
    for _ in range(times):
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    process.communicate(timeout=30)
    assert process.returncode != 0
    assert wait_until_gone(int(marker.read_text()))


def test_what_cannot_be_started_is_one_clear_error(tmp_path: Path) -> None:
    """A command comes from a settings file; whatever stands there, the message names it."""
    (tmp_path / "not-a-program").write_text("x")
    wrong = [["no-such-program-here"], [str(tmp_path)], [str(tmp_path / "not-a-program")], ["a\0b"], ["\ud800"],
             ["x" * 5000], []]  # fmt: skip
    for command in wrong:
        with pytest.raises(MissingProgramError) as caught:
            run(command, folder=tmp_path, timeout=5)
        assert len(caught.value.line()) < 500
    with pytest.raises(MissingProgramError, match="no folder"):
        run(["true"], folder=tmp_path / "nothing", timeout=5)


def test_ending_twice_is_allowed(tmp_path: Path) -> None:
    """Clean-up runs more than once on the way out of nested blocks."""
    process = start(python("import time; time.sleep(60)"), folder=tmp_path, stdin=subprocess.DEVNULL)
    assert os.getpgid(process.pid) == process.pid
    end(process)
    end(process)
    assert process.returncode == -signal.SIGTERM


def test_a_command_is_split_as_a_shell_would_and_run_by_none() -> None:
    """`;` and `$` in a setting start nothing."""
    assert command_words("python 'a b' --x=$HOME; rm") == ["python", "a b", "--x=$HOME;", "rm"]
    assert command_words(["a b", "c"]) == ["a b", "c"]
