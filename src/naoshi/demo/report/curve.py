"""The curve of the report: a picture as SVG text."""

from typing import Final

from naoshi.demo.report.document import DemoReport
from naoshi.demo.report.measures import measures_of
from naoshi.demo.report.words import words_in
from naoshi.pages.chart import COLOURS, LOOK, chart_svg

_WIDTH: Final = 430
_HEIGHT: Final = 270
_SOLID: Final = (1, 0)
_DASHED: Final = (6, 5)


def curve_svg(report: DemoReport) -> str:
    """Return the shares of held-out documents by cycle as SVG; the naive loop's, where known, is dashed beside."""
    # Altair takes a second to load, and only a finished demo needs it.
    import altair

    words = words_in(report.language)
    loops = [(report.cycles, "{}", _SOLID), (report.naive or (), words.naive_series, _DASHED)]
    every_row = [row for rows, _, _ in loops for row in rows]
    measures = list(zip(measures_of(every_row, words), COLOURS, strict=False))
    series = [
        (rows, name, form.format(label), colour, dash)
        for rows, form, dash in loops
        if rows
        for (name, label), colour in measures
    ]
    values = [
        {"cycle": row.cycle, "share": getattr(row.holdout, name), "series": label}
        for rows, name, label, _, _ in series
        for row in rows
    ]
    labels = [label for _, _, label, _, _ in series]
    last = max(row.cycle for row in every_row)
    x = altair.X(
        "cycle:Q",
        title=words.cycle,
        scale=altair.Scale(domain=[0, max(last, 1)], nice=False),
        axis=altair.Axis(values=list(range(last + 1)), format="d", grid=False, labelFlush=False),
    )
    y = altair.Y(
        "share:Q",
        title=words.share_of_documents,
        scale=altair.Scale(domain=[0, 1]),
        axis=altair.Axis(format="%", tickCount=5),
    )
    colours = altair.Scale(domain=labels, range=[colour for _, _, _, colour, _ in series])
    dashes = altair.Scale(domain=labels, range=[list(dash) for _, _, _, _, dash in series])
    chart = altair.Chart(altair.Data(values=values), width=_WIDTH, height=_HEIGHT, config=LOOK)
    lines = chart.mark_line(strokeWidth=2.5, point=altair.OverlayMarkDef(filled=True, size=45)).encode(
        x=x,
        y=y,
        color=altair.Color("series:N", title=None, sort=labels, scale=colours),
        strokeDash=altair.StrokeDash("series:N", title=None, sort=labels, scale=dashes),
    )
    return chart_svg(lines)
