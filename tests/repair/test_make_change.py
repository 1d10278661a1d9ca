"""What a coding agent gets, what is taken from it, and why an attempt may give nothing."""

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from naoshi.records import content_id
from naoshi.repair.coding_agents.command import CommandAgent
from naoshi.repair.make_change import make_change
from naoshi.repair.settings import RepairSettings
from naoshi.repair.workspace import clear_leftovers
from tests.repair.receipts_repository import HONEST, NOW, ReceiptsRepository


def test_an_honest_change_becomes_one_commit_on_a_branch_of_its_own(repository: ReceiptsRepository):
    """Protects the way of a change: one commit on the base, only the harness in it, the user's tree untouched."""
    outcome = repository.change_by(HONEST)
    assert outcome.reasons == ()
    change = outcome.change
    assert change is not None
    assert change.files == ("harness/labels.json",)
    assert "AMOUNT DUE" in change.diff
    assert repository.git("rev-parse", f"{change.branch}^") == repository.base.commit
    assert repository.git("rev-parse", "HEAD") == repository.base.commit
    assert repository.git.changed() == ()
    assert change.change_id == content_id("change", change.handoff_id, change.base_commit, change.tree)


def test_the_same_change_twice_is_one_branch(repository: ReceiptsRepository):
    """Protects a step that is run again after a crash: the same record, no second branch."""
    first, second = repository.change_by(HONEST), repository.change_by(HONEST)
    assert first.change == second.change
    assert len(repository.git("branch", "--list", "naoshi/change/*").splitlines()) == 1


def test_the_agents_own_commits_count_by_their_tree_alone(repository: ReceiptsRepository):
    """Protects the history: whatever the coding agent commits, branches or rewrites, we take what it left."""
    committing = (
        HONEST
        + """
import subprocess
git = ["git", "-c", "user.name=x", "-c", "user.email=x@x"]
subprocess.run([*git, "checkout", "-q", "-b", "mine"], check=True)
subprocess.run([*git, "commit", "-q", "-a", "-m", "one"], check=True)
pathlib.Path("harness/note.txt").write_text("labels of totals\\n")
"""
    )
    change = repository.change_by(committing).change
    assert change is not None
    assert change.files == ("harness/labels.json", "harness/note.txt")
    assert repository.git("rev-list", "--count", f"{repository.base.commit}..{change.branch}") == "1"
    assert "mine" not in repository.git("branch", "--list")


def test_the_agent_gets_handoff_task_traces_and_cited_documents_and_nothing_else(repository: ReceiptsRepository):
    """Protects the hidden cases: no validate suite, no history, no document that is not cited, no secret."""
    looking = (
        HONEST
        + """
import os, subprocess
root = pathlib.Path(os.environ["NAOSHI_DATA_ROOT"])
seen = {
    "files": sorted(str(p) for p in pathlib.Path(".").rglob("*") if p.is_file() and ".git" not in p.parts),
    "documents": sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file()),
    "environment": sorted(os.environ),
    "commits": subprocess.run(["git", "rev-list", "--all", "--count"], capture_output=True, text=True).stdout.strip(),
    "home": sorted(os.listdir(os.environ["HOME"])),
}
print(json.dumps(seen))
"""
    )
    os.environ["NAOSHI_DATABASE_URL"] = os.environ["SOME_API_KEY"] = "a-secret"
    try:
        outcome = repository.change_by(looking, environment={"CHOSEN": "1"})
    finally:
        del os.environ["NAOSHI_DATABASE_URL"], os.environ["SOME_API_KEY"]
    assert outcome.change is not None, outcome.reasons
    assert ".naoshi/traces/trace_003.jsonl" in outcome.log and "codex_handoff.md" in outcome.log
    assert "evals/diagnose.yaml" in outcome.log and "validate.yaml" not in outcome.log
    assert "box/003.csv" in outcome.log and "box/001.csv" in outcome.log
    assert not any(name in outcome.log for name in ("box/002", "box/005", "box/006"))
    assert "CHOSEN" in outcome.log
    assert not any(name in outcome.log for name in ("NAOSHI_DATABASE_URL", "SOME_API_KEY"))
    assert '"commits": "1"' in outcome.log and '"home": []' in outcome.log
    assert outcome.change.files == ("harness/labels.json",)


