"""Whatever a person does wrong: one clear line, the right exit status, nothing lost, nothing half done."""

import contextlib
import fcntl
import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from naoshi.ui.cli.main import run
from tests.ui.command_line import CommandLine, misbehaving, traces_of

COMMANDS = (
    ["status"],
    ["ingest", "x.jsonl"],
    ["correct", "x.csv"],
    ["signals"],
    ["triage"],
    ["evals", "mint"],
    ["evals", "run"],
    ["evals", "list"],
    ["gate"],
    ["diagnose"],
    ["handoff"],
    ["repair"],
    ["review"],
    ["release"],
    ["rollback"],
    ["ledger", "verify"],
    ["cycle"],
)
every_command = pytest.mark.parametrize("words", COMMANDS, ids=" ".join)


@pytest.fixture
def empty(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """A git repository with a commit, an agent and a naoshi.toml, and nothing brought in."""
    folder = tmp_path / "empty"
    folder.mkdir()
    (folder / "agent.py").write_text("")
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=folder, check=True)
    line = CommandLine(folder=folder, capsys=capsys)
    assert line("init").status == 0
    line.git("add", "--all")
    line.git("commit", "--quiet", "-m", "an agent")
    return line


@every_command
def test_a_folder_that_is_not_there(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command says that the folder is missing, and makes none."""
    done = CommandLine(folder=tmp_path / "nowhere", capsys=capsys)(*words)
    assert (done.status, done.code) == (2, "repository-unusable")
    assert not (tmp_path / "nowhere").exists()


@every_command
def test_a_folder_that_is_no_repository(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every command says so, and leaves nothing there."""
    done = CommandLine(folder=tmp_path, capsys=capsys)(*words)
    assert (done.status, done.code) == (2, "repository-unusable")
    assert list(tmp_path.iterdir()) == []


@every_command
def test_settings_that_are_no_toml(words: list[str], empty: CommandLine) -> None:
    """Every command names the line."""
    (empty.folder / "naoshi.toml").write_text("[agent]\ncommand = [broken\n")
    done = empty(*words)
    assert (done.status, done.code) == (2, "config-invalid")
    assert "line 2" in done.err


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("speed = 3\n", "speed"),
        ("[agent]\ncomand = ['x']\n", "agent.comand"),
        ("[agent]\ntimeout = 'soon'\n", "agent.timeout"),
        ("language = 'fr'\n", "language"),
        ("[repair]\neditable = ['../elsewhere/']\n", "repair.editable"),
        ("agent = 3\n", "agent"),
    ],
)
def test_a_setting_that_is_unknown_or_wrong(text: str, named: str, empty: CommandLine) -> None:
    """The setting is named, whatever is wrong with it."""
    (empty.folder / "naoshi.toml").write_text(text)
    done = empty("status")
    assert (done.status, done.code) == (2, "config-invalid")
    assert named in done.err


def test_a_variable_of_the_environment_that_is_wrong(empty: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment is checked as the file is."""
    monkeypatch.setenv("NAOSHI_AGENT__TIMEOUT", "soon")
    done = empty("status")
    assert (done.status, done.code) == (2, "config-invalid")
    assert "agent.timeout" in done.err


def test_settings_in_another_encoding(empty: CommandLine) -> None:
    """Bytes that are no text are told as such."""
    (empty.folder / "naoshi.toml").write_bytes(b"\xff\xfe\x00l")
    done = empty("status")
    assert (done.status, done.code) == (2, "input-invalid")


def test_a_repository_without_settings(triaged: CommandLine) -> None:
    """The way out is named: `naoshi init`."""
    (triaged.folder / "naoshi.toml").unlink()
    done = triaged("status")
    assert (done.status, done.code) == (2, "config-invalid")
    assert "naoshi init" in done.err


def test_a_second_init_changes_nothing(empty: CommandLine) -> None:
    """What a person wrote into naoshi.toml stays."""
    (empty.folder / "naoshi.toml").write_text("language = 'ja'\n")
    done = empty("init")
    assert (done.status, done.code) == (2, "usage")
    assert (empty.folder / "naoshi.toml").read_text() == "language = 'ja'\n"


def test_a_repository_without_commits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`init` works there; what needs a version says that there is none."""
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=tmp_path, check=True)
    line = CommandLine(folder=tmp_path, capsys=capsys)
    assert line("init").status == 0
    assert line("status").status == 0
    done = line("cycle")
    assert (done.status, done.code) == (2, "repository-unusable")


