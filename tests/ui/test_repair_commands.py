"""`naoshi repair` and `naoshi attempts`: what they show, what they keep, and what they leave alone."""

import sys
from pathlib import Path

from naoshi.app.build import open_loop
from naoshi.store.nouns import NOUNS
from tests.ui.command_line import CommandLine

HELPLESS = [sys.executable, "-c", "raise SystemExit('no idea')"]
RUNS = [sys.executable, "-c", "import pathlib; pathlib.Path('started').write_text('')"]


def kept(line: CommandLine) -> dict[str, int]:
    """How many records of each noun there are, and entries of the ledger."""
    with open_loop(line.folder) as loop:
        counts = {noun.name: getattr(loop.store, noun.name).count() for noun in NOUNS}
        return {**counts, "ledger": len(loop.store.ledger.entries())}


def files(line: CommandLine) -> dict[str, float]:
    """Every file of the shop and when it was written; the database's own side files are left out."""
    found = (path for path in line.folder.rglob("*") if path.is_file() and ".git/" not in str(path))
    return {str(path): path.stat().st_mtime for path in found if not path.name.startswith("naoshi.db-")}


def test_a_dry_run_shows_all_and_writes_nothing(triaged: CommandLine) -> None:
    """Handoff, task, command and branch are shown; no record, file, branch or process comes of it."""
    triaged.configure(repair={"command": RUNS})
    records, before, branches = kept(triaged), files(triaged), triaged.git("for-each-ref")
    done = triaged("repair", "--dry-run")
    assert done.status == 0
    for part in (
        "── codex_handoff.md",
        "── task.md",
        "pathlib",
        "naoshi/change/<named by its content>, one commit on main",
    ):
        assert part in done.out, part
    assert kept(triaged) == records
    assert files(triaged) == before
    assert triaged.git("for-each-ref") == branches and triaged.worktrees() == []
    document = triaged("repair", "--dry-run", "--json").document
    assert document["command"] == RUNS and document["base_commit"] == triaged.git("rev-parse", "main")


def test_a_dry_run_asks_no_model(triaged: CommandLine) -> None:
    """An engine that is a model is not asked, so that looking costs nothing; the person is told."""
    triaged.configure(repair={"engine": "halo"})
    done = triaged("repair", "--dry-run")
    assert done.status == 0
    assert "the engine halo is not asked now" in done.err


def test_all_attempts_are_shown_and_a_group_can_be_tried_again(triaged: CommandLine) -> None:
    """What no attempt mended is named in status, signals and attempts; repair refuses it until a person says so."""
    triaged.configure(repair={"command": HELPLESS, "attempts": 2})
    failed = triaged("repair")
    assert failed.status == 1 and "the groups need a person now: naoshi attempts" in failed.out
    shown = triaged("attempts")
    assert shown.out.count("no change, not certified: the coding agent failed: it ended with status 1: no idea") == 2
    (left,) = triaged("attempts", "--json").document["needs_person"]
    for command in ("status", "signals"):
        assert "needs a person" in triaged(command).out
    assert triaged("evals", "report").status == 0
    page = (triaged.folder / ".naoshi" / "reports" / "evals.html").read_text()
    assert "What needs a person" in page and left["group_id"] in page and "6 cases, after 2 attempts" in page
    refused = triaged("repair")
    assert (refused.status, refused.code) == (1, "refused")
    assert triaged("repair", "--dry-run").code == "refused"

    assert triaged("attempts", "--again", "nothing").code == "not-found"
    assert triaged("attempts", "--again", left["group_id"], "--by", "hana").status == 0
    mender = Path(__file__).parents[1] / "flow" / "mail_agent" / "mend.py"
    triaged.configure(repair={"command": [sys.executable, str(mender)]})
    assert triaged("repair").status == 0
    assert "needs a person" not in triaged("status").out + triaged("attempts").out.partition("\n")[2]
    repairs = triaged("attempts", "--json").document["repairs"]
    assert [len(item["attempts"]) for item in repairs] == [2, 1]
    assert "taken_up" in triaged("ledger").out


def test_two_at_once_do_not_share_a_repository(triaged: CommandLine) -> None:
    """A repair while another process is at it would take its branches for leftovers; it says so instead."""
    from naoshi.flow.alone import alone

    with alone(triaged.folder / ".naoshi" / "cycle.lock"):
        done = triaged("repair")
    assert (done.status, done.code) == (2, "store-failed")
    assert "another `naoshi` runs a cycle or a repair" in done.err
