"""The page itself."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from markupsafe import Markup

from naoshi.gate.explain import told_certainty
from naoshi.pages import render_page
from naoshi.records import ResultState
from naoshi.system.files import write_durably
from naoshi.ui.report.eval_report import EvalReport, FlippedCase
from naoshi.ui.report.outputs import Shown, as_lines, side_by_side
from naoshi.ui.report.rate_chart import rate_chart
from naoshi.ui.report.words import words_in

_TEMPLATE = Path(__file__).with_name("evals.html.j2")
_MOST_FLIPS_WITH_OUTPUTS = 60
_OPEN_CARDS = 5
_MOST_CHARTS = 12
_LONGEST_QUESTION = 2_000

MARKS: Final = {
    ResultState.pass_: "✓",
    ResultState.fail: "✗",
    ResultState.agent_error: "!",
    ResultState.judge_error: "?",
    ResultState.not_run: "–",
}
"""One mark for each state, so that nobody needs to tell colours apart."""


@dataclass(frozen=True, kw_only=True)
class FlipCard:
    """A flip with what was asked (``cut`` characters left out) and both outputs, None where there is none."""

    case: FlippedCase
    asked: str
    cut: int
    before: Shown | None
    after: Shown | None


def write_report(report: EvalReport, path: Path) -> int:
    """Write *report* as HTML to *path*; return how many bytes that are.

    Raises:
        StoreError: the file cannot be written.
    """
    # Half a character, which no file can hold, may stand in an old output.
    data = render_report(report).encode("utf-8", "backslashreplace")
    write_durably(path, data)
    return len(data)


def render_report(report: EvalReport) -> str:
    """Return *report* as one HTML document that needs nothing else. The same report gives the same text.

    Everything that comes from agents, documents or people is escaped, and the page forbids scripts and loading.
    """
    words = words_in(report.language)
    flips = report.verdict.flips if report.verdict else ()
    return render_page(
        _TEMPLATE,
        language=report.language,
        report=report,
        words=words,
        title=words.title.format(project=report.project),
        states=list(ResultState),
        marks=MARKS,
        latest=report.latest,
        charts=_charts(report, words.all_cases),
        cards=[_card(flip) for flip in flips[:_MOST_FLIPS_WITH_OUTPUTS]],
        told_certainty=told_certainty,
        open_cards=_OPEN_CARDS,
        more_flips=flips[_MOST_FLIPS_WITH_OUTPUTS:],
    )


def _charts(report: EvalReport, all_cases: str) -> list[tuple[str, Markup]]:
    """Return a picture for all cases and for each category, the largest first where there are too many."""
    whole = [(column.name, column.rate if column.cases else None) for column in report.columns]
    largest = sorted(
        report.categories,
        key=lambda name: (
            -max(column.by_category[name].cases for column in report.columns if name in column.by_category)
        ),
    )
    chosen = set(largest[:_MOST_CHARTS])
    drawn = [(all_cases, whole)] if report.columns else []
    drawn += [
        (name, [(column.name, column.by_category.get(name)) for column in report.columns])
        for name in report.categories
        if name in chosen
    ]
    # The pictures are made by us from numbers and names, and their maker escapes them.
    return [(name, Markup(rate_chart(rates))) for name, rates in drawn]  # noqa: S704


def _card(flip: FlippedCase) -> FlipCard:
    asked = as_lines(dict(flip.asked))
    before, after = side_by_side(flip.before.output, flip.after.output)
    return FlipCard(
        case=flip,
        asked=asked[:_LONGEST_QUESTION],
        cut=max(0, len(asked) - _LONGEST_QUESTION),
        before=before,
        after=after,
    )