def test_no_agent_is_configured(triaged: CommandLine) -> None:
    """What needs the agent says where its command is written."""
    triaged.configure(agent={"command": []})
    for words in (["evals", "run"], ["cycle"]):
        done = triaged(*words)
        assert (done.status, done.code) == (2, "config-invalid")
        assert "[agent]" in done.err
    assert "[agent]" in triaged("status").out


def test_an_agent_that_is_not_on_this_machine(triaged: CommandLine) -> None:
    """The program is named, and doctor knows it too."""
    triaged.configure(agent={"command": ["no-such-agent"]})
    done = triaged("evals", "run")
    assert (done.status, done.code) == (2, "program-missing")
    assert "no-such-agent" in done.err
    assert triaged("doctor").status == 1


@pytest.mark.parametrize("what", ["crash", "hang", "garbage", "flood"])
def test_an_agent_that_answers_nothing_is_not_one_to_mend(what: str, triaged: CommandLine) -> None:
    """One line with the first reason; no coding agent is started, and the cycle goes on once the agent does."""
    good = (triaged.folder / "naoshi.toml").read_text()
    triaged.configure(agent={"command": misbehaving(what), "timeout": 0.2, "start_timeout": 0.6, "output_limit": 10**6})
    for words in (["evals", "run"], ["cycle"]):
        done = triaged(*words)
        assert (done.status, done.code) == (1, "agent-failed")
        assert "answered none" in done.err
        assert "\x1b" not in done.err
    assert triaged.worktrees() == []
    assert _running_below(triaged.folder) == []
    (triaged.folder / "naoshi.toml").write_text(good)
    triaged.git("commit", "--quiet", "--all", "-m", "the agent starts again")
    assert triaged("cycle").status == 3


def test_a_suite_that_is_no_yaml(triaged: CommandLine) -> None:
    """The file is named and left as it is, and nothing is run."""
    suite = triaged.folder / "evals" / "mine.yaml"
    suite.write_text("tests:\n  - vars: {mail: [\n")
    for words in (["evals", "list"], ["evals", "run"], ["evals", "mint"], ["status"], ["cycle"]):
        done = triaged(*words)
        assert (done.status, done.code) == (2, "suite-invalid")
        assert "mine.yaml" in done.err
    assert suite.read_text() == "tests:\n  - vars: {mail: [\n"


@pytest.mark.parametrize(
    "words",
    [
        ["rollback", "v9"],
        ["triage", "--answer", "triage_none", "1"],
        ["gate", "--run", "run_none"],
        ["gate"],
        ["review"],
        ["review", "--change", "change_none"],
        ["release"],
        ["release", "--change", "change_none"],
        ["correct", "--trace", "0", "--artifact", "fields", "--field", "quantity", "--value", "3"],
    ],
    ids=" ".join,
)
def test_a_name_that_stands_for_nothing(words: list[str], triaged: CommandLine) -> None:
    """Nothing is guessed."""
    done = triaged(*words)
    assert (done.status, done.code) == (2, "not-found")


