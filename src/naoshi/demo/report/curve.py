"""The curve of the report: a picture as SVG text."""

import io
from typing import Any, Final

from naoshi.demo.report.document import DemoReport
from naoshi.demo.report.measures import measures_of
from naoshi.demo.report.words import words_in

_WIDTH: Final = 430
_HEIGHT: Final = 270
# Middle tones, told apart on white and on near-black and by people who see red and green alike.
_COLOURS: Final = ("#1f83b4", "#d9762b", "#8f6bbd")
_SOLID: Final = (1, 0)
_DASHED: Final = (6, 5)
_GREY: Final = "#808080"
_CONFIG: Final[dict[str, Any]] = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "padding": 4,
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 14,
        "labelColor": _GREY,
        "titleFontSize": 14,
        "titleFontWeight": "normal",
        "titleColor": _GREY,
        "gridColor": _GREY,
        "gridOpacity": 0.25,
        "domainColor": _GREY,
        "tickColor": _GREY,
    },
    "legend": {
        "orient": "bottom",
        "direction": "vertical",
        "labelFontSize": 14,
        "labelColor": _GREY,
        "labelLimit": 0,
        "symbolType": "stroke",
        "symbolSize": 500,
    },
}


def curve_svg(report: DemoReport) -> str:
    """Return the shares of held-out documents by cycle as SVG; the naive loop's, where known, is dashed beside."""
    # Altair takes a second to load, and only a finished demo needs it.
    import altair

    words = words_in(report.language)
    loops = [(report.cycles, "{}", _SOLID), (report.naive or (), words.naive_series, _DASHED)]
    every_row = [row for rows, _, _ in loops for row in rows]
    measures = list(zip(measures_of(every_row, words), _COLOURS, strict=False))
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
    chart = altair.Chart(altair.Data(values=values), width=_WIDTH, height=_HEIGHT, config=_CONFIG)
    lines = chart.mark_line(strokeWidth=2.5, point=altair.OverlayMarkDef(filled=True, size=45)).encode(
        x=x,
        y=y,
        color=altair.Color("series:N", title=None, sort=labels, scale=colours),
        strokeDash=altair.StrokeDash("series:N", title=None, sort=labels, scale=dashes),
    )
    picture = io.StringIO()
    lines.save(picture, format="svg")
    return picture.getvalue()
