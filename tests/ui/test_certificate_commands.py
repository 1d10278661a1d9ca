"""`naoshi certificate`: what was proven, and that it is seen when it no longer is."""

import re
import shutil
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from naoshi.app.build import open_loop
from naoshi.records import Certificate
from naoshi.ui.cli.certificate_words import WORDS, check_title, problem_told
from naoshi.ui.cli.main import run
from tests.ui.command_line import CommandLine, copy_shop


@pytest.fixture(scope="module")
def repaired_shop(tmp_path_factory: pytest.TempPathFactory, triaged_shop: Path) -> Path:
    folder = copy_shop(triaged_shop, tmp_path_factory.mktemp("repaired") / "shop")
    assert run(["repair", "-C", str(folder)]) == 0
    return folder


@pytest.fixture
def repaired(repaired_shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """A change was made and certified."""
    return CommandLine(folder=copy_shop(repaired_shop, tmp_path / "shop"), capsys=capsys)


def the_certificate(line: CommandLine) -> Certificate:
    (found,) = line("certificate", "list", "--json").document["certificates"]
    return Certificate.model_validate(found)


def alter(line: CommandLine, statement: str, *values: str) -> None:
    """Change the database behind Naoshi's back."""
    with closing(sqlite3.connect(line.folder / ".naoshi" / "naoshi.db")) as database, database:
        assert database.execute(statement, values).rowcount > 0


def test_there_is_nothing_to_list_at_first(triaged: CommandLine) -> None:
    """Before any repair the list is empty and says how to get one; to verify one is an error with the same hint."""
    done = triaged("certificate", "list")
    assert (done.status, "naoshi repair" in done.out) == (0, True)
    assert triaged("certificate", "list", "--json").document == {"certificates": []}
    for act in ("show", "verify"):
        done = triaged("certificate", act)
        assert (done.status, done.code, "naoshi repair" in done.err) == (2, "not-found", True)


def test_a_certificate_is_listed_and_shown_with_every_check(repaired: CommandLine) -> None:
    """A reviewer sees the change, each check in words with what was seen, and the one command to prove it again."""
    found = the_certificate(repaired)
    assert found.granted and found.mended
    assert found.certificate_id in repaired("certificate", "list").out
    shown = repaired("certificate", "show", found.certificate_id[:16])
    assert shown.status == 0
    for text in (found.digest, "harness/labels.json", "the target cases failed before",
                 f"naoshi certificate verify {found.certificate_id} --rerun", *found.mended[:2]):  # fmt: skip
        assert text in shown.out
    document = repaired("certificate", "show", found.change_id, "--json").document
    assert document["certificate"]["certificate_id"] == found.certificate_id
    assert document["change"]["change_id"] == found.change_id


def test_verifying_what_was_certified(repaired: CommandLine) -> None:
    """The record, the commit and both runs are as they were: exit status 0, nothing is run."""
    done = repaired("certificate", "verify", "--json")
    assert (done.status, done.document["holds"], done.document["problems"]) == (0, True, [])
    assert done.document["rerun"] is None
    assert "the record holds" in done.err


def test_one_command_proves_it_again(repaired: CommandLine) -> None:
    """With --rerun the change is judged again: each check is told then and now, and nothing is kept or left over."""
    found = the_certificate(repaired)
    ledger = repaired("ledger", "--json").document
    done = repaired("certificate", "verify", found.certificate_id, "--rerun", "--json")
    assert done.status == 0, done.err
    again = done.document["rerun"]
    assert (again["granted"], again["other"], again["missing"], again["holdout"]) == (True, [], [], None)
    names = {check.name for check in found.checks} - {"runs_pinned"} | {"scan_clean", "protected_same"}
    assert {check["name"] for check in again["checks"]} == names
    assert all(check["then"] is True and check["now"] is True for check in again["checks"])
    assert "the same holds" in done.err
    assert the_certificate(repaired) == found
    assert repaired("ledger", "--json").document == ledger
    assert repaired.worktrees() == []
    assert repaired.git("status", "--porcelain") == ""


def test_the_holdout_is_asked_again_only_when_told(repaired: CommandLine) -> None:
    """Asking it is entered and counted, and only figures are told; without a re-run there is nothing to ask."""
    assert (repaired("certificate", "verify", "--holdout").status, repaired.worktrees()) == (2, [])
    before = len(repaired("ledger", "--json").document["entries"])
    done = repaired("certificate", "verify", "--rerun", "--holdout", "--json")
    assert done.status == 0, done.err
    holdout = done.document["rerun"]["holdout"]
    assert holdout["cases"] > 0 and holdout["passed_now"] == holdout["passed_then"]
    (entry,) = repaired("ledger", "--json").document["entries"][before:]
    assert (entry["kind"], entry["payload"]["counted"]) == ("holdout", True)


def test_the_present_settings_and_suites_have_no_say(repaired: CommandLine) -> None:
    """Whatever a user has done to naoshi.toml and the suites since, the base commit's are judged by."""
    repaired.configure(agent={"command": ["no-such-agent"]})
    suite = repaired.folder / "evals" / "diagnose.yaml"
    suite.write_text(suite.read_text().replace("threshold: 0.7", "threshold: 0.1"))
    done = repaired("certificate", "verify", "--rerun", "--json")
    assert (done.status, done.document["rerun"]["missing"]) == (0, []), done.err


def test_an_agent_that_answers_otherwise_now_is_told_check_by_check(repaired: CommandLine) -> None:
    """Where the world has changed since, the checks that no longer hold are named, and the exit status is 1."""
    found = the_certificate(repaired)
    for mail in sorted((repaired.folder / "mails").iterdir()):
        mail.write_text(mail.read_text().replace("Your reference:", "Reference of yours:"))
    done = repaired("certificate", "verify", "--rerun", "--json")
    assert done.status == 1
    checks = {check["name"]: check for check in done.document["rerun"]["checks"]}
    assert (checks["targets_mended"]["then"], checks["targets_mended"]["now"]) == (True, False)
    assert set(done.document["rerun"]["other"]) >= set(found.mended)
    assert "NOT THE SAME: a target case passes now" in done.err


def test_a_case_that_is_gone_cannot_be_compared(repaired: CommandLine) -> None:
    """Exit status 4: what nobody has any more as it was is named, and not taken for fine."""
    found = the_certificate(repaired)
    alter(repaired, "DELETE FROM corrections")
    shutil.rmtree(repaired.folder / ".naoshi" / "evals")
    alter(repaired, "DELETE FROM cases")
    done = repaired("certificate", "verify", "--rerun", "--json")
    assert (done.status, done.document["holds"]) == (4, False), done.err
    assert done.document["rerun"]["missing"]
    assert not set(done.document["rerun"]["missing"]) & set(found.mended)
    assert "CANNOT BE COMPARED" in done.err


@pytest.mark.parametrize(
    ("noun", "old", "new", "told"),
    [
        ("certificates", '"worse":[]', '"worse":["case_x"]', "the certificate was altered after it was made"),
        ("runs", '"state":"fail"', '"state":"pass"', "is not the one that was certified"),
        ("changes", '"diff":"diff', '"diff":"other', "another diff than is on record"),
        ("changes", '"commit":"', '"commit_":"', ""),
    ],
    ids=["the certificate", "a run", "the change", "an unreadable change"],
)
def test_an_altered_record_is_seen(repaired: CommandLine, noun: str, old: str, new: str, told: str) -> None:
    """What somebody wrote into the database is seen: exit status 1 with the reason, or one line that it is broken."""
    alter(repaired, f"UPDATE {noun} SET body = replace(body, ?, ?)", old, new)  # noqa: S608 - names from above
    done = repaired("certificate", "verify", "--json")
    if told:
        assert (done.status, done.document["holds"]) == (1, False)
        assert any(told in problem for problem in done.document["problems"]), done.document["problems"]
        assert "WRONG: " in done.err
    else:
        assert done.status == 2 and done.code


def test_a_refused_change_is_no_proof(triaged: CommandLine, tmp_path: Path) -> None:
    """A certificate that was refused is listed and shown with its reason; verifying it ends with status 1."""
    worse = tmp_path / "worse.py"
    worse.write_text("open('harness/labels.json', 'w').write('{}')\n")
    triaged.configure(repair={"command": [sys.executable, str(worse)], "attempts": 1})
    triaged("evals", "run")
    assert triaged("repair").status == 1
    assert not the_certificate(triaged).granted
    assert " NO " in triaged("certificate", "show").out
    done = triaged("certificate", "verify", "--rerun")
    assert (done.status, "refused" in done.out) == (1, True)


def test_a_name_that_stands_for_nothing(repaired: CommandLine) -> None:
    """One line with what to do, exit status 2; nothing is run."""
    for act in ("show", "verify"):
        done = repaired("certificate", act, "certificate_zz")
        assert (done.status, done.code, "naoshi certificate list" in done.err) == (2, "not-found", True)


def test_a_name_that_stands_for_two(repaired: CommandLine) -> None:
    """The beginning that two certificates share is refused; of one change it is the latest."""
    found = the_certificate(repaired)
    with open_loop(repaired.folder) as loop:
        for number, change_id in enumerate((found.change_id, "change_zz")):
            other = {"certificate_id": f"certificate_z{number}", "change_id": change_id, "made_at": loop.clock()}
            loop.store.certificates.add(found.model_copy(update=other))
    both = repaired("certificate", "show", "certificate_")
    assert (both.status, "stands for 3 certificates" in both.err) == (2, True)
    latest = repaired("certificate", "show", found.change_id, "--json").document["certificate"]
    assert latest["certificate_id"] == "certificate_z0"
    lost = repaired("certificate", "verify", "certificate_z1")
    assert (lost.status, "the change change_zz of the certificate is not in the store" in lost.err) == (2, True)


def test_what_a_certificate_stands_on_may_be_gone(repaired: CommandLine) -> None:
    """A run that is not in the store, or a commit that git does not have, is one line, and no verdict."""
    found = the_certificate(repaired)
    change = repaired("certificate", "show", "--json").document["change"]
    objects = repaired.folder / ".git" / "objects" / change["commit"][:2] / change["commit"][2:]
    kept = objects.read_bytes()
    objects.unlink()
    gone = repaired("certificate", "verify", "--rerun")
    assert (gone.status, gone.code, change["commit"][:12] in gone.err) == (2, "repository-unusable", True)
    objects.write_bytes(kept)
    alter(repaired, "DELETE FROM runs WHERE run_id = ?", found.before_run_id)
    lost = repaired("certificate", "verify", "--rerun")
    assert (lost.status, lost.code) == (2, "not-found")
    assert f"the run {found.before_run_id} before the change is not in the store" in lost.err


def test_it_is_told_in_japanese_too(repaired: CommandLine) -> None:
    """Each line of a re-run has its Japanese, by option or as the settings say."""
    done = repaired("certificate", "verify", "--rerun", "--language", "ja")
    assert done.status == 0
    for text in ("対象のケースは変更前に失敗していた", "記録は正しいままです", "同じ結果です", "はい"):
        assert text in done.out
    assert "発行" in repaired("certificate", "list", "--language", "ja").out
    assert "差分に禁じられたものがない" in done.out


def test_every_check_and_problem_has_its_words() -> None:
    """No name of a check is left untranslated, and the two languages say the same things."""
    assert set(WORDS["en"]) == set(WORDS["ja"])
    for name, text in WORDS["en"].items():
        assert set(re.findall(r"{(\w+)}", text)) == set(re.findall(r"{(\w+)}", WORDS["ja"][name])), name
    told = problem_told("the change touches protected paths: evals/x.yaml", "ja")
    assert told == "変更が保護されたパスに触れています: evals/x.yaml"
    assert check_title("of_the_future", "ja") == "of_the_future"
