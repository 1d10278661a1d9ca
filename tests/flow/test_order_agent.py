"""The real program, end to end, on an agent in another language: each stage as its own command, and all in one."""

from pathlib import Path
from typing import Any

import pytest

from tests.flow.order_shop import OrderShop, configure, git, naoshi, open_shop

pytestmark = pytest.mark.slow


@pytest.fixture
def shop(tmp_path: Path) -> OrderShop:
    """A shop that has been initialised for Naoshi and has done a day's work that people have not corrected yet."""
    opened = open_shop(tmp_path)
    assert naoshi(opened.folder, "init").status == 0
    configure(opened)
    return opened


def bring_in(shop: OrderShop) -> int:
    """Bring in traces and corrections through the commands; return how many corrections there are."""
    truths = shop.write_mails()
    git(shop.folder, "add", "--all")
    git(shop.folder, "commit", "--quiet", "-m", "mails")
    traces = shop.serve(sorted(truths))
    done = naoshi(shop.folder, "ingest", str(traces), "--json")
    assert (done.status, done.document["traces_added"], done.document["quarantined"]) == (0, len(truths), 0)
    done = naoshi(shop.folder, "correct", str(shop.corrections(traces, truths)), "--json")
    assert done.status == 0
    assert done.document["quarantined"] == []
    return done.document["added"]


def answer_all(shop: OrderShop, command: str, reply: str, *, by: str, expected: int = 0) -> int:
    """Answer every open question of *command* without a terminal; return how many there were."""
    questions = naoshi(shop.folder, command, "--list", "--json").document["questions"]
    for question in questions:
        done = naoshi(shop.folder, command, "--answer", question["conversation_id"], reply, "--by", by)
        assert done.status == expected, done
    return len(questions)


def ok(shop: OrderShop, *words: str) -> Any:
    done = naoshi(shop.folder, *words, "--json")
    assert done.status == 0, done
    return done.document


def test_each_stage_is_a_command_of_its_own(shop: OrderShop) -> None:
    """From `init` to a release and back again, one command at a time, by a person without a terminal."""
    corrections = bring_in(shop)
    assert ok(shop, "signals")["signals"], "the coded checks see the runs that gave nothing"
    waiting = naoshi(shop.folder, "triage")
    assert (waiting.status, waiting.line.split(": ")[1]) == (3, "waiting")
    assert ok(shop, "evals", "mint")["added"] == [], "nothing untriaged becomes a case"

    questions = answer_all(shop, "triage", "１", by="sato")
    assert 0 < questions < corrections, "alike corrections are asked about together"
    minted = ok(shop, "evals", "mint")
    assert len(minted["added"]) == corrections
    assert {case["split"] for case in minted["added"]} == {"diagnose", "validate", "holdout"}
    listed = ok(shop, "evals", "list")["suites"]
    assert sum(suite["count"] for suite in listed) == corrections

    run = ok(shop, "evals", "run")
    assert {result["state"] for result in run["results"]} == {"fail"}
    assert naoshi(shop.folder, "evals", "run", "--check").status == 1
    assert ok(shop, "diagnose")["recommendations"]

    handoff = ok(shop, "handoff")
    assert [Path(path).name for path in handoff["written"]] == ["codex_handoff.md", "task.md"]
    assert all((shop.folder / cited["path"]).is_file() for cited in handoff["handoff"]["traces"])
    assert ok(shop, "repair", "--dry-run")["command"] == ["node", str(shop.folder / "mend.mjs")]
    assert git(shop.folder, "for-each-ref", "refs/heads/naoshi") == "", "a dry run makes nothing"

    repaired = ok(shop, "repair")
    assert repaired["certificate"]["granted"]
    assert ok(shop, "gate")["outcome"] == "pass"

    early = naoshi(shop.folder, "release")
    assert (early.status, early.line.split(": ")[1]) == (2, "not-found"), "nothing goes out unreviewed"
    looked = ok(shop, "review", "--list")["questions"][0]["conversation_id"]
    more = naoshi(shop.folder, "review", "--answer", looked, "3", "--by", "ono", "--json")
    assert (more.status, len(more.document["questions"])) == (3, 1), "asking to see more decides nothing"
    assert answer_all(shop, "review", "1", by="ono") == 1

    released = ok(shop, "release")
    assert (released["version"], released["baseline_moved"]) == ("v1", True)
    assert git(shop.folder, "rev-parse", "naoshi/v1") == git(shop.folder, "rev-parse", "main")
    assert "PO number:" in (shop.folder / "harness" / "labels.json").read_text(encoding="utf-8")
    again = naoshi(shop.folder, "release")
    assert (again.status, again.line.split(": ")[1]) == (1, "refused")

    status = ok(shop, "status")
    assert (status["version"], status["cases"], status["passing"], status["run_cases"], status["waiting"]) == (
        "v1",
        corrections,
        corrections,
        corrections,
        [],
    )
    assert ok(shop, "ledger", "verify")["holds"]

    best = naoshi(shop.folder, "rollback")
    assert (best.status, best.line.split(": ")[1]) == (1, "refused"), "the version in force is the best there is"
    assert ok(shop, "rollback", "v0", "--by", "ono")["version"]["restores"] == "v0"
    assert ok(shop, "rollback")["version"]["restores"] == "v1", "the best one comes back"
    assert "PO number:" in (shop.folder / "harness" / "labels.json").read_text(encoding="utf-8")
    ledger = ok(shop, "ledger")["entries"]
    assert [entry["kind"] for entry in ledger].count("rollback") == 2
    assert ok(shop, "ledger", "verify", "--at-least", str(len(ledger)))["entries"] == len(ledger)
    nothing_left_behind(shop)


def test_all_stages_in_one_command_with_answers_in_between(shop: OrderShop) -> None:
    """`naoshi cycle` stops where a person is needed, says so, and goes on from there when they have answered."""
    bring_in(shop)
    first = naoshi(shop.folder, "cycle", "--json")
    assert (first.status, first.document["state"], first.document["stage"]) == (3, "waiting", "triage")
    assert "naoshi triage" in first.line
    answer_all(shop, "triage", "1", by="sato")
    second = naoshi(shop.folder, "cycle", "--json")
    assert (second.status, second.document["stage"]) == (3, "review")
    assert "naoshi review" in second.line
    assert answer_all(shop, "review", "1", by="ono") == 1
    third = naoshi(shop.folder, "cycle", "--json")
    assert (third.status, third.document["state"], third.document["version"]) == (0, "released", "v1")
    assert first.document["cycle_id"] == second.document["cycle_id"] == third.document["cycle_id"]
    fourth = naoshi(shop.folder, "cycle", "--json")
    assert (fourth.status, fourth.document["state"]) == (0, "nothing_to_do")
    kinds = [entry["kind"] for entry in ok(shop, "ledger")["entries"]]
    assert (kinds.count("release"), kinds.count("review")) == (1, 1)
    nothing_left_behind(shop)


def nothing_left_behind(shop: OrderShop) -> None:
    assert len(git(shop.folder, "worktree", "list").splitlines()) == 1
    assert git(shop.folder, "status", "--porcelain", "--untracked-files=no") == ""
    worktrees = shop.folder / ".naoshi" / "worktrees"
    assert not worktrees.is_dir() or list(worktrees.iterdir()) == []
