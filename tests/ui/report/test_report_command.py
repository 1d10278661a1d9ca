"""`naoshi evals report`, on what a real loop has stored."""

from pathlib import Path

from naoshi.app.build import open_loop
from naoshi.evals.suite_load import load_suite
from naoshi.flow.suites import load_suites
from naoshi.records import Split
from tests.ui.command_line import CommandLine


def test_the_report_of_a_real_loop_is_one_file_without_the_holdout(triaged: CommandLine, tmp_path: Path):
    """Protects the way from the store to the page: the run is there, held-out cases are counted alone."""
    page = tmp_path / "out" / "page.html"
    done = triaged("evals", "report", "--output", str(page), "--json")
    assert done.status == 0, done.err
    assert done.document["path"] == str(page)
    assert done.document["bytes"] == page.stat().st_size
    assert done.document["runs"] == 1
    source = page.read_text(encoding="utf-8")
    with open_loop(triaged.folder) as loop:
        cases = [case for suite in load_suites(loop) for case in suite.cases]
    held_out = [case.case_id for case in cases if case.split is Split.holdout]
    assert done.document["hidden"] >= len(held_out)
    assert not [case_id for case_id in held_out if case_id in source]
    assert all(case.case_id in source for case in cases if case.split is not Split.holdout)


def test_without_a_place_it_lies_where_git_does_not_look(triaged: CommandLine):
    """Protects the repository: the usual place is in the state folder, which git ignores."""
    done = triaged("evals", "report")
    assert done.status == 0, done.err
    assert (triaged.folder / ".naoshi" / "reports" / "evals.html").is_file()
    assert "reports/evals.html" in done.out


def test_the_page_speaks_the_language_that_is_asked_for(triaged: CommandLine):
    """Protects whoever shows the page to others: the settings' language is a default, not a must."""
    page = triaged.folder / ".naoshi" / "reports" / "evals.html"
    for words, spoken in (((), "en"), (("--language", "ja"), "ja"), (("--language", "en"), "en")):
        assert triaged("evals", "report", *words).status == 0
        assert f'<html lang="{spoken}"' in page.read_text(encoding="utf-8")
    assert triaged("evals", "report", "--language", "fr").code == "usage"


def test_a_place_that_cannot_be_written_is_one_line(triaged: CommandLine, tmp_path: Path):
    """Protects people from a traceback where the folder is a file."""
    (tmp_path / "file").write_text("")
    assert triaged("evals", "report", "--output", str(tmp_path / "file" / "page.html")).code == "store-failed"


def test_a_suite_that_cannot_be_read_stops_the_report(triaged: CommandLine):
    """Protects the holdout: where nobody can tell what is held out, nothing is shown."""
    suite = next((triaged.folder / "evals").glob("*.yaml"))
    load_suite(suite)
    suite.write_text("tests: {", encoding="utf-8")
    assert triaged("evals", "report").code == "suite-invalid"
