"""What a changed agent can see and reach while it is judged, tried out by an agent that does what it is asked to try.

The cases of these tests are Python: the agent under test runs each one and answers what came of it.
"""

import os
import shutil
import socket
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from naoshi.errors import MissingSandboxError
from naoshi.flow.judging import Judging
from naoshi.flow.loop import Loop
from naoshi.records import Assertion, EvalCase
from naoshi.repair.coding_agents.settings import SandboxMode
from naoshi.repair.judge_change import AGAIN
from naoshi.repair.judging_place import JudgingPlace
from naoshi.repair.sandbox import find_sandbox
from tests.flow.case_shop import make_case_shop, open_case_shop

AGENT = """
import json, os, pathlib, socket, subprocess, sys

def tried(code):
    names = dict(globals())
    *lines, last = code.strip().split("\\n")
    try:
        exec("\\n".join(lines), names)
        return repr(eval(last, names))
    except (OSError, subprocess.SubprocessError) as error:
        return type(error).__name__

for request in map(json.loads, sys.stdin):
    print(json.dumps({"case_id": request["case_id"], "output": "saw " + tried(request["vars"]["code"])}), flush=True)
"""
SECRET = "the holdout's own words"


@dataclass(frozen=True, kw_only=True)
class Place:
    """A loop, and a folder in which a changed agent is judged."""

    loop: Loop
    checkout: Path

    @property
    def repository(self) -> Path:
        return self.loop.git.folder

    def answers(
        self, codes: Mapping[str, str], *, documents: Sequence[str] = (), **judging: object
    ) -> dict[str, str]:  # fmt: skip
        """Return what the agent answers to each of *codes*, judged under the settings *judging*."""
        repair = self.loop.settings.repair
        settings = repair.judging.model_copy(update=judging)
        loop = replace(
            self.loop,
            settings=self.loop.settings.model_copy(
                update={"repair": repair.model_copy(update={"judging": settings})},
            ),
        )
        says = (Assertion(type="contains", value="saw "),)
        cases = [
            EvalCase(case_id=name, vars={"code": code, "documents": list(documents)}, assertions=says, category="tried")
            for name, code in codes.items()
        ]
        run = Judging.of(loop).evaluate(self.checkout, "0" * 40, version="changed", cases=cases)
        assert {result.state.value for result in run.results} <= {"pass"}, [item.reason for item in run.results]
        return {result.case_id: str(result.output).removeprefix("saw ") for result in run.results}


@contextmanager
def open_place(folder: Path, *, model: str = "none") -> Generator[Place]:
    """Open a shop with a holdout and a history, and a checkout of the agent that tries."""
    shop = make_case_shop(folder / "shop", holdout=True)
    config = shop / "naoshi.toml"
    text = config.read_text().replace("[agent]\n", f'[agent]\nmodel = "{model}"\nworkers = 1\n')
    config.write_text(text)
    (shop / ".naoshi" / "evals" / "holdout.yaml").write_text(f"tests: []\n# {SECRET}\n")
    with open_case_shop(shop) as loop:
        loop.git("add", "--all")
        loop.git("commit", "-qm", "settings", environment=loop.git.identity())
        checkout = loop.worktrees / "change_1-judge" / "checkout"
        (checkout / "evals").mkdir(parents=True)
        (checkout / "evals" / "words.yaml").write_text("tests: []\n")
        (checkout / "agent.py").write_text(AGENT)
        for folder_of_handoff in (shop, checkout):
            (folder_of_handoff / "codex_handoff.md").write_text("expected: everything")
        (loop.worktrees / "change_1-judge" / "index").write_text("not for you")
        (loop.state / "runs").mkdir(exist_ok=True)
        (loop.state / "runs" / "earlier.jsonl").write_text("earlier answers")
        yield Place(loop=loop, checkout=checkout)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Generator[Place]:
    found, reason = find_sandbox("auto")
    if found is None:
        pytest.skip(f"{reason}; on Debian: apt-get install bubblewrap")
    with open_place(tmp_path_factory.mktemp("place")) as opened:
        yield opened


@pytest.fixture
def bare(tmp_path: Path) -> Generator[Place]:
    """The same, for judging without a sandbox."""
    with open_place(tmp_path) as opened:
        yield opened


def paths(place: Place) -> dict[str, Any]:
    """Return the places that the attempts below speak of."""
    repository = place.repository
    return {
        "repository": str(repository), "state": str(place.loop.state), "db": str(place.loop.state / "naoshi.db"),
        "holdout": str(place.loop.state / "evals" / "holdout.yaml"), "suites": str(repository / "evals"),
        "git": str(repository / ".git"), "prefix": sys.prefix, "us": str(Path(sys.modules["naoshi"].__file__ or "")),
    }  # fmt: skip


