"""What the loop and the naive one came to, figure by figure."""

from collections.abc import Sequence

from naoshi.demo.report.document import CycleRow, DemoReport, regressions_shipped
from naoshi.demo.report.measures import measures_of
from naoshi.demo.report.words import ReportWords
from naoshi.pages import percent


def side_by_side(report: DemoReport, words: ReportWords) -> list[tuple[str, str, str]]:
    """Return label, figure of the loop, and figure of the naive loop; nothing where only one of them was run."""
    if not report.naive:
        return []
    measures = measures_of([*report.cycles, *report.naive], words)
    labels = [label for _, label in measures]
    labels += [words.fields_right, words.figure_regressions, words.changes_refused, words.wrong_cases]
    figures = (_figures(rows, [name for name, _ in measures], words) for rows in (report.cycles, report.naive))
    return list(zip(labels, *figures, strict=True))


def _figures(rows: Sequence[CycleRow], shares: Sequence[str], words: ReportWords) -> list[str]:
    last = rows[-1]
    fields = last.holdout.documents * len(last.holdout.by_field)
    return [
        *(percent(getattr(last.holdout, name)) for name in shares),
        f"{last.holdout.fields_right} / {fields}",
        str(regressions_shipped(rows)),
        str(sum(not row.released for row in rows[1:])),
        _wrong_of_cases(last, words),
    ]


def _wrong_of_cases(row: CycleRow, words: ReportWords) -> str:
    """Return how many of the cases of a suite were made of wrong corrections, in words."""
    if row.wrong_cases is None:
        return "–"
    share = percent(row.wrong_cases / (row.cases or 1))
    return words.wrong_of_cases.format(wrong=row.wrong_cases, cases=row.cases, share=share)
