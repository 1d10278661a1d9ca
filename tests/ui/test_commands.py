"""The commands at their ordinary work, on a shop of mails."""

import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from naoshi import __version__
from naoshi.ui.cli.main import run
from tests.ui.command_line import CommandLine

HONEST = Path(__file__).parents[1] / "flow" / "mail_agent" / "mend.py"


def coding_agent(tmp_path: Path, code: str) -> list[str]:
    """Return the command of a coding agent that runs *code* in the checkout."""
    program = tmp_path / "coding_agent.py"
    program.write_text(f"import os, pathlib, sys, time\n{code}\n")
    return [sys.executable, str(program)]


def review_question(line: CommandLine) -> str:
    return line("review", "--list", "--json").document["questions"][0]["conversation_id"]


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """`naoshi --version` says what a bug report needs."""
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"naoshi {__version__}\n"


def test_no_words_at_all_show_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    """Someone who types `naoshi` sees the commands, in the order in which they are used."""
    assert run([]) == 0
    shown = capsys.readouterr().out
    named = [line.split()[0] for line in shown.partition("Commands:\n")[2].splitlines()]
    assert named.index("init") < named.index("ingest") < named.index("evals") < named.index("repair")
    assert named[-1] == "demo"


def test_a_cycle_and_its_answers(triaged: CommandLine) -> None:
    """A cycle stops for the review, tells how to answer, and releases when somebody has approved."""
    first = triaged("cycle")
    assert (first.status, first.code) == (3, "waiting")
    assert "naoshi review" in first.err
    assert "naoshi review" in triaged("status").out
    assert triaged("review").status == 3
    approved = triaged("review", "--answer", review_question(triaged), "１", "--by", "ono")
    assert (approved.status, "ono approved" in approved.out) == (0, True)
    assert "naoshi release" in triaged("status").out
    second = triaged("cycle", "--json")
    assert (second.status, second.document["version"]) == (0, "v1")
    reviews = [entry for entry in triaged("ledger", "--json").document["entries"] if entry["kind"] == "review"]
    assert [entry["actor"] for entry in reviews] == ["ono"]


def test_a_rejected_change_ends_the_cycle_and_is_never_released(triaged: CommandLine) -> None:
    """A reviewer's no is the end of it: exit status 1, the branch where it was, and the reason named."""
    triaged("cycle")
    before = triaged.git("rev-parse", "main")
    assert triaged("review", "--answer", review_question(triaged), "2", "--by", "ono").status == 1
    done = triaged("cycle")
    assert done.status == 1
    assert "ono rejected the change" in done.out
    assert "was rejected by ono (branch naoshi/change/" in triaged("status").out
    refused = triaged("release")
    assert (refused.status, refused.code) == (1, "change-refused")
    assert triaged.git("rev-parse", "main") == before


def test_a_review_may_look_as_often_as_it_likes(triaged: CommandLine) -> None:
    """Asking to see more decides nothing, and the question stays answerable after it."""
    triaged("cycle")
    for choice in ("3", "4", "3", "3", "3", "4"):
        done = triaged("review", "--answer", review_question(triaged), choice, "--by", "ono")
        assert done.status == 3
    assert triaged("review", "--answer", review_question(triaged), "1", "--by", "ono").status == 0


def test_uncommitted_changes_stop_a_release_and_nothing_else(triaged: CommandLine) -> None:
    """What a person has in hand is never overwritten; once it is committed elsewhere, the release goes on."""
    assert triaged("repair").status == 0
    assert triaged("gate").status == 0
    triaged("review", "--answer", review_question(triaged), "1", "--by", "ono")
    mine = triaged.folder / "harness" / "labels.json"
    before, head = mine.read_text(), triaged.git("rev-parse", "main")
    mine.write_text("mine\n")
    done = triaged("release")
    assert (done.status, done.code) == (2, "repository-dirty")
    assert (mine.read_text(), triaged.git("rev-parse", "main")) == ("mine\n", head)
    assert triaged("rollback", "v0").status != 0
    assert mine.read_text() == "mine\n"
    mine.write_text(before)
    assert triaged("release").status == 0


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("sys.exit(3)", "status 3"),
        ("pass", "changed nothing"),
        ("print('x' * 10**7)", "printed more than"),
        ("time.sleep(60)", "did not end within"),
        ("pathlib.Path('evals/diagnose.yaml').write_text('tests: []')", "evals/diagnose.yaml"),
        ("pathlib.Path('naoshi.toml').write_text('')", "naoshi.toml"),
        ("pathlib.Path('agent.py').write_text('print(1)')", "agent.py"),
        ("pathlib.Path('harness/labels.json').write_text('{}')", ""),
    ],
    ids=["crash", "nothing", "flood", "hang", "evals", "settings", "agent", "worse"],
)
def test_a_coding_agent_that_does_not_do_its_part(code: str, told: str, triaged: CommandLine, tmp_path: Path) -> None:
    """The reasons are told, exit status 1, and suites, branch and work tree are as they were."""
    triaged.configure(repair={"command": coding_agent(tmp_path, code), "timeout": 1.5, "attempts": 1})
    triaged("evals", "run")
    head, suite = triaged.git("rev-parse", "main"), (triaged.folder / "evals" / "diagnose.yaml").read_text()
    done = triaged("repair")
    assert done.status == 1
    assert told in done.out
    assert triaged.git("rev-parse", "main") == head
    assert (triaged.folder / "evals" / "diagnose.yaml").read_text() == suite
    assert triaged.git("status", "--porcelain") == ""
    assert triaged.worktrees() == []
    assert triaged("review").code == "not-found"