READS = {
    "the database": "open({db!r}, 'rb').read(6)",
    "the holdout by its path": "open({holdout!r}).read()",
    "the holdout by going up": "[str(p) for p in pathlib.Path.cwd().parents[2].rglob('*') if p.is_file()"
    " and pathlib.Path.cwd() not in p.parents]",
    "the holdout by dots": "open('../../../evals/holdout.yaml').read()",
    "the holdout by looking for it": "subprocess.run(['grep', '-rl', 'own words', {repository!r}],"
    " capture_output=True, text=True).stdout",
    "earlier answers": "os.listdir({state!r} + '/runs')",
    "its own suites": "os.listdir('evals')",
    "a handoff in the user's repository": "open({repository!r} + '/codex_handoff.md').read()",
    "a handoff in its checkout": "open('codex_handoff.md').read()",
    "the suites of the user": "os.listdir({suites!r})",
    "the git of the user": "os.listdir({git!r})",
    "git's objects": "subprocess.run(['git', '-C', {repository!r}, 'cat-file', '-p', 'HEAD'],"
    " capture_output=True, text=True).stdout",
    "the history": "subprocess.run(['git', 'log', '-p', '--all'], capture_output=True, text=True).stdout",
    "the index beside it": "open('../index').read()",
    "the folder of another process": "[l for l in (os.readlink(f'/proc/{{p}}/cwd') for p in os.listdir('/proc')"
    " if p.isdecimal()) if l != os.getcwd() and l != '/']",
    "the environment of another process": "[e for p in os.listdir('/proc') if p.isdecimal()"
    " for e in open(f'/proc/{{p}}/environ', 'rb').read().split(b'\\0') if b'SECRET' in e or b'DATABASE' in e]",
    "its own environment": "[n for n in os.environ if 'SECRET' in n or 'DATABASE' in n or 'KEY' in n]",
    "the disk itself": "[d for d in os.listdir('/dev') if d[:2] in ('vd', 'sd', 'dm', 'lo', 'me', 'nv')]",
    "services of this machine": "os.listdir('/run')",
}
_NOTHING = ("[]", "''", "FileNotFoundError", "PermissionError", "IsADirectoryError")


def test_what_would_tell_the_answers_is_not_there(place: Place, monkeypatch: pytest.MonkeyPatch):
    """Protects the holdout, the suites, the database, earlier answers and git: whatever is tried, nothing is seen."""
    for name in ("NAOSHI_DATABASE_URL", "A_SECRET", "SOME_API_KEY"):
        monkeypatch.setenv(name, "sqlite:///SECRET")
    found = place.answers({name: code.format(**paths(place)) for name, code in READS.items()})
    assert found.keys() == READS.keys()
    assert {name: told for name, told in found.items() if told not in _NOTHING} == {}


WRITES = {
    "the harness of the user": "open({repository!r} + '/harness/words.json', 'w')",
    "the settings of the user": "open({repository!r} + '/naoshi.toml', 'a')",
    "a new file beside": "open({repository!r} + '/conftest.py', 'w')",
    "our own code": "open({us!r}, 'a')",
    "a path file for our interpreter": "open(next(p for p in sys.path if p.endswith('site-packages')) + '/x.pth', 'w')",
    "our interpreter's folder": "open({prefix!r} + '/x', 'w')",
    "git's settings of the user": "open(os.environ['HOME'] + '/.gitconfig', 'a')",
    "the system's settings": "open('/sys/kernel/uevent_helper', 'w')",
    "what the kernel starts": "open('/proc/sys/kernel/core_pattern', 'w')",
}


