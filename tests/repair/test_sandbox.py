"""What a coding agent can see and reach from inside the sandbox, tried out in the real one."""

import os
import socket
import sys
import time
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import pytest

from naoshi.errors import ConfigError, MissingProgramError, MissingSandboxError
from naoshi.repair.coding_agents.command import CommandAgent
from naoshi.repair.coding_agents.open_agent import open_coding_agent
from naoshi.repair.coding_agents.program_run import Limits
from naoshi.repair.sandbox import Sandbox, find_sandbox, require_named
from naoshi.repair.sandbox_doors import Endpoint
from naoshi.repair.settings import RepairSettings
from tests.peers.scripted_api.answers import say
from tests.peers.scripted_api.server import ScriptedApi
from tests.repair.receipts_repository import HONEST, ReceiptsRepository

LOOKING = (
    HONEST
    + """
import os, pathlib, socket, sys
def tried(act):
    try:
        return repr(act())
    except OSError as error:
        return type(error).__name__
"""
)


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    found, reason = find_sandbox("auto")
    if found is None:
        pytest.skip(f"{reason}; on Debian: apt-get install bubblewrap")
    return found


@pytest.fixture
def listener() -> Generator[socket.socket]:
    """A service on this machine that no sandboxed program has any business with."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def test_an_honest_change_is_made_inside(repository: ReceiptsRepository, sandbox: Sandbox):
    """Protects the ordinary case: the checkout can be written, git works, documents can be read, Python starts."""
    working = (
        HONEST
        + """
