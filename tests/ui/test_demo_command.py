"""`naoshi demo` as a person starts it, on a handful of receipts."""

import io
import json
from pathlib import Path

import pytest

from naoshi.demo.generator.write_receipts import write_receipts
from naoshi.ui.cli.main import run


@pytest.fixture(scope="session")
def few_receipts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("few") / "receipts"
    write_receipts(folder, count=36, seed=3)
    return folder


@pytest.fixture
def words(few_receipts: Path, tmp_path: Path) -> list[str]:
    """The words that start a short demo in a workspace of its own."""
    return ["demo", "--documents", str(few_receipts), "--cycles", "1", "--workspace", str(tmp_path / "demo")]


def test_the_document_the_rows_and_the_report(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--json gives one document on stdout, with a row for each cycle; rows and progress go to stderr, as lines."""
    assert run([*words, "--json"]) == 0
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert [row["cycle"] for row in document["cycles"]] == [0, 1]
    assert document["cycles"][0]["holdout"]["documents"] == 12
    assert set(document["cycles"][0]["holdout"]) >= {"documents", "at_least_75", "at_least_90", "all", "by_field"}
    assert document["regressions_shipped"] == 0
    for path in document["artifacts"].values():
        assert Path(path).exists()
    assert "<svg" in (tmp_path / "demo" / "report.html").read_text(encoding="utf-8")
    assert "cycle 1: 24 new documents" in printed.err
    assert "report.html" in printed.err
    assert "\x1b" not in printed.err
    _check_the_count_of_cases(tmp_path / "demo" / "agent", capsys)


def _check_the_count_of_cases(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What passes is told as a part of what ran, which is more than the cases that corrections made."""
    assert run(["status", "-C", str(folder), "--json"]) == 0
    status = json.loads(capsys.readouterr().out)
    assert status["run_cases"] > status["cases"]
    assert status["run_cases"] >= status["passing"]
    assert run(["status", "-C", str(folder)]) == 0
    told = f"{status['passing']} of {status['run_cases']} passing in the last run, which has what people left as it was"
    assert told in capsys.readouterr().out


def test_the_loop_beside_the_one_that_believes_everything(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """--compare shows both, in the language that was asked for, and the second asks nobody."""
    assert run([*words, "--compare", "--language", "ja"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("v0") >= 2
    assert "トリアージなし" in shown
    assert "リリース" in shown
    report = (tmp_path / "demo" / "report.html").read_text(encoding="utf-8")
    assert 'lang="ja"' in report


def test_a_person_answers_in_the_ways_that_people_type(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """--interactive takes ASCII, full-width and circled digits; at the end of the input questions stay open."""
    monkeypatch.setattr("sys.stdin", io.StringIO("１\n①\n1\n" * 4))
    assert run([*words, "--interactive"]) == 0
    shown = capsys.readouterr().out
    assert "Number: " in shown
    assert "stays open" in shown


def test_a_folder_that_no_demo_made_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A workspace is made anew only where a demo made it."""
    (tmp_path / "mine.txt").write_text("mine")
    assert run(["demo", "--workspace", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith("naoshi: input-invalid: ")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("option", ["--documents", "--holdout"])
def test_documents_that_are_not_there(option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The folder is named, and no workspace is made."""
    assert run(["demo", option, str(tmp_path / "none"), "--workspace", str(tmp_path / "demo")]) == 2
    line = capsys.readouterr().err
    assert line.startswith("naoshi: path-missing: ") or line.startswith("naoshi: input-invalid: ")
    assert "none" in line
    assert not (tmp_path / "demo").exists()
