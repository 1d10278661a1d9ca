"""`naoshi evals run SUITE`: one suite on the work tree."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.ui.command_line import MISBEHAVING, CommandLine

SUITE = """\
prompts: [x]
providers: [naoshi]
tests:
  - vars: {say: a}
    assert: [{type: equals, value: a, transform: output.said}]
    metadata: {case_id: good}
  - vars: {say: b}
    assert: [{type: equals, value: a, transform: output.said}]
    metadata: {case_id: wrong}
  - vars: {do: crash}
    assert: [{type: is-json}]
    metadata: {case_id: dead}
"""


@pytest.fixture
def suite(misbehaving_shop: CommandLine) -> Path:
    path = misbehaving_shop.folder / "mine.yaml"
    path.write_text(SUITE, encoding="utf-8")
    return path


def test_a_suite_is_run_on_the_work_tree_and_nothing_is_stored(misbehaving_shop: CommandLine, suite: Path):
    """Protects a quick look: all five states are shown, the results are in a file, and the store is as it was."""
    results = suite.with_name("out.json")
    done = misbehaving_shop("evals", "run", str(suite), "--output", str(results), "--check")
    assert done.status == 1
    assert "1 pass, 1 fail, 1 agent_error, 0 judge_error, 0 not_run" in done.out
    states = json.loads(results.read_text(encoding="utf-8"))["results"]["stats"]["states"]
    assert states == {"pass": 1, "fail": 1, "agent_error": 1, "judge_error": 0, "not_run": 0}
    assert not (misbehaving_shop.folder / ".naoshi" / "naoshi.db").exists()


def test_the_document_has_every_result(misbehaving_shop: CommandLine, suite: Path):
    """Protects programs that read `--json`."""
    done = misbehaving_shop("evals", "run", str(suite), "--json")
    assert (done.status, [item["state"] for item in done.document["results"]]) == (0, ["pass", "fail", "agent_error"])


@pytest.mark.parametrize(
    ("text", "words", "code"),
    [
        ("tests: []\n", (), "suite-invalid"),
        (SUITE, ("--commit", "main"), "usage"),
        (SUITE, ("--output", "out.xml"), "input-invalid"),
        (SUITE, ("--runner", "promptfoo"), "program-missing"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    misbehaving_shop: CommandLine,
    suite: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    words: tuple[str, ...],
    code: str,
):
    """Protects people: an empty suite never passes, and a missing program is told with how to get it."""
    monkeypatch.setenv("PROMPTFOO_VERSION", "0.0.0")
    suite.write_text(text, encoding="utf-8")
    done = misbehaving_shop("evals", "run", str(suite), *words)
    assert (done.status, done.code) == (2, code)


def test_a_wrong_setting_is_told_and_the_environment_wins(
    misbehaving_shop: CommandLine, suite: Path, monkeypatch: pytest.MonkeyPatch
):
    """Protects the quick way of reading settings: it says and does what the whole way does."""
    monkeypatch.setenv("NAOSHI_AGENT__COMMAND", "no-such-program")
    assert misbehaving_shop("evals", "run", str(suite)).code == "program-missing"
    monkeypatch.delenv("NAOSHI_AGENT__COMMAND")
    misbehaving_shop.configure(agent={"timeout": -1})
    assert misbehaving_shop("evals", "run", str(suite)).code == "config-invalid"


@pytest.fixture
def misbehaving_shop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """A repository whose agent is the one that misbehaves on request."""
    line = CommandLine(folder=tmp_path, capsys=capsys)
    line.git("init", "--quiet", ".")
    command = json.dumps(["python3", str(MISBEHAVING)])
    (tmp_path / "naoshi.toml").write_text(f"[agent]\ncommand = {command}\ntimeout = 20\n", encoding="utf-8")
    line.git("add", ".")
    line.git("commit", "--quiet", "-m", "agent")
    return line


def test_the_program_itself_tells_what_is_told_in_this_process(misbehaving_shop: CommandLine, suite: Path):
    """Protects the suite's reading by a second process: the same results, the same errors, and no word more."""
    wrong = suite.with_name("wrong.yaml")
    wrong.write_text("tests:\n  - vars: {x: 1}\n    vars: {x: 2}\n", encoding="utf-8")
    for path in (suite, wrong):
        here = misbehaving_shop("evals", "run", str(path), "--json")
        there = subprocess.run(
            [sys.executable, "-m", "naoshi", "evals", "run", str(path), "--json", "-C", str(misbehaving_shop.folder)],
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert there.returncode == here.status
        assert there.stderr.splitlines()[1:] == here.err.splitlines()[1:], "all but the identifier of the run"
        assert _told(json.loads(there.stdout)) == _told(here.document)


def _told(document: dict[str, Any]) -> object:
    return document.get("error") or [(item["case_id"], item["state"]) for item in document["results"]]