import os, subprocess
assert subprocess.run(["git", "status"], capture_output=True).returncode == 0
assert (pathlib.Path(os.environ["NAOSHI_DATA_ROOT"]) / "box/003.csv").read_text()
pathlib.Path(os.environ["TMPDIR"], "x").write_text("x"); pathlib.Path("/tmp/y").write_text("y")
pathlib.Path(os.environ["HOME"], "z").write_text("z")
"""
    )
    outcome = repository.change_by(working, sandbox=sandbox)
    assert outcome.change is not None, outcome.reasons
    assert outcome.change.files == ("harness/labels.json",)
    assert not Path("/tmp/y").exists()


def test_nothing_of_the_user_can_be_seen(repository: ReceiptsRepository, sandbox: Sandbox):
    """Protects the holdout, the database, other documents and keys: they are not there, whatever is tried."""
    state = repository.git.folder / ".naoshi"
    (state / "evals").mkdir(parents=True)
    secrets = [state / "naoshi.db", state / "evals" / "holdout.yaml", repository.data_root / "box/006.csv",
               repository.git.folder / "evals/validate.yaml", Path.home(), Path("/etc/shadow")]  # fmt: skip
    for path in secrets[:2]:
        path.write_text("hidden")
    script = LOOKING + (
        f"for path in {[str(path) for path in secrets]!r}:\n"
        "    print('see', path, tried(lambda: os.listdir(path) if os.path.isdir(path) else open(path).read(3)))\n"
        "print('processes', sum(name.isdecimal() for name in os.listdir('/proc')))\n"
        "print('owner', tried(lambda: os.listdir('..')), tried(lambda: open('../owner.json').read()))\n"
    )
    outcome = repository.change_by(script, sandbox=sandbox)
    seen = [line for line in outcome.log.splitlines() if line.startswith("see ")]
    assert len(seen) == len(secrets), outcome.log
    assert all(line.endswith("FileNotFoundError") or _is_bare(line) for line in seen), seen
    processes = next(line for line in outcome.log.splitlines() if line.startswith("processes"))
    assert int(processes.split()[1]) <= 3
    assert "owner" in outcome.log and "started" not in outcome.log


def _is_bare(line: str) -> bool:
    """The home folder may be there as the way to a place that is bound; nothing else of it is."""
    shown = line.rsplit("[", 1)[-1]
    return line.startswith(f"see {Path.home()} ") and not any(name in shown for name in (".ssh", ".gitconfig", ".bash"))


def test_nothing_outside_can_be_written_or_signalled(repository: ReceiptsRepository, sandbox: Sandbox):
    """Protects the machine: the system is read-only, the checkout cannot be swapped, no process of ours is there."""
    script = LOOKING + (
        "print('usr', tried(lambda: open('/usr/naoshi-was-here', 'w')))\n"
        "print('root', tried(lambda: open('/naoshi-was-here', 'w')))\n"
        "print('swap', tried(lambda: os.rename('../checkout', '../gone')))\n"
        f"print('kill', tried(lambda: os.kill({os.getpid()}, 0)))\n"
        "print('document', tried(lambda: open(os.environ['NAOSHI_DATA_ROOT'] + '/box/003.csv', 'w')))\n"
        "print('crashes', tried(lambda: open('/proc/sys/kernel/core_pattern', 'w')))\n"
        "print('keys', tried(lambda: open('/proc/sysrq-trigger', 'w')))\n"
    )
    outcome = repository.change_by(script, sandbox=sandbox)
    told = dict(line.split(" ", 1) for line in outcome.log.splitlines() if " " in line)
    wanted = {"usr", "root", "swap", "kill", "document", "crashes", "keys"}
    assert set(told) >= wanted, outcome.log
    assert all("Error" in told[name] for name in wanted), told
    assert outcome.change is not None


def test_the_network_is_the_models_endpoint_alone(
    repository: ReceiptsRepository, sandbox: Sandbox, listener: socket.socket
):
    """Protects what an agent has read from being sent away: its own model answers, nothing else does."""
    port = listener.getsockname()[1]
    with ScriptedApi([say("hello")]) as api:
        endpoint = Endpoint.of(api.url)
        script = LOOKING + (
            "import urllib.request, json as j\n"
            f"request = urllib.request.Request({api.url + '/v1/responses'!r}, j.dumps({{'model': 'm'}}).encode())\n"
            "print('model', urllib.request.urlopen(request).read().count(b'hello'))\n"
            f"print('here', tried(lambda: socket.create_connection(('127.0.0.1', {port}), 2)))\n"
            "print('away', tried(lambda: socket.create_connection(('192.0.2.1', 80), 2)))\n"
            "print('name', tried(lambda: socket.getaddrinfo('example.org', 80)))\n"
        )
        outcome = repository.change_by(script, sandbox=replace(sandbox, endpoints=(endpoint,)))
    assert outcome.change is not None, outcome.reasons
    assert "model 1" in outcome.log
    assert "here ConnectionRefusedError" in outcome.log
    assert "away OSError" in outcome.log and "name gaierror" in outcome.log


def test_an_endpoint_by_name_is_reached_at_its_own_port(repository: ReceiptsRepository, sandbox: Sandbox):
    """Protects TLS to real providers: the name stands for loopback inside, so that address and certificate fit."""
    with ScriptedApi([say("hello")]) as api:
        port = Endpoint.of(api.url).port
        endpoints = (Endpoint(host="localhost", port=port),)
        script = (
            LOOKING + f"print('name', tried(lambda: socket.create_connection(('localhost', {port}), 2).getpeername()))"
        )
        outcome = repository.change_by(script, sandbox=replace(sandbox, endpoints=endpoints))
    assert f"name ('127.0.0.1', {port})" in outcome.log


def test_a_background_process_ends_with_the_sandbox_and_refuses_the_change(
    repository: ReceiptsRepository, sandbox: Sandbox
):
    """Protects judging: what is left running is seen and gone, whatever it did to hide."""
    script = HONEST + (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(77)'], start_new_session=True, cwd='/',\n"
        "                 env={}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
    )
    outcome = repository.change_by(script, sandbox=sandbox)
    assert outcome.change is None
    assert "processes running in the background" in outcome.failures[0]
    assert not _sleepers("time.sleep(77)")


@pytest.mark.parametrize(
    ("script", "settings", "told"),
    [
        ("raise SystemExit('no idea')", {}, "ended with status 1: no idea"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", {}, "ended by signal 9"),
        ("import time; time.sleep(78)", {"timeout": 1.0}, "did not end within 1 seconds"),
        ("while True: print('x' * 9999)", {"output_limit": 100_000}, "printed more than 100000 bytes"),
    ],
    ids=["crash", "killed", "timeout", "flood"],
)
def test_failures_inside_are_told_as_outside(
    repository: ReceiptsRepository, sandbox: Sandbox, script: str, settings: dict[str, object], told: str
):
    """Protects the person who asks why: the sandbox hides no failure, and nothing runs on."""
    outcome = repository.change_by(script, sandbox=sandbox, **settings)
    assert outcome.change is None and told in outcome.failures[0]
    assert list(repository.worktrees.iterdir()) == []
    assert not _sleepers("time.sleep(78)")


def installed_program(place: Path, program: str) -> Path:
    """Make what a version manager leaves in *place*: a stand-in, itself, and an installation; return the stand-in."""
    installed = place / "versions" / "1.0" / "bin" / "mender"
    stand_in, manager = place / "shims" / "mender", place / "bin" / "pyenv"
    for path, text in (
        (installed, '#!/bin/sh\nexec "$(dirname "$0")/../share/python" "$@"\n'),
        (stand_in, f'#!/bin/sh\nexec "{manager}" exec mender "$@"\n'),
        (manager, f'#!/bin/sh\n[ "$1" = which ] && echo "{installed}"\n'),
    ):
        path.parent.mkdir(parents=True)
        path.write_text(text)
        path.chmod(0o755)
    share = installed.parents[1] / "share"
    share.mkdir()
    (share / "python").symlink_to(program)
    return stand_in


def test_a_program_of_a_version_manager_works_inside(repository: ReceiptsRepository, sandbox: Sandbox, tmp_path: Path):
    """Protects who has pyenv, asdf or mise: the name that they type stands for a program with files of its own."""
    stand_in = installed_program(tmp_path / "manager", sys.executable)
    agent = CommandAgent(
        command=[str(stand_in), "-c", HONEST], limits=Limits(timeout=60, output_limit=10**6), sandbox=sandbox
    )
    outcome = repository.change_of(agent)
    assert outcome.change is not None, (outcome.reasons, outcome.log)


def test_a_stand_in_whose_manager_is_gone_is_one_clear_error(
    repository: ReceiptsRepository, sandbox: Sandbox, tmp_path: Path
):
    """Protects from a status 127 out of the sandbox that nobody can make sense of."""
    stand_in = installed_program(tmp_path / "manager", sys.executable)
    (tmp_path / "manager/versions/1.0/bin/mender").unlink()
    agent = CommandAgent(command=[str(stand_in)], limits=Limits(timeout=60, output_limit=10**6), sandbox=sandbox)
    outcome = repository.change_of(agent)
    assert "stands in for a program" in outcome.failures[0]
    assert isinstance(outcome.error, MissingProgramError)
    assert outcome.error.advice == "give the full path of the program itself"


def test_what_lies_in_a_readable_place_is_hidden_all_the_same(repository: ReceiptsRepository, sandbox: Sandbox):
    """Protects against a generous setting: repository, state and documents are not shown though their parent is."""
    wide = replace(sandbox, readable=(repository.git.folder.parent,))
    looking = LOOKING + (
        f"print('repository', os.listdir({str(repository.git.folder)!r}))\n"
        f"print('documents', os.listdir({str(repository.data_root)!r}))\n"
    )
    outcome = repository.change_by(looking, sandbox=wide)
    assert "repository ['.naoshi']" in outcome.log
    assert "documents []" in outcome.log


def test_a_required_sandbox_that_is_not_there_is_one_clear_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Protects those who rely on it: `require` never runs an agent outside, `auto` says that it does."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingSandboxError, match="bubblewrap is not installed"):
        find_sandbox("require")
    told: list[str] = []
    settings = RepairSettings(command=sys.executable)
    open_coding_agent(settings, environment={}, report=told.append)
    assert told == [
        "the coding agent runs without a sandbox: bubblewrap is not installed; it can read what you can read"
    ]


def test_a_sandbox_that_does_not_work_is_told_with_its_own_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Protects machines that forbid user namespaces: seen once, before any agent is started."""
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    found, reason = find_sandbox("auto")
    assert found is None and "No permissions to create new namespace" in reason
    with pytest.raises(MissingSandboxError, match="No permissions"):
        find_sandbox("require")
    assert find_sandbox("off")[0] is None