@pytest.mark.parametrize(
    ("script", "settings", "told"),
    [
        ("raise SystemExit('no idea')", {}, "ended with status 1: no idea"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", {}, "ended by signal 9"),
        ("import time; time.sleep(60)", {"timeout": 0.3}, "did not end within 0.3 seconds"),
        ("while True: print('x' * 9999)", {"output_limit": 100_000}, "printed more than 100000 bytes"),
        ("pass", {}, "changed nothing"),
        ("open('harness/big.txt', 'w').write('x' * 9999)", {"change_limit": 5000}, "more than the 5000"),
    ],
    ids=["crash", "killed", "timeout", "flood", "empty diff", "too big"],
)
def test_what_gives_no_change_gives_a_reason(repository: ReceiptsRepository, script: str, settings: dict[str, object],
                                             told: str):  # fmt: skip
    """Protects the person who asks why: each way to fail has words of its own, and nothing is left behind."""
    outcome = repository.change_by(script, **settings)
    assert outcome.change is None
    assert told in outcome.failures[0]
    assert list(repository.worktrees.iterdir()) == []
    assert repository.git("branch", "--list", "naoshi/*") == ""


def test_a_missing_program_is_final(repository: ReceiptsRepository):
    """Protects against three attempts that cannot work: a person has to install it first."""
    outcome = make_change(
        repository.git,
        repository.handoff(),
        base=repository.base,
        agent=CommandAgent(command="no-such-program --really"),
        evidence=repository.evidence(),
        settings=RepairSettings(),
        worktrees=repository.worktrees,
        now=NOW,
    )
    assert outcome.final and "program-missing" in outcome.failures[0]


@pytest.mark.skipif(sys.platform != "linux", reason="left processes are found through /proc")
@pytest.mark.parametrize("escape", ["", "start_new_session=True, ", "start_new_session=True, env={}, "])
def test_a_background_process_is_ended_and_refuses_the_change(repository: ReceiptsRepository, escape: str):
    """Protects judging: nothing that the coding agent started lives on, in its group or out of it."""
    script = (
        HONEST
        + f"""
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"], {escape}
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print("child", child.pid)
"""
    )
    outcome = repository.change_by(script)
    assert outcome.change is None
    assert "processes running in the background" in outcome.failures[0]
    pid = int(outcome.log.split("child ")[1].split()[0])
    deadline = time.monotonic() + 5
    while Path(f"/proc/{pid}/cwd").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path(f"/proc/{pid}/cwd").exists()


def test_what_a_killed_repair_left_is_removed_by_the_next(repository: ReceiptsRepository):
    """Protects the disk and the next attempt: a folder whose owner is gone goes, one whose owner works stays."""
    dead, living = repository.worktrees / "handoff_dead", repository.worktrees / "handoff_living"
    for folder in (dead, living):
        (folder / "checkout").mkdir(parents=True)
    started = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()[19].decode()
    (dead / "owner.json").write_text('{"process": 999999999, "started": "1"}')
    (living / "owner.json").write_text(f'{{"process": {os.getpid()}, "started": "{started}"}}')
    assert clear_leftovers(repository.worktrees) == ("handoff_dead",)
    assert living.is_dir() and not dead.exists()


def test_a_folder_that_may_not_be_entered_is_removed_all_the_same(repository: ReceiptsRepository):
    """Protects cleaning up against a coding agent that takes rights away."""
    script = (
        HONEST
        + """
import os
os.makedirs("harness/locked/inner"); os.chmod("harness/locked", 0)
"""
    )
    repository.change_by(script)
    assert list(repository.worktrees.iterdir()) == []


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("os.rename('../checkout', '../gone'); os.symlink({target!r}, '../checkout')", "in place of its checkout"),
        ("os.rename('../checkout', '../gone'); os.mkdir('../checkout')", "in place of its checkout"),
        ("os.remove('harness/labels.json'); os.mkfifo('harness/labels.json')", ""),
        ("open(b'harness/\\xff.json', 'w').write('x')", "cannot be seen or read"),
        ("os.remove('.git/config')", "the repository of the checkout was replaced"),
        ("os.remove('.git/config'); os.mkfifo('.git/config')", "the repository of the checkout was replaced"),
        ("subprocess.run(['rm', '-rf', '.git'])", "the repository of the checkout was replaced"),
    ],
    ids=["link", "other folder", "pipe", "odd bytes", "no config", "a pipe in git", "no repository"],
)
def test_a_checkout_that_was_torn_apart_harms_nothing_outside(repository: ReceiptsRepository, script: str, told: str):
    """Protects the user's files from our own cleaning up: what is not our folder any more is never touched."""
    precious = repository.data_root / ".naoshi" / "precious"
    precious.parent.mkdir()
    precious.write_text("keep")
    target = str(repository.data_root)
    outcome = repository.change_by("import os, subprocess\n" + script.format(target=target))
    assert outcome.change is None or outcome.change.files == ("harness/labels.json",)
    assert told in " ".join(outcome.reasons)
    assert precious.read_text() == "keep" and repository.git.changed() == ()
    assert list(repository.worktrees.iterdir()) == []


def test_names_that_are_not_utf_8_do_not_hinder_a_repair(repository: ReceiptsRepository):
    """Protects old repositories: a file whose name is in another encoding stays as it is."""
    name = os.fsencode(repository.git.folder) + b"/notes-\x83e.txt"
    with open(name, "w") as stream:
        stream.write("old")
    repository.git.commit("old notes", paths=["."], when=NOW)
    base = replace(repository.base, commit=repository.git.commit_of("main"))
    outcome = replace(repository, base=base).change_by(HONEST)
    assert outcome.change is not None, outcome.reasons
    assert outcome.change.files == ("harness/labels.json",)
