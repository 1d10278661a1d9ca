"""The report of the demo: the JSON document, the rows on the terminal, the HTML page and its picture."""

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from rich.cells import cell_len

from naoshi.demo.receipts import score_receipts
from naoshi.demo.report import CycleRow, DemoReport, HoldoutScore, KeptOut, RowTable
from naoshi.demo.report.curve import curve_svg
from naoshi.demo.report.render_report import render_report, write_report
from naoshi.demo.report.side_by_side import side_by_side
from naoshi.demo.report.words import words_in
from naoshi.pages import percent
from naoshi.records.language import Language
from tests.pages.shown_page import ShownPage, in_browser

HOSTILE = (
    "\"'><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">{{ 7 * 7 }}\x1b[31m\u202e"
)
FIELDS = ("company", "date", "address", "total")


def row(cycle: int, fields_right: int, *, released: bool | None = None, **more: Any) -> CycleRow:
    share = fields_right / 400
    defaults: dict[str, Any] = {
        "cycle": cycle,
        "version": f"v{cycle + 1}",
        "released": cycle > 0 if released is None else released,
        "holdout": HoldoutScore(
            documents=100, at_least_75=share, at_least_90=share / 2, all=share / 2,
            by_field=dict.fromkeys(FIELDS, share), fields_right=fields_right,
        ),
        "cases": 10 * cycle,
        "questions": 3,
        "corrections": 20,
        "refused_corrections": 4,
    }  # fmt: skip
    return CycleRow(**{**defaults, **more})


def report(**more: Any) -> DemoReport:
    rows = (row(0, 100), row(1, 200), row(2, 200, released=False, version="v2", reason="worse: total"), row(3, 360))
    return DemoReport(**{"cycles": rows, "language": "en", **more})


def page(of: DemoReport, folder: Path = Path("demo")) -> ShownPage:
    return ShownPage(render_report(of, folder=folder))


def test_the_json_document_has_the_promised_shape() -> None:
    """`--json` gives the document that the issue promises, shares from 0 to 1."""
    document = json.loads(report(artifacts={"handoff": "codex_handoff.md"}).to_json())
    assert {"cycles", "regressions_shipped", "artifacts"} <= set(document)
    first = document["cycles"][0]
    assert {"cycle", "version", "released", "holdout", "cases", "questions"} <= set(first)
    assert set(first["holdout"]) == {"documents", "at_least_75", "at_least_90", "all", "by_field", "fields_right"}
    assert document["naive"] is None


def test_the_json_document_reads_back_as_the_same_report() -> None:
    """The page can be made again from the document alone; a figure that is derived is never believed."""
    before = report(naive=(row(0, 100), row(1, 150)), settings={"noise": 0.2, "triage": True})
    assert DemoReport.model_validate_json(before.to_json()) == before
    tampered = json.loads(before.to_json()) | {"regressions_shipped": 7}
    assert DemoReport.model_validate(tampered).regressions_shipped == 0


@pytest.mark.parametrize(
    ("fields_right", "released", "count"),
    [
        ((100, 200, 300), (False, True, True), 0),
        ((100, 200, 199), (False, True, True), 1),
        ((100, 99, 98, 200, 150), (False, True, True, True, True), 3),
        ((100, 200, 200, 200), (False, True, False, True), 0),
        ((100, 90, 90, 95), (False, True, False, True), 1),
        ((100,), (False,), 0),
    ],
)
def test_a_regression_is_a_released_version_with_fewer_holdout_fields_right(
    fields_right: tuple[int, ...], released: tuple[bool, ...], count: int
) -> None:
    """`regressions_shipped` is computed from the rows, and refused changes never count."""
    rows = tuple(
        row(cycle, right, released=out) for cycle, (right, out) in enumerate(zip(fields_right, released, strict=True))
    )
    assert report(cycles=rows).regressions_shipped == count


@given(st.lists(st.tuples(st.integers(0, 400), st.booleans()), min_size=1, max_size=8))
def test_regressions_are_never_more_than_releases(history: list[tuple[int, bool]]) -> None:
    """However a demo went, only released rows can be regressions."""
    rows = tuple(row(cycle, right, released=out) for cycle, (right, out) in enumerate(history))
    assert 0 <= report(cycles=rows).regressions_shipped <= sum(out for _, out in history[1:])


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    """A figure that cannot be is an error where it arises, not a strange page."""
    with pytest.raises(ValidationError):
        HoldoutScore(documents=1, at_least_75=share, at_least_90=0, all=0, by_field={}, fields_right=0)


def test_a_report_without_rows_is_refused() -> None:
    """There is always the state before the first cycle."""
    with pytest.raises(ValidationError):
        report(cycles=())


def test_more_kept_out_than_there_were_is_refused() -> None:
    """Statistics that do not add up are refused."""
    with pytest.raises(ValidationError):
        KeptOut(wrong=1, wrong_kept_out=2)


def test_a_score_becomes_a_part_of_the_document() -> None:
    """The scorer's figures go into the document unchanged."""
    truth = dict.fromkeys(FIELDS, "x")
    score = score_receipts([(truth, truth), (truth, {**truth, "total": "y"}), (truth, None)])
    part = HoldoutScore.of(score)
    assert (part.documents, part.fields_right) == (3, 7)
    assert part.at_least_75 == pytest.approx(2 / 3)
    assert part.by_field["total"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_page_needs_neither_network_nor_script(language: Language) -> None:
    """The report is one file: nothing is loaded, nothing runs, and the page itself forbids it."""
    made = page(report(language=language, naive=(row(0, 100), row(3, 90)), artifacts={"handoff": "h.md"}))
    assert not {"script", "link", "img", "iframe", "object", "embed", "base", "form"} & {tag for tag, _ in made.tags}
    for _, attributes in made.tags:
        assert not [name for name in attributes if name.startswith("on") or name in {"src", "srcset", "action"}]
        assert not (attributes.get("href") or "").startswith(("http:", "https:", "//", "javascript:", "data:"))
    source = render_report(report(language=language), folder=Path("demo"))
    assert not re.search(r"@import|url\(", source)
    policy = [a.get("content") for tag, a in made.tags if tag == "meta" and "http-equiv" in a]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]


def hostile_report() -> DemoReport:
    """Return a report in which every text that others write is hostile."""
    rows = (
        row(0, 100, version=HOSTILE),
        row(1, 100, released=False, reason=HOSTILE, holdout=row(0, 100).holdout.model_copy(
            update={"by_field": {HOSTILE: 0.5, "total": 0.25}})),
    )  # fmt: skip
    return report(
        cycles=rows, naive=rows, settings={HOSTILE: HOSTILE, "noise": [HOSTILE]},
        artifacts={HOSTILE: HOSTILE, "handoff": "javascript:alert(1)", "ledger": "//elsewhere.example/x"},
    )  # fmt: skip


def test_hostile_values_stay_text() -> None:
    """Values of documents, versions, reasons, names and settings can be hostile; none becomes markup or a link."""
    made = page(hostile_report())
    assert not {"script", "img"} & {tag for tag, _ in made.tags}
    assert not [name for _, attributes in made.tags for name in attributes if name.startswith("on")]
    assert "document.title='owned'" in made.text
    assert "{{ 7 * 7 }}" in made.text
    addresses = [attributes["href"] or "" for tag, attributes in made.tags if tag == "a"]
    assert len(addresses) == 3
    assert all(address.startswith(("./", "./../")) for address in addresses)


def test_nothing_runs_in_a_real_browser(tmp_path: Path) -> None:
    """Whoever opens the page sees the values, by the browser's own word, and none of them runs."""
    write_report(hostile_report(), tmp_path / "page.html")
    shown = in_browser(tmp_path / "page.html")
    assert "<title>owned</title>" not in shown.source and "document.title='owned'" in shown.text
    assert not {"script", "img"} & {tag for tag, _ in shown.tags}


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_page_says_what_the_demo_came_to(language: Language) -> None:
    """Curve, field table, rows, refusals, kept-out statistics and links are all there, in either language."""
    words = words_in(language)
    figures = KeptOut(wrong=10, wrong_kept_out=9, right=40, right_refused=2)
    rows = (row(0, 100), row(1, 200, kept_out=figures), row(2, 200, released=False, reason="worse: total"))
    made = page(
        report(
            cycles=rows,
            naive=(row(0, 100), row(2, 160)),
            language=language,
            artifacts={"handoff": "agent/codex_handoff.md", "suites": "agent/evals", "ledger": "l.jsonl"},
        )
    )
    for text in ("25 % → 50 %", "25 % → 40 %", "worse: total", words.refused, words.released, "9/10", "2/40"):
        assert text in made.text
    for text in (words.title, words.curve, words.by_field, words.naive_note, words.fields["address"], "90 %"):
        assert text in made.text
    addresses = {attributes["href"] for tag, attributes in made.tags if tag == "a"}
    assert addresses == {"./agent/codex_handoff.md", "./agent/evals", "./l.jsonl"}
    assert {"svg", "table", "details"} <= {tag for tag, _ in made.tags}
    assert ("html", {"lang": language}) in made.tags


@pytest.mark.parametrize("language", ["ja", "en"])
def test_both_loops_stand_side_by_side(language: Language) -> None:
    """What believing every correction costs can be read in one table: fields, regressions, refusals, wrong cases."""
    words = words_in(language)
    ours = (row(0, 100, wrong_cases=0), row(1, 380, cases=100, wrong_cases=1))
    naive = (
        row(0, 100, wrong_cases=0),
        row(1, 300, cases=100, wrong_cases=9),
        row(2, 280, cases=150, wrong_cases=30),
        row(3, 280, cases=200, wrong_cases=50, released=False),
    )
    made = dict((label, figures) for label, *figures in side_by_side(report(cycles=ours, naive=naive), words))
    assert made[words.at_least_75] == ["95 %", "70 %"]
    assert made[words.fields_right] == ["380 / 400", "280 / 400"]
    assert made[words.figure_regressions] == ["0", "1"]
    assert made[words.changes_refused] == ["0", "1"]
    assert made[words.wrong_cases] == [
        words.wrong_of_cases.format(wrong=1, cases=100, share="1 %"),
        words.wrong_of_cases.format(wrong=50, cases=200, share="25 %"),
    ]
    text = page(report(cycles=ours, naive=naive, language=language)).text
    assert words.loops in text and words.naive_column in text and "280 / 400" in text
    assert text.count(words.wrong_cases) == 3


def test_one_loop_alone_is_not_compared() -> None:
    """Without the naive loop there is no empty column, and what nobody counted is no zero."""
    words = words_in("en")
    assert side_by_side(report(), words) == []
    text = page(report()).text
    assert words.loops not in text and words.wrong_cases not in text
    unknown = {label: figures for label, *figures in side_by_side(report(naive=(row(0, 100), row(1, 90))), words)}
    assert unknown[words.wrong_cases] == ["–", "–"]


def test_more_wrong_cases_than_cases_are_refused() -> None:
    """Statistics that do not add up are refused."""
    with pytest.raises(ValidationError):
        row(1, 100, cases=3, wrong_cases=4)


def test_links_are_relative_to_the_folder_of_the_report(tmp_path: Path) -> None:
    """A workspace that is moved or sent keeps its links, odd names included."""
    odd = tmp_path / "レポート #1" / "50% done?.md"
    made = page(report(artifacts={"a": str(odd), "b": str(tmp_path.parent / "other.md")}), folder=tmp_path)
    addresses = [attributes["href"] for tag, attributes in made.tags if tag == "a"]
    assert addresses == ["./%E3%83%AC%E3%83%9D%E3%83%BC%E3%83%88%20%231/50%25%20done%3F.md", "./../other.md"]


def test_the_same_report_is_the_same_page(tmp_path: Path) -> None:
    """Rendering is deterministic, and writing is what rendering gives."""
    write_report(report(), tmp_path / "out" / "report.html")
    written = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert written == render_report(report(), folder=tmp_path / "out")
    assert str(tmp_path) not in written


def test_the_picture_is_svg_with_one_line_for_each_series() -> None:
    """The curve is drawn from the figures; equal shares are one line, the naive loop has lines of its own."""
    plain = curve_svg(report())
    both = curve_svg(report(naive=(row(0, 100), row(1, 150), row(2, 140), row(3, 160))))
    ElementTree.fromstring(plain)  # noqa: S314
    assert (plain.count("mark-line role-mark"), both.count("mark-line role-mark")) == (2, 4)
    assert "stroke-dasharray" in both
    words = words_in("en")
    assert words.at_least_90_and_all in plain
    shares = row(0, 100).holdout.model_copy(update={"at_least_90": 0.2})
    assert curve_svg(report(cycles=(row(0, 100, holdout=shares), row(1, 200)))).count("mark-line role-mark") == 3


def test_a_demo_without_cycles_still_has_a_report() -> None:
    """`--cycles 0` and an empty hold-out are odd, not errors."""
    empty = HoldoutScore(documents=0, at_least_75=0, at_least_90=0, all=0, by_field={}, fields_right=0)
    made = page(report(cycles=(row(0, 0, holdout=empty),)))
    assert "0 % → 0 %" in made.text


@pytest.mark.parametrize(("share", "text"), [(0, "0 %"), (1, "100 %"), (0.996, "99 %"), (0.004, "1 %"), (0.5, "50 %")])
def test_rounding_never_makes_a_share_perfect_or_nil(share: float, text: str) -> None:
    """99.6 % is not 100 %: not all documents are right."""
    assert percent(share) == text


@pytest.mark.parametrize("language", ["ja", "en"])
def test_rows_stand_in_columns_that_hold_with_wide_characters(language: Language) -> None:
    """Every figure ends in the cell of the terminal in which its title ends, in Japanese too."""
    table = RowTable(language=language)
    header, first = table.lines(row(0, 100))
    (second,) = table.lines(row(12, 333, cases=1234, version="v13"))
    words = words_in(language)
    for title, value in (("75%+", "83%"), (words.cases, "1234"), (words.fields["total"], "83%")):
        end = cell_len(header[: header.index(title)]) + cell_len(title)
        cells = [end_cell for end_cell in range(len(second) + 1) if cell_len(second[:end_cell]) == end]
        assert second[: cells[0]].endswith(value)
    assert cell_len(first) <= 80
    assert cell_len(header) <= 80
    assert "\x1b" not in header + first + second


def test_the_header_comes_once_and_a_refusal_with_its_reason() -> None:
    """Rows come one by one as the demo runs; a refused change says why on a line of its own."""
    table = RowTable(language="en")
    assert len(table.lines(row(0, 100))) == 2
    assert len(table.lines(row(1, 200))) == 1
    line, reason = table.lines(row(2, 200, released=False, reason="worse: total,\n case 7"))
    assert line.endswith("not released")
    assert reason.strip() == "worse: total, case 7"


def test_colour_only_where_asked_and_never_from_a_value() -> None:
    """ANSI codes are ours and for a terminal alone; a value cannot bring its own."""
    refused = row(1, 100, released=False, reason=HOSTILE, version="v1\x1b]0;x\x07")
    plain = "".join(RowTable(language="en").lines(refused))
    assert "\x1b" not in plain
    assert "\x07" not in plain
    assert "\u202e" not in plain
    coloured = "".join(RowTable(language="en", colour=True).lines(refused))
    assert set(re.findall(r"\x1b[^m]*m", coloured)) == {"\x1b[2m", "\x1b[0m", "\x1b[31m"}


def test_both_languages_have_every_text_with_the_same_places() -> None:
    """A text that is missing in one language, or has other places to fill in, would fail only in front of a person."""
    for name in vars(words_in("en")):
        english, japanese = (getattr(words_in(language), name) for language in ("en", "ja"))
        if isinstance(english, str):
            assert english and japanese
            places = [sorted(re.findall(r"{(\w*)}", text)) for text in (english, japanese)]
            assert places[0] == places[1], name
        else:
            assert set(english) == set(japanese), name
