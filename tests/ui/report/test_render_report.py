"""The page: whole, hostile text harmless, both languages, small enough."""

import re
import time
from pathlib import Path

import pytest

from naoshi.records import Split
from naoshi.records.language import Language
from naoshi.ui.report.eval_report import EvalReport
from naoshi.ui.report.outputs import side_by_side
from naoshi.ui.report.render_report import MARKS, render_report, write_report
from naoshi.ui.report.words import ReportWords, words_in
from tests.pages.shown_page import ShownPage, in_browser
from tests.ui.report.examples import FAIL, PASS, case, compiled, history, result, run

HOSTILE = (
    "</pre></td><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
    "<svg onload=\"document.title='owned'\">{{ 7 * 7 }}{% raw %}\x1b[31m\u202e' \" & <style>*{display:none}</style>"
)


def hostile_report() -> EvalReport:
    """Return a report in which every text that others write is hostile."""
    evil = case(HOSTILE, description=HOSTILE, category=HOSTILE, vars={HOSTILE: HOSTILE})
    before = run(HOSTILE, [result(evil, PASS, output=HOSTILE, reason=HOSTILE)], run_id="run_1")
    after = run("v2" + HOSTILE, [result(evil, FAIL, output={HOSTILE: HOSTILE}, reason=HOSTILE)], day=1, run_id="run_2")
    return compiled([before, after], [evil], judged=(after, before))


def test_hostile_text_stays_text():
    """Protects whoever opens the page: names, inputs, outputs and reasons never become markup, a link or a style."""
    page = ShownPage(render_report(hostile_report()))
    assert not {"script", "img", "iframe", "link", "object", "base", "form", "a"} & {tag for tag, _ in page.tags}
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on")]
    assert [tag for tag, _ in page.tags].count("style") == 1
    assert page.text.count("{{ 7 * 7 }}") >= 4
    assert not [value for _, attributes in page.tags for value in attributes.values() if "javascript:" in str(value)]


def test_marks_that_turn_text_around_do_not_reach_our_words():
    """A name with an override of its direction must not make "pass → fail" read the other way round."""
    turned = "\u202egnittirw"
    one = case(f"one{turned}", description=turned, category=turned)
    before, after = run("v1", [result(one)]), run("v2", [result(one, FAIL, reason=turned, output=turned)], day=1)
    page = render_report(compiled([before, after], [one], judged=(after, before)))
    assert "\u202e" not in page
    assert page.count("<bdi>\\u202egnittirw</bdi>") == 4
    assert "<li>\\u202egnittirw: 1 of 1 cases flipped" in page


def test_a_difference_that_nobody_sees_is_seen():
    """Protects whoever decides: two outputs that differ in an invisible mark do not look alike."""
    one = case("one")
    before, after = (
        run("v1", [result(one, output="total")]),
        run("v2", [result(one, FAIL, output="to\u200btal")], day=1),
    )
    page = render_report(compiled([before, after], [one], judged=(after, before)))
    assert "<mark>total</mark>" in page and "<mark>to\\u200btal</mark>" in page


def test_nothing_runs_in_a_real_browser(tmp_path: Path):
    """Protects whoever opens the page, by the browser's own word: no script of an output runs, all of it is there."""
    write_report(hostile_report(), tmp_path / "page.html")
    page = in_browser(tmp_path / "page.html")
    assert "<title>Evals of receipts</title>" in page.source
    assert "document.title='owned'" in page.text
    assert not {"script", "img"} & {tag for tag, _ in page.tags}


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_page_has_all_that_it_promises(language: Language):
    """Protects readers in both languages: verdict, flips with outputs, rates with intervals, totals, matrix."""
    report = history(cases=60, versions=4, language=language)
    source = render_report(report)
    page, words = ShownPage(source), words_in(language)
    for heading in (words.verdict, words.flips, words.by_category, words.totals, words.matrix):
        assert heading in page.text
    assert report.verdict is not None and report.verdict.flips
    assert f"{report.verdict.flips[0].case_id}" in page.text
    assert "RM 0.00" in page.text and "<mark>" in source
    assert re.search(r"\d+–\d+ %", page.text)
    for state, label in words.states.items():
        assert page.text.count(label) >= 3
        assert MARKS[state] in page.text
    assert source.count("<svg") == len(report.categories) + 1
    assert ("html", {"lang": language}) in page.tags
    assert source == render_report(report)


