"""The pass rate of one category over the versions, as SVG."""

from collections.abc import Sequence

from naoshi.pages.chart import COLOURS, LOOK, chart_svg
from naoshi.ui.report.eval_report import Rate

_WIDTH, _HEIGHT = 290, 150
_MOST_LABELS = 8
_BETWEEN_LABELS = 6
_LONGEST_LABEL = 40
_FAINT = 0.35


def rate_chart(rates: Sequence[tuple[str, Rate | None]]) -> str:
    """Return points with a line through them and an interval around each; *rates* are by version, oldest first.

    A version without a rate leaves a gap. No two versions have one name.
    """
    names = _labels([name for name, _ in rates])
    # Altair takes a second to load, and only a report needs it.
    import altair

    values = [
        {"version": name, "rate": rate.rate, "low": rate.low, "high": rate.high}
        for name, (_, rate) in zip(names, rates, strict=True)
        if rate is not None
    ]
    # The newest version always has its label; where there are many, some of the others go without.
    every = -(-len(names) // _MOST_LABELS)
    labelled = [name for place, name in enumerate(names) if (len(names) - 1 - place) % every == 0]
    x = altair.X(
        "version:N",
        title=None,
        sort=names,
        scale=altair.Scale(domain=names),
        axis=altair.Axis(values=labelled, labelAngle=0, labelFontSize=12, grid=False, ticks=False,
                         labelLimit=_WIDTH * every // max(1, len(names)) - _BETWEEN_LABELS),
    )  # fmt: skip
    scale = altair.Scale(domain=[0, 1])
    y = altair.Axis(format="%", values=[0, 0.5, 1], labelFontSize=12)
    base = altair.Chart(altair.Data(values=values), width=_WIDTH, height=_HEIGHT)
    bars = base.mark_rule(color=COLOURS[0], strokeWidth=4, opacity=_FAINT).encode(
        x=x, y=altair.Y("low:Q", title=None, scale=scale, axis=y), y2="high:Q"
    )
    line = base.mark_line(color=COLOURS[0], strokeWidth=2, point=altair.OverlayMarkDef(filled=True, size=40)).encode(
        x=x, y=altair.Y("rate:Q", title=None, scale=scale, axis=y)
    )
    return chart_svg(altair.layer(bars, line, config=LOOK))


def _labels(names: Sequence[str]) -> list[str]:
    """Return *names* as they can be drawn: what draws them ends the whole process on a control character."""
    drawn: list[str] = []
    for place, name in enumerate(names, start=1):
        label = "".join(mark if mark.isprintable() else "�" for mark in name)[:_LONGEST_LABEL]
        drawn.append(label if label and label not in drawn else f"{label} {place}")
    return drawn