def test_a_coding_agent_that_is_not_on_this_machine(triaged: CommandLine) -> None:
    """One try is enough to know: one line names the program, by hand and in a cycle, and nothing is spent."""
    triaged.configure(repair={"command": ["no-such-coder"]})
    triaged("evals", "run")
    for words in (["repair"], ["cycle"], ["cycle"]):
        done = triaged(*words)
        assert (done.status, done.code) == (2, "program-missing")
        assert "no-such-coder" in done.err
    assert triaged.worktrees() == []


def test_no_coding_agent_is_configured(triaged: CommandLine) -> None:
    """The place to write it is named, before anything is begun; a dry run works all the same."""
    triaged.configure(repair={"command": []})
    triaged("evals", "run")
    done = triaged("repair")
    assert (done.status, done.code) == (2, "config-invalid")
    assert "[repair]" in done.err
    shown = triaged("repair", "--dry-run")
    assert shown.status == 0
    for text in ("codex_handoff.md", "## Goal", "[repair]"):
        assert text in shown.out


def test_a_repair_needs_a_run_on_the_cases_as_they_are(triaged: CommandLine) -> None:
    """A suite that was edited since the last run is run again first; nothing is judged by old results."""
    suite = triaged.folder / "evals" / "diagnose.yaml"
    suite.write_text(suite.read_text() + "# a remark\n")
    assert triaged("diagnose").status == 0
    suite.write_text(suite.read_text().replace("threshold: 0.7", "threshold: 0.9"))
    for words in (["diagnose"], ["handoff"], ["repair"]):
        done = triaged(*words)
        assert (done.status, done.code) == (2, "not-found")
        assert "naoshi evals run" in done.err


def test_there_is_nothing_to_mend_when_every_case_passes(triaged: CommandLine) -> None:
    """A check that says no: exit status 1, and no coding agent is started."""
    triaged("cycle")
    triaged("review", "--answer", review_question(triaged), "1", "--by", "ono")
    triaged("cycle")
    for words in (["diagnose"], ["handoff"], ["repair"]):
        done = triaged(*words)
        assert (done.status, done.code) == (1, "refused")
    assert triaged("evals", "run", "--check").status == 0


def test_the_gate_s_exit_status_follows_the_verdict(triaged: CommandLine) -> None:
    """0 for a run that holds, 1 for one that is worse than the version in force."""
    triaged("cycle")
    triaged("review", "--answer", review_question(triaged), "1", "--by", "ono")
    triaged("cycle")
    good = triaged("evals", "run", "--json").document["run_id"]
    assert triaged("gate", "--run", good).status == 0
    bad = triaged("evals", "run", "--commit", "naoshi/v0", "--json").document["run_id"]
    done = triaged("gate", "--run", bad, "--json")
    assert (done.status, done.document["outcome"]) == (1, "regression")


def test_an_altered_ledger_is_found(triaged: CommandLine) -> None:
    """The first broken entry is named, exit status 1; entries that are missing at the end are found by their count."""
    count = triaged("ledger", "verify", "--json").document["entries"]
    short = triaged("ledger", "verify", "--at-least", str(count + 1))
    assert (short.status, short.code) == (1, "ledger-broken")
    with closing(sqlite3.connect(triaged.folder / ".naoshi" / "naoshi.db")) as database, database:
        for (trigger,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f'DROP TRIGGER "{trigger}"')
        database.execute("UPDATE ledger SET body = replace(body, '\"aki\"', '\"eve\"') WHERE sequence = 2")
    done = triaged("ledger", "verify")
    assert (done.status, done.code) == (1, "ledger-broken")
    assert "entry 2" in done.err


def test_one_correction_at_a_time(corrected: CommandLine) -> None:
    """A correction given by options is one, however often it is given, and is asked about."""
    trace = json.loads((corrected.folder.parent / "shop-traces.jsonl").read_text().splitlines()[0])["trace_id"]
    words = ["correct", "--trace", trace, "--artifact", "fields", "--field", "quantity", "--value", "77", "--by", "aoi"]
    first = corrected(*words, "--json").document
    assert (first["added"], first["corrections"][0]["practitioner"]) == (1, "aoi")
    assert corrected(*words, "--json").document["added"] == 0


def test_what_documents_say_cannot_steer_the_terminal(corrected: CommandLine) -> None:
    """Control characters in a reason are shown, not sent."""
    trace = json.loads((corrected.folder.parent / "shop-traces.jsonl").read_text().splitlines()[0])["trace_id"]
    where = ["--trace", trace, "--artifact", "fields", "--field", "quantity", "--value", "7\x1b[2J"]
    assert corrected("correct", *where, "--reason", "\x1b]0;title\x07", "--by", "a\x1b[31mb").status == 0
    for words in (["triage", "--list"], ["status"], ["signals"]):
        done = corrected(*words)
        assert done.status == 0
        assert "\x1b" not in done.out + done.err


def test_doctor_says_what_is_missing_and_how_to_get_it(triaged: CommandLine) -> None:
    """Exit status 1 as long as something needed is missing, with the remedy beside it."""
    assert triaged("doctor").status == 0
    triaged.configure(repair={"command": []})
    done = triaged("doctor", "--json")
    assert done.status == 1
    missing = [item for item in done.document["findings"] if item["state"] == "missing"]
    assert [item["subject"] for item in missing] == ["coding agent"]
    assert all(item["remedy"] for item in missing)