def test_what_others_rely_on_cannot_be_written(
    place: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):  # fmt: skip
    """Protects the user's repository, our own code, and what runs later on: each attempt fails."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".gitconfig").write_text("[user]\n")
    found = place.answers({name: code.format(**paths(place)) for name, code in WRITES.items()})
    assert found.keys() == WRITES.keys()
    assert {
        name: told for name, told in found.items() if told not in ("OSError", "PermissionError", "FileNotFoundError")
    } == {}


def test_what_is_hidden_cannot_be_written_either(place: Place):
    """Protects hooks, suites, baseline and database: what is written in their place goes with the agent."""
    writing = (
        "pathlib.Path({folder!r}).mkdir(parents=True, exist_ok=True)\npathlib.Path({folder!r}, 'x').write_text('x')"
    )
    folders = [
        place.repository / ".git" / "hooks",
        place.repository / "evals",
        place.loop.state,
        place.checkout / "evals",
    ]
    found = place.answers({str(folder): writing.format(folder=str(folder)) for folder in folders})
    assert len(found) == len(folders)
    assert [folder for folder in folders if (folder / "x").exists()] == []


def test_its_own_checkout_is_its_own(place: Place):
    """Protects honest agents: they write caches where they stand, read the machine, and use temporary files."""
    found = place.answers({
        "write": "pathlib.Path('cache').write_text('x')\npathlib.Path('cache').read_text()",
        "temporary": "import tempfile\ntempfile.NamedTemporaryFile('w').write('x')",
        "documents": f"len(os.listdir({str(place.repository / 'harness')!r}))",
        "started": "subprocess.run([sys.executable, '-c', 'print(1)'], capture_output=True, text=True).stdout",
        "devices": "open('/dev/null', 'w').write('x') + len(open('/dev/urandom', 'rb').read(3))",
    })  # fmt: skip
    assert found == {"write": "'x'", "temporary": "1", "documents": "1", "started": "'1\\n'", "devices": "4"}


OUT = {
    "put back": "subprocess.run(['umount', {state!r}], capture_output=True).returncode",
    "mounted again": "subprocess.run(['mount', '-o', 'remount,rw', {repository!r}], capture_output=True).returncode",
    "in a namespace of its own": "subprocess.run(['unshare', '-Urm', 'umount', {state!r}],"
    " capture_output=True).returncode",
    "in the namespace of another": "subprocess.run(['nsenter', '-t', '1', '-m', 'cat', {holdout!r}],"
    " capture_output=True).returncode",
    "a new root": "os.chroot('/')",
}


def test_the_place_cannot_be_left(place: Place):
    """Protects all of the above: nothing hidden comes back by mounting, and no right is left to try."""
    found = place.answers({name: code.format(**paths(place)) for name, code in OUT.items()})
    assert found.keys() == OUT.keys()
    assert {name: told for name, told in found.items() if told == "0" or told == "None"} == {}


REACHES = """
s = socket.socket({family})
s.settimeout(2)
s.connect({address!r}) or 'reached'
"""


def reached(place: Place, tmp_path: Path, **judging: object) -> dict[str, str]:
    """Return whether the agent reaches a service of this machine, by each way."""
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0naoshi-{os.getpid()}-{tmp_path.name}")
        abstract.listen()
        addresses: dict[str, tuple[str, object]] = {
            "tcp": ("socket.AF_INET", ("127.0.0.1", tcp.getsockname()[1])),
            "abstract": ("socket.AF_UNIX", abstract.getsockname()),
            "away": ("socket.AF_INET", ("192.0.2.1", 80)),
        }
        codes = {name: REACHES.format(family=family, address=where) for name, (family, where) in addresses.items()}
        codes["name"] = "socket.getaddrinfo('naoshi.invalid', 80)"
        return place.answers(codes, **judging)


def test_an_agent_without_a_model_has_no_network(place: Place, tmp_path: Path):
    """Protects answers from being fetched: with `model = "none"` nothing is reached, on this machine or away."""
    found = reached(place, tmp_path)
    assert "reached" not in " ".join(found.values())
    assert {found["tcp"], found["abstract"]} == {"ConnectionRefusedError"}
    assert found["away"] == "OSError" and found["name"] == "gaierror"


def test_an_agent_with_a_model_keeps_the_network(place: Place, tmp_path: Path):
    """Protects agents that ask a model: with the network they reach what they reached, and the rest is hidden still."""
    found = reached(place, tmp_path, network=True)
    assert found["tcp"] == "'reached'"
    hidden = place.answers({"holdout": READS["the holdout by its path"].format(**paths(place))}, network=True)
    assert hidden == {"holdout": "FileNotFoundError"}


LINGERS = """
import time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir('/')
        for stream in (0, 1, 2): os.dup2(os.open(os.devnull, os.O_RDWR), stream)
        os.execve(sys.executable, [sys.executable, '-c', 'import time; time.sleep({seconds})'], {environment})
    os._exit(0)