@pytest.mark.parametrize("address", ["http://192.0.2.7:8000/v1", "http://[2001:db8::1]/v1"])
def test_a_bare_address_cannot_be_an_endpoint(address: str):
    """Protects against a model that can never be reached: said before the agent starts, with what to do."""
    with pytest.raises(ConfigError, match="bare address"):
        require_named([Endpoint.of(address)])


def _sleepers(mark: str) -> list[str]:
    deadline = time.monotonic() + 3
    found = [mark]
    while found and time.monotonic() < deadline:
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal() and int(entry.name) != os.getpid():
                try:
                    words = (entry / "cmdline").read_bytes().decode("utf-8", "replace")
                except OSError:
                    continue
                found += [entry.name] if mark in words and "HONEST" not in words else []
        time.sleep(0.02)
    return found


def test_a_door_at_a_low_port_gives_the_agent_no_rights(repository: ReceiptsRepository, sandbox: Sandbox):
    """Protects providers at port 443: the door opens, and what is started inside has no capability of any kind."""
    script = LOOKING + (
        "print('door', tried(lambda: socket.create_connection(('localhost', 443), 2).getpeername()))\n"
        "print('rights', [line.split()[1] for line in open('/proc/self/status') if line.startswith('Cap')][1:3])\n"
    )
    endpoints = (Endpoint.of("https://localhost/v1"),)
    outcome = repository.change_by(script, sandbox=replace(sandbox, endpoints=endpoints))
    assert "door ('127.0.0.1', 443)" in outcome.log
    assert f"rights ['{'0' * 16}', '{'0' * 16}']" in outcome.log
