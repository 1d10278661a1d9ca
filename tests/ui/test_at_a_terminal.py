"""A person at a terminal, through a pseudo-terminal: asked, answered, and not asked when nobody is there."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

from tests.ui.command_line import CommandLine

_PATIENCE = 60.0


def at_a_terminal(words: list[str], answers: list[str], *, prompt: str) -> tuple[int, str]:
    """Run the program with a terminal, type one of *answers* at each *prompt*; return status and what was shown."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "naoshi", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        close_fds=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "40"},
    )
    os.close(theirs)
    shown, waiting, last = "", [*answers], time.monotonic() + _PATIENCE
    seen = 0
    while time.monotonic() < last:
        ready, _, _ = select.select([ours], [], [], 0.1)
        if not ready:
            continue
        try:
            data = os.read(ours, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data.decode("utf-8", "replace")
        while waiting and shown.count(prompt) > seen:
            seen += 1
            os.write(ours, f"{waiting.pop(0)}\n".encode())
    os.close(ours)
    return process.wait(10), re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)


def test_triage_asks_and_takes_what_a_person_types(corrected: CommandLine) -> None:
    """Full-width and circled digits count; what is no number is asked again with the reason."""
    questions = corrected("triage", "--list", "--json").document["questions"]
    answers = ["well, hm", "１", *["①"] * (len(questions) - 1)]
    words = ["triage", "--by", "sato", "-C", str(corrected.folder)]
    status, shown = at_a_terminal(words, answers, prompt="Number: ")
    assert status == 0, shown
    assert "not the number of a choice" in shown
    assert "0 questions open" in shown
    entries = corrected("ledger", "--json").document["entries"]
    assert {entry["actor"] for entry in entries if entry["kind"] == "triage"} == {"sato"}


def test_questions_are_in_the_language_of_the_settings(corrected: CommandLine) -> None:
    """Japanese questions have a Japanese prompt, and Japanese text comes out whole."""
    config = corrected.folder / "naoshi.toml"
    config.write_text('language = "ja"\n' + config.read_text())
    corrected.git("commit", "--quiet", "--all", "-m", "ja")
    count = len(corrected("triage", "--list", "--json").document["questions"])
    words = ["triage", "--by", "佐藤", "-C", str(corrected.folder)]
    status, shown = at_a_terminal(words, ["１"] * count, prompt="番号: ")
    assert status == 0, shown
    assert "提案どおり" in shown


def test_a_whole_cycle_at_the_terminal(corrected: CommandLine, tmp_path: Path) -> None:
    """Triage and review are asked in one go, and the release follows."""
    words = ["cycle", "--by", "sato", "-C", str(corrected.folder)]
    status, shown = at_a_terminal(words, ["1"] * 9, prompt="Number: ")
    assert status == 0, shown
    assert "released v1" in shown
    assert corrected("status", "--json").document["version"] == "v1"
