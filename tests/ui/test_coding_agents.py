"""Codex, Claude Code and programs of one's own at the command line: stopped, out of luck, and going on."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from naoshi.app.build import open_loop
from tests.repair.coding_agents.scripted_program import Claude, Codex, Step, write_program
from tests.ui.command_line import CommandLine

MENDED: Step = ("edit", ("order_number", "Your reference:"))
_PATIENCE = 60.0


def use(line: CommandLine, kind: str, program: Path, **more: object) -> None:
    """Let the shop's coding agent be *program*, of *kind* `codex`, `claude` or `command`, outside of a sandbox."""
    line.configure(repair={"agent": kind, "command": [str(program)], "sandbox": "off", **more})
    config = line.folder / "naoshi.toml"
    sections = "".join(f'[repair.{name}]\nprogram = "{program}"\n' for name in ("codex", "claude"))
    config.write_text(config.read_text() + sections)
    line.git("commit", "--quiet", "--all", "-m", "the coding agent")


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (Codex.variable, Claude.variable):
        monkeypatch.setenv(variable, "sk-of-a-test")


def steps_of(dialect: Codex | Claude) -> dict[str, list[Step]]:
    """What the program does: nothing at all, run into the rate limit, and mend."""
    return {
        "idle": [dialect.says("Nothing to do."), *dialect.ends()],
        "limited": dialect.fails("429 Too Many Requests"),
        "mends": [MENDED, dialect.says("done"), *dialect.ends()],
    }


@pytest.mark.parametrize("kind", ["codex", "claude"])
def test_a_rate_limit_costs_no_attempt_of_a_cycle(kind: str, triaged: CommandLine, tmp_path: Path, keys: None) -> None:
    """The cycle stops at its second attempt, is told when to come back, and goes on with that very attempt."""
    steps, program = steps_of(Codex() if kind == "codex" else Claude()), tmp_path / "bin" / "agent"
    write_program(program, steps["limited"])
    use(triaged, kind, program, attempts=2)
    first = triaged("cycle")
    assert (first.status, first.code) == (3, "coding-agent-rate-limit")
    assert "run the same command again later" in first.err
    # The first attempt ends without a change, and the second one begins.
    counting = _only_once(program, steps)
    second = triaged("cycle")
    assert (second.status, second.code) == (3, "coding-agent-rate-limit")
    assert "go on with the cycle: naoshi cycle" in triaged("status").out
    write_program(program, steps["mends"])
    third = triaged("cycle")
    assert (third.status, third.code) == (3, "waiting"), third.err
    with open_loop(triaged.folder) as loop:
        (cycle,) = loop.store.cycles.find()
        assert (cycle.stage, cycle.attempt) == ("review", 2)
        assert [(item.number, bool(item.change_id)) for item in loop.store.attempts.find()] == [(1, False), (2, True)]
    assert counting.read_text() == "2", "the first attempt was not made again"


def test_a_rate_limit_costs_no_attempt_of_a_repair(triaged: CommandLine, tmp_path: Path, keys: None) -> None:
    """`naoshi repair` goes on with the attempt that it was at, and says so."""
    steps, program = steps_of(Codex()), tmp_path / "bin" / "agent"
    counting = _only_once(program, steps)
    use(triaged, "codex", program, attempts=2)
    first = triaged("repair")
    assert (first.status, first.code) == (3, "coding-agent-rate-limit")
    write_program(program, steps["mends"])
    second = triaged("repair")
    assert second.status == 0 and "going on with the repair" in second.err and "after 1 attempts" in second.err
    (item,) = triaged("attempts", "--json").document["repairs"]
    assert [attempt["number"] for attempt in item["attempts"]] == [1, 2]
    assert item["repair"]["state"] == "certified" and counting.read_text() == "2"


TROUBLES: dict[str, tuple[Callable[[Codex], list[Step]], int, str]] = {
    "credentials": (lambda to: to.fails("401 Unauthorized"), 2, "coding-agent-credentials"),
    "rate limit": (lambda to: to.fails("429 Too Many Requests"), 3, "coding-agent-rate-limit"),
}


@pytest.mark.parametrize("trouble", [*TROUBLES, "no program", "no key"])
def test_what_a_person_has_to_mend_is_one_line(
    trouble: str, triaged: CommandLine, tmp_path: Path, keys: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No attempt is used up, nothing is left over, and the same command goes on once it is mended."""
    script, status, code = TROUBLES.get(trouble, (lambda to: [], 2, "program-missing"))
    program = write_program(tmp_path / "bin" / "agent", script(Codex()))
    use(triaged, "codex", program)
    if trouble == "no program":
        program.unlink()
    if trouble == "no key":
        monkeypatch.delenv(Codex.variable)
        code = "coding-agent-credentials"
    done = triaged("repair")
    assert (done.status, done.code) == (status, code)
    assert triaged.worktrees() == [] and triaged.git("branch", "--list", "naoshi/*") == ""
    with open_loop(triaged.folder) as loop:
        assert loop.store.attempts.count() == 0
    monkeypatch.setenv(Codex.variable, "sk-of-a-test")
    write_program(program, steps_of(Codex())["mends"])
    assert triaged("repair").status == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
@pytest.mark.parametrize("kind", ["codex", "claude", "command"])
def test_stopped_while_it_works(
    kind: str, number: signal.Signals, triaged: CommandLine, tmp_path: Path, keys: None
) -> None:
    """Ctrl-C ends the coding agent with its children, leaves no checkout, and the same command begins that attempt."""
    note, dialect = tmp_path / "note", Claude() if kind == "claude" else Codex()
    program = write_program(tmp_path / "bin" / "agent", [("child", str(note)), dialect.says("…"), ("sleep", 300)])
    program.write_text(program.read_text().replace('assert "task.md" in asked', ""))
    use(triaged, kind, program)
    words = [sys.executable, "-m", "naoshi", "repair", "-C", str(triaged.folder)]
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as naoshi:
        _wait_for(lambda: note.exists() and note.read_text().isdecimal(), naoshi)
        naoshi.send_signal(number)
        _, err = naoshi.communicate(timeout=_PATIENCE)
    assert naoshi.returncode == 130
    assert err.decode().splitlines()[-1].startswith("naoshi: interrupted: ") and "Traceback" not in err.decode()
    assert not _runs(int(note.read_text()))
    assert triaged.worktrees() == [] and triaged.git("branch", "--list", "naoshi/*") == ""
    write_program(program, [MENDED, dialect.says("done"), *dialect.ends()])
    program.write_text(program.read_text().replace('assert "task.md" in asked', ""))
    done = triaged("repair")
    assert done.status == 0, done.err
    (item,) = triaged("attempts", "--json").document["repairs"]
    assert len(item["attempts"]) == 1


def _only_once(program: Path, steps: dict[str, list[Step]]) -> Path:
    """Let *program* do nothing at its first start and run into the rate limit afterwards; return where it counts."""
    counting = program.with_name("count")
    idle, limited = (
        write_program(program.with_name(name), steps[name]).read_text().partition("\n")[2]
        for name in ("idle", "limited")
    )
    program.write_text(
        f"#!{sys.executable} -IS\nimport pathlib\nplace = pathlib.Path({str(counting)!r})\n"
        "count = int(place.read_text()) + 1 if place.exists() else 1\nplace.write_text(str(count))\n"
        f"exec({idle!r} if count == 1 else {limited!r})\n"
    )
    program.chmod(0o755)
    return counting


def _wait_for(what: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    last = time.monotonic() + _PATIENCE
    while not what():
        assert time.monotonic() < last and process.poll() is None, "it never happened"
        time.sleep(0.05)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
