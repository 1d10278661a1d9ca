"""Running the demo and showing it while it happens."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from naoshi.demo.report.document import CycleRow, DemoReport, regressions_shipped
from naoshi.demo.report.render_report import write_report
from naoshi.demo.report.rows import RowTable
from naoshi.demo.run import DemoSettings, report_of, run_demo
from naoshi.errors import UsageError
from naoshi.flow.people import People
from naoshi.records.language import Language
from naoshi.ui.cli.output import Output
from naoshi.ui.cli.terminal_people import terminal_people


@dataclass(frozen=True, kw_only=True)
class _Words:
    naive: str
    result: str
    naive_result: str
    every_field: str
    regressions: str
    wrong_cases: str
    look_at: str
    notes: Mapping[str, str]


_WORDS: Final[Mapping[Language, _Words]] = {
    "en": _Words(
        naive="the same without triage, every correction believed:",
        result="held-out receipts with at least 75 % of their fields right: {first:.0%} → {last:.0%} of {documents}",
        naive_result="the same without triage: {first:.0%} → {last:.0%}",
        every_field="all fields right: {share:.0%}; fields right: {fields} of {of}",
        regressions="regressions shipped: {count}",
        wrong_cases="wrong cases in the suite: {wrong} of {cases}",
        look_at="What to look at:",
        notes={
            "report": "the curve, in a browser",
            "handoff": "what the mender was told last",
            "diagnose_suite": "the cases that it saw",
            "validate_suite": "the cases that judged its changes",
            "agent": "the agent; `git log` there shows the releases",
        },
    ),
    "ja": _Words(
        naive="トリアージなし（すべての訂正を正しいとみなす）:",
        result="評価専用のレシートのうち75%以上の項目が正しいもの: {first:.0%} → {last:.0%}（{documents}件）",
        naive_result="トリアージなし: {first:.0%} → {last:.0%}",
        every_field="全項目が正しいもの: {share:.0%}、正しい項目: {of} のうち {fields}",
        regressions="改悪のままリリースした版: {count}",
        wrong_cases="ケース集に入り込んだ誤り: {cases} 件のうち {wrong} 件",
        look_at="ご覧になるとよいもの:",
        notes={
            "report": "推移のグラフ（ブラウザーで）",
            "handoff": "修正プログラムに最後に渡した指示",
            "diagnose_suite": "修正プログラムが見たケース",
            "validate_suite": "変更を判定したケース",
            "agent": "エージェント本体。ここで git log を実行するとリリースの履歴が見られます",
        },
    ),
}


def show_demo(settings: DemoSettings, out: Output, *, interactive: bool, compare: bool) -> DemoReport:
    """Run the demo, show each cycle as it ends, and write `report.html` into the workspace.

    Raises:
        UsageError: the comparison with a loop without triage was asked for, of a loop without triage.
        InputError: the documents or the workspace cannot be used.
    """
    if compare and not settings.triage:
        raise UsageError("--compare runs the loop with and without triage, so --triage off contradicts it")
    words = _WORDS[settings.language]
    rows = _show_rows(settings, out, _person_at_terminal(settings, out) if interactive else None)
    naive = None
    if compare:
        out.say("", words.naive)
        naive = _show_rows(replace(settings, workspace=settings.workspace / "naive", triage=False), out, None)
    report = report_of(settings, rows, naive)
    write_report(report, settings.workspace / "report.html")
    out.say("", *_results(report, words), "", words.look_at, *_places(report, words))
    return report


def _show_rows(settings: DemoSettings, out: Output, people: Callable[[int], People] | None) -> Sequence[CycleRow]:
    table = RowTable(language=settings.language, colour=out.colour)
    return run_demo(
        settings,
        people_for=people,
        on_row=lambda row: out.say(*table.lines(row), raw=True),
        report=out.passing_or_line,
    )


def _person_at_terminal(settings: DemoSettings, out: Output) -> Callable[[int], People]:
    people = terminal_people(out, actor="you", language=settings.language)
    return lambda number: people


def _results(report: DemoReport, words: _Words) -> list[str]:
    first, last = report.cycles[0].holdout, report.cycles[-1].holdout
    shares = {"first": first.at_least_75, "last": last.at_least_75, "documents": last.documents}
    lines = [words.result.format(**shares), *_figures(report.cycles, words)]
    if report.naive:
        before, after = report.naive[0].holdout.at_least_75, report.naive[-1].holdout.at_least_75
        lines += [words.naive_result.format(first=before, last=after), *_figures(report.naive, words)]
    return lines


def _figures(rows: Sequence[CycleRow], words: _Words) -> list[str]:
    """Return what the share of well-read receipts does not show of a loop."""
    last = rows[-1]
    held = last.holdout
    told = [
        words.every_field.format(share=held.all, fields=held.fields_right, of=held.documents * len(held.by_field)),
        words.regressions.format(count=regressions_shipped(rows)),
        words.wrong_cases.format(wrong=last.wrong_cases or 0, cases=last.cases),
    ]
    return [f"  {line}" for line in told]


def _places(report: DemoReport, words: _Words) -> list[str]:
    named = [(note, report.artifacts[name]) for name, note in words.notes.items() if name in report.artifacts]
    return [f"  {path}  ({note})" for note, path in named]