def test_a_commit_that_stands_for_nothing(triaged: CommandLine) -> None:
    """git is asked, and its no is told."""
    assert triaged("evals", "run", "--commit", "no-such-branch").code == "repository-unusable"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["ponder"], "ponder"),
        (["status", "--loud"], "--loud"),
        (["ingest"], "PATHS"),
        (["correct"], "CSV"),
        (["correct", "x.csv", "--field", "total"], "exclude"),
        (["demo", "--noise", "3"], "noise"),
        (["demo", "--triage", "off", "--compare"], "contradicts"),
        (["ledger", "burn"], "burn"),
        (["evals", "ponder"], "ponder"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_words_that_no_command_understands(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One line that names the word, and exit status 2."""
    assert run(words) == 2
    printed = capsys.readouterr()
    lines = printed.err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("naoshi: usage: ")
    assert told.lower() in lines[0].lower()


def test_an_error_is_a_json_document_where_that_was_asked_for(empty: CommandLine) -> None:
    """A program that calls us reads one document, whatever happens."""
    done = empty("gate", "--json")
    assert done.document["error"]["code"] == "not-found"
    assert done.document["error"]["exit_status"] == done.status == 2
    assert done.code == "not-found"


def test_a_traceback_comes_only_when_asked_for(empty: CommandLine) -> None:
    """--debug raises what the one line was made of."""
    from naoshi.errors import NotFoundError

    with pytest.raises(NotFoundError):
        empty("gate", "--debug")


@pytest.mark.parametrize("content", [b"\x00\xff\xfe\x80" * 50, b"hello\nworld\n", b'{"a": 1}\n[]\n'])
def test_a_file_that_holds_no_trace(content: bytes, empty: CommandLine, tmp_path: Path) -> None:
    """The lines are kept in quarantine, and the command does not say yes."""
    file = tmp_path / "traces.jsonl"
    file.write_bytes(content)
    done = empty("ingest", str(file))
    assert (done.status, done.code) == (2, "input-invalid")
    assert "quarantine" in done.err
    again = empty("ingest", str(file))
    assert again.status == 0
    assert "nothing new" in again.out
    assert "0 lines" not in empty("status").out


def test_good_lines_are_kept_beside_bad_ones(empty: CommandLine, corrected_shop: Path, tmp_path: Path) -> None:
    """A bad line is listed with file, number and reason, and the import goes on: exit status 0."""
    good = traces_of(corrected_shop).read_text()
    file = tmp_path / "traces.jsonl"
    file.write_text(f"no json\n{good}{{}}\n")
    done = empty("ingest", str(file))
    assert done.status == 0
    assert "2 lines in quarantine" in done.out
    assert f"{file}:1: " in done.out
    assert "24 new traces" in done.out


def test_paths_without_traces(empty: CommandLine, tmp_path: Path) -> None:
    """A missing file and a folder without trace files are told apart."""
    assert empty("ingest", str(tmp_path / "none.jsonl")).code == "path-missing"
    (tmp_path / "folder").mkdir()
    assert empty("ingest", str(tmp_path / "folder")).code == "input-invalid"


def test_nothing_has_been_brought_in(empty: CommandLine) -> None:
    """An empty start is no failure of a cycle, and no success of a check."""
    assert empty("signals", "--check").code == "not-found"
    assert empty("evals", "run").code == "not-found"
    assert empty("triage").status == 0
    assert empty("evals", "mint").status == 0
    done = empty("cycle")
    assert done.status == 0
    assert "nothing to do" in done.out
    assert "naoshi ingest" in empty("status").out


def test_bad_rows_of_a_table(corrected: CommandLine, tmp_path: Path) -> None:
    """Good rows are taken, bad ones listed with their line and kept in quarantine."""
    table = tmp_path / "table.csv"
    trace_id = _some_trace(corrected)
    table.write_text(
        "trace_id,artifact,field,corrected,practitioner\n"
        f"{trace_id},fields,quantity,99,hana\n"
        "unknown,fields,quantity,99,hana\n"
        f"{trace_id},fields,colour,red,hana\n"
        f"{trace_id},fields\n"
    )
    done = corrected("correct", str(table))
    assert done.status == 0
    assert "1 new correction" in done.out
    assert "3 lines in quarantine" in done.out
    for line in (3, 4, 5):
        assert f"{table}:{line}: " in done.out
    assert "0 new corrections, 1 known already" in corrected("correct", str(table)).out


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "input-invalid"),
        (b"a,b\n1,2\n", "input-invalid"),
        (b"\x00\xff\x00\xfe", "input-invalid"),
        (b"trace_id,artifact,field,corrected,practitioner\nx,fields,quantity,1,hana\n", "input-invalid"),
    ],
)
def test_a_table_that_holds_no_correction(content: bytes, code: str, empty: CommandLine, tmp_path: Path) -> None:
    """The command does not say yes, and what there was is named."""
    table = tmp_path / "table.csv"
    table.write_bytes(content)
    done = empty("correct", str(table))
    assert (done.status, done.code) == (2, code)


def test_a_correction_of_a_field_that_the_run_has_not(corrected: CommandLine) -> None:
    """The field is named; nothing is added."""
    before = corrected("status", "--json").document["corrections"]
    words = ["--artifact", "fields", "--field", "colour", "--value", "red"]
    done = corrected("correct", "--trace", _some_trace(corrected), *words)
    assert (done.status, done.code) == (2, "input-invalid")
    assert "colour" in done.err
    assert corrected("status", "--json").document["corrections"] == before


@pytest.mark.parametrize("reply", ["", "9", "yes please", "1か2", "1. As proposed and more", "\x1b[2J"])
def test_a_reply_that_is_no_number_of_a_choice(reply: str, corrected: CommandLine) -> None:
    """The question stays open; nothing is guessed."""
    question = corrected("triage", "--list", "--json").document["questions"][0]["conversation_id"]
    done = corrected("triage", "--answer", question, reply, "--by", "sato")
    assert (done.status, done.code) == (2, "input-invalid")
    assert "\x1b" not in done.err
    questions = corrected("triage", "--list", "--json").document["questions"]
    assert question in [item["conversation_id"] for item in questions]
    assert corrected("ledger", "--json").document["entries"] == []


def test_a_question_that_was_answered_already(corrected: CommandLine) -> None:
    """A used question is not answered again, and the answer that counted is named."""
    question = corrected("triage", "--list", "--json").document["questions"][0]["conversation_id"]
    assert corrected("triage", "--answer", question, "②", "--by", "sato").status == 0
    done = corrected("triage", "--answer", question, "1", "--by", "ono")
    assert (done.status, done.code) == (2, "usage")
    assert "sato" in done.err


def test_two_cycles_at_once(corrected: CommandLine) -> None:
    """The second one says that the first is at work, and touches nothing."""
    lock = corrected.folder / ".naoshi" / "cycle.lock"
    with lock.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        done = corrected("cycle")
        assert (done.status, done.code) == (2, "store-failed")
        assert corrected("status", "--json").document["cycles"] == 0
    assert corrected("cycle").status == 3


def test_state_that_may_not_be_written(corrected: CommandLine) -> None:
    """Without the right to write into .naoshi there is one line, and nothing changes."""
    bounds: list[str] = []
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root may write anywhere, and setpriv is not here to take that away")
        bounds = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"]
    state = corrected.folder / ".naoshi"
    kept = {path: path.read_bytes() for path in state.rglob("*") if path.is_file()}
    folders = [state, *(path for path in state.rglob("*") if path.is_dir())]
    for path in (*kept, *folders):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        for words in (["status"], ["triage"], ["cycle"]):
            program = [*bounds, sys.executable, "-m", "naoshi", *words, "-C", str(corrected.folder)]
            done = subprocess.run(program, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
            lines = done.stderr.splitlines()
            assert (done.returncode, len(lines)) == (2, 1), done.stderr
            assert lines[0].startswith("naoshi: store-failed: ")
            assert {path: path.read_bytes() for path in kept} == kept
    finally:
        for path in folders:
            path.chmod(0o755)


def _some_trace(line: CommandLine) -> str:
    return json.loads(traces_of(line.folder).read_text().splitlines()[0])["trace_id"]


def _running_below(folder: Path) -> list[str]:
    """Return the processes that work somewhere below *folder*."""
    found: list[str] = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                if str((entry / "cwd").readlink()).startswith(str(folder)):
                    found.append(entry.name)
    return found


def _unheard(words: list[str], folder: Path, *streams: str) -> subprocess.CompletedProcess[str]:
    """Run the program where nobody reads its *streams*."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        to = {name: writing if name in streams else subprocess.PIPE for name in ("stdout", "stderr")}
        return subprocess.run([sys.executable, "-m", "naoshi", *words], cwd=folder, text=True, check=False, **to)
    finally:
        os.close(writing)


def test_a_reader_that_has_gone_is_never_a_yes(tmp_path: Path) -> None:
    """Protects the gate in a pipeline (`naoshi gate compare ... | head`, with pipefail): no word, and no status 0."""
    done = _unheard(["--help"], tmp_path, "stdout")
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("streams", [["stdout"], ["stderr"], ["stdout", "stderr"]], ids="+".join)
@pytest.mark.parametrize("words", [["status"], ["status", "--json"], ["no-such-command"]], ids=" ".join)
def test_an_error_that_nobody_hears_keeps_its_exit_status(words: list[str], streams: list[str], tmp_path: Path) -> None:
    """Protects a script that throws the words away: wrong input is 2, and never the 1 of a check that says no."""
    done = _unheard(words, tmp_path, *streams)
    assert done.returncode == 2
    assert "Traceback" not in (done.stderr or "")


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_a_closed_stream_is_no_fault(closed: str, tmp_path: Path) -> None:
    """Protects whoever starts it from a daemon: what it opens never takes the number of a stream that was closed."""
    for words, status in ((["--version"], 0), (["status"], 2)):
        line = f"{shlex.join([sys.executable, '-m', 'naoshi', *words])} {closed}"
        done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stderr


@pytest.mark.parametrize("words", [["--help"], ["status", "--json"], ["evals", "run", "none.yaml", "--json"]])
def test_an_output_that_takes_nothing_is_one_line(words: list[str], tmp_path: Path) -> None:
    """Protects whoever writes to a full disk: a line instead of a traceback, and never a good end."""
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    with Path("/dev/full").open("w") as full:
        program = [sys.executable, "-m", "naoshi", *words]
        done = subprocess.run(program, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode != 0
    assert done.stderr.startswith("naoshi: ") and done.stderr.count("\n") == 1, done.stderr