def test_the_page_needs_nothing_from_elsewhere():
    """Protects offline reading: no address is loaded, and the page itself forbids it."""
    source = render_report(history(cases=40, versions=3))
    page = ShownPage(source)
    assert [a["content"] for tag, a in page.tags if tag == "meta" and "http-equiv" in a] == [
        "default-src 'none'; style-src 'unsafe-inline'"
    ]
    assert not [a for _, a in page.tags if {"src", "href", "xlink:href", "srcset"} & a.keys()]
    assert "url(" not in source and "@import" not in source


def test_no_case_of_the_holdout_is_on_the_page():
    """Protects the holdout on the page itself, reasons of the verdict included."""
    cases = [case(f"case_{number}", split=Split.holdout if number % 2 else Split.diagnose) for number in range(20)]
    before = run("v1", [result(one) for one in cases])
    after = run("v2", [result(one, FAIL, output=f"output of {one.case_id}") for one in cases], day=1)
    source = render_report(compiled([before, after], cases, judged=(after, before)))
    assert "case_18" in source
    assert "10 more flipped, 10 of them for the worse and 0 for the better" in source
    assert not [one.case_id for one in cases if one.split is Split.holdout and re.search(rf"{one.case_id}\b", source)]


def test_five_hundred_cases_and_twenty_versions_stay_small():
    """Protects a page that can be opened and sent: far below 5 MB, made in seconds."""
    report = history()
    begun = time.process_time()
    size = len(render_report(report).encode())
    assert size < 5_000_000
    assert time.process_time() - begun < 20
    assert sum(len(group.failing) + len(group.passing) for group in report.rows) == 400


def test_outputs_of_any_size_are_cut_and_say_so():
    """Protects the page from one answer of a gigabyte; what was left out is counted."""
    one = case("big")
    before = run("v1", [result(one, output="x" * 50_000)])
    after = run("v2", [result(one, FAIL, output=["y" * 10] * 5_000)], day=1)
    source = render_report(compiled([before, after], [one], judged=(after, before)))
    assert len(source) < 200_000
    assert words_in("en").cut.format(count=46_000) in source


def test_half_a_character_is_written_as_its_escape(tmp_path: Path):
    """Protects the file: an old output that no encoding can hold does not stop the report."""
    one = case("odd")
    runs = [run("v1", [result(one)]), run("v2", [result(one, FAIL, output="\ud83d")], day=1)]
    size = write_report(compiled(runs, [one], judged=(runs[1], runs[0])), tmp_path / "deep" / "page.html")
    written = (tmp_path / "deep" / "page.html").read_bytes()
    assert len(written) == size
    assert b"\\ud83d" in written


def test_a_project_without_runs_has_a_page_that_says_so():
    """Protects the first minute: no run, no verdict, no error."""
    assert "naoshi evals run" in ShownPage(render_report(compiled([], []))).text
    only_run = compiled([run("v1", [])], [])
    assert words_in("en").no_verdict in ShownPage(render_report(only_run)).text


def test_lines_that_differ_are_marked_on_both_sides():
    """Protects the eye: what both have is plain, what one lacks is marked, null is no text."""
    before, after = side_by_side({"a": 1, "b": 2}, {"a": 1, "b": 3})
    assert before is not None and after is not None
    assert [line for line, differs in before.lines if differs] == ['  "b": 2']
    assert [line for line, differs in after.lines if differs] == ['  "b": 3']
    assert side_by_side(None, "text")[0] is None


def test_both_languages_have_every_text_with_the_same_places():
    """Protects readers of either language: a text that lacks a place to fill in would fail in front of them."""
    for name in ReportWords.__dataclass_fields__:
        english, japanese = (getattr(words_in(language), name) for language in ("en", "ja"))
        if isinstance(english, str):
            places = [sorted(re.findall(r"{(\w*)}", text)) for text in (english, japanese)]
            assert english and japanese and places[0] == places[1], name
        else:
            assert set(english) == set(japanese), name
