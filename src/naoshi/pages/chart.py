"""The look of charts, and charts as text that can stand in a page."""

import io
from typing import Any, Final

GREY: Final = "#808080"
COLOURS: Final = ("#1f83b4", "#d9762b", "#8f6bbd")
"""Middle tones, told apart on white and on near-black and by people who see red and green alike."""

LOOK: Final[dict[str, Any]] = {
    "background": "transparent",
    "font": "system-ui, sans-serif",
    "padding": 4,
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 14,
        "labelColor": GREY,
        "titleFontSize": 14,
        "titleFontWeight": "normal",
        "titleColor": GREY,
        "gridColor": GREY,
        "gridOpacity": 0.25,
        "domainColor": GREY,
        "tickColor": GREY,
    },
    "legend": {
        "orient": "bottom",
        "direction": "vertical",
        "labelFontSize": 14,
        "labelColor": GREY,
        "labelLimit": 0,
        "symbolType": "stroke",
        "symbolSize": 500,
    },
}


def chart_svg(chart: Any) -> str:
    """Return an Altair *chart* as SVG. It is made of numbers and our own words, and its maker escapes them."""
    picture = io.StringIO()
    chart.save(picture, format="svg")
    return picture.getvalue()