os.wait() and 'left'
"""


@pytest.mark.parametrize("environment", ["dict(os.environ)", "{}"], ids=["marked", "with nothing of ours"])
def test_a_process_that_is_left_running_ends_with_the_agent(place: Place, environment: str):
    """Protects the judging and the user: forked twice, in a session of its own, it is gone."""
    seconds = f"83.{os.getpid()}{len(environment)}"
    found = place.answers({"left": LINGERS.format(seconds=seconds, environment=environment)})
    assert found == {"left": "'left'"}
    assert gone(f"time.sleep({seconds})")


def gone(mark: str) -> bool:
    """Return whether no process with *mark* in its command is there, after a moment."""
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline:
        if not any(mark in _command(entry) for entry in Path("/proc").iterdir() if entry.name.isdecimal()):
            return True
        time.sleep(0.02)
    return False


def _command(entry: Path) -> str:
    try:
        return (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def test_documents_that_are_asked_again_can_be_read_and_not_written(place: Place):
    """Protects asking again: the copies are there though they lie in a hidden folder, and nobody can alter them."""
    again = place.checkout.parent / AGAIN
    again.mkdir()
    (again / "x.txt").write_text("a document")
    try:
        found = place.answers({
            "read": f"open({str(again / 'x.txt')!r}).read()", "write": f"open({str(again / 'x.txt')!r}, 'w')",
        })  # fmt: skip
    finally:
        (again / "x.txt").unlink()
        again.rmdir()
    assert found == {"read": "'a document'", "write": "OSError"}


def test_what_the_settings_hide_is_hidden(place: Place, tmp_path: Path):
    """Protects right answers that lie elsewhere: a file of corrections by its path, a folder of the repository."""
    (tmp_path / "corrections.csv").write_text("right")
    seeing = {"file": f"open({str(tmp_path / 'corrections.csv')!r}).read()",
              "folder": f"os.listdir({str(place.repository / 'harness')!r})"}  # fmt: skip
    assert place.answers(seeing) == {"file": "'right'", "folder": "['words.json']"}
    hidden = place.answers(seeing, hidden=(str(tmp_path / "corrections.csv"), "harness"))
    assert hidden == {"file": "PermissionError", "folder": "[]"}


def test_documents_beside_the_suites_are_there(place: Place):
    """Protects repositories that keep documents in the folder of their suites: those of the cases are there, alone."""
    folders = [place.repository / "evals", place.checkout / "evals"]
    for folder in folders:
        (folder / "mails").mkdir()
        (folder / "mails" / "1.txt").write_text("mail")
        (folder / "beside.txt").write_text("beside")
        (folder / "answers.txt").write_text("right")
    looking = (
        "[sorted(os.listdir(p)) for p in ({root!r} + '/evals', {root!r} + '/evals/mails', 'evals', 'evals/mails')]"
    )
    code = looking.format(root=str(place.repository))
    try:
        found = place.answers(
            {"look": code}, documents=["evals/mails/1.txt", "evals/beside.txt", "../evals/answers.txt"]
        )
    finally:
        for folder in folders:
            shutil.rmtree(folder / "mails")
            (folder / "beside.txt").unlink()
            (folder / "answers.txt").unlink()
    seen = str([["beside.txt", "mails"], ["1.txt"]] * 2)
    assert found == {"look": seen}


def test_without_a_sandbox_what_is_left_to_hold_holds(bare: Place, monkeypatch: pytest.MonkeyPatch):
    """Protects machines without bubblewrap: no secret in the environment, nothing left running, and it is told."""
    monkeypatch.setenv("NAOSHI_DATABASE_URL", "sqlite:///SECRET")
    seconds = f"84.{os.getpid()}"
    found = bare.answers(
        {
            "environment": READS["its own environment"],
            "left": LINGERS.format(seconds=seconds, environment="dict(os.environ)"),
            "left bare": LINGERS.format(seconds=f"{seconds}1", environment="{}"),
            "holdout": READS["the holdout by its path"].format(**paths(bare)),
        },
        sandbox="off",
    )
    assert (found["environment"], found["left"]) == ("[]", "'left'")
    assert gone(f"time.sleep({seconds})") and gone(f"time.sleep({seconds}1)")
    # It is told in the certificate, since this is what only a sandbox keeps.
    assert SECRET in found["holdout"]


def test_it_is_told_where_an_agent_was_judged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Protects the reviewer: the words of the certificate say whether there was a sandbox, and why not."""
    git = shutil.which("git")
    assert git is not None
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "git").symlink_to(git)
    monkeypatch.setenv("PATH", str(tmp_path / "programs"))

    def told(mode: SandboxMode) -> str:
        return JudgingPlace.find(mode, hidden=(), kept=(), network=False).told()

    assert told("off") == "without a sandbox: `sandbox` under [repair.judging] is off"
    assert told("auto") == "without a sandbox: bubblewrap is not installed"
    with pytest.raises(MissingSandboxError, match="bubblewrap is not installed"):
        told("require")
