"""The report of the demo as one HTML file that needs neither network nor script."""

import os
from pathlib import Path
from urllib.parse import quote

from markupsafe import Markup
from pydantic import JsonValue

from naoshi.demo.report.curve import curve_svg
from naoshi.demo.report.document import DemoReport, regressions_shipped
from naoshi.demo.report.measures import measures_of
from naoshi.demo.report.side_by_side import side_by_side
from naoshi.demo.report.words import ReportWords, words_in
from naoshi.pages import render_page
from naoshi.records.text_comparison import as_text
from naoshi.system.files import write_durably

_TEMPLATE = Path(__file__).with_name("report.html.j2")


def write_report(report: DemoReport, path: Path) -> None:
    """Write *report* as HTML to *path*; links to its artifacts are relative to the folder of *path*.

    Raises:
        StoreError: the file cannot be written.
    """
    write_durably(path, render_report(report, folder=path.parent))


def render_report(report: DemoReport, *, folder: Path) -> str:
    """Return *report* as one HTML document for *folder*. The same report gives the same text.

    Everything that comes from documents, agents or people is escaped, and the page forbids scripts and loading.
    """
    words = words_in(report.language)
    naive = report.naive or ()
    return render_page(
        _TEMPLATE,
        report=report,
        language=report.language,
        title=words.title,
        words=words,
        measures=measures_of([*report.cycles, *naive], words),
        first=report.cycles[0],
        last=report.cycles[-1],
        naive_first=naive[0] if naive else None,
        naive_last=naive[-1] if naive else None,
        naive_regressions=regressions_shipped(naive),
        loops=side_by_side(report, words),
        wrong_known=any(row.wrong_cases is not None for row in [*report.cycles, *naive]),
        fields=list(dict.fromkeys(name for row in report.cycles for name in row.holdout.by_field)),
        kept_out=report.wrong_corrections,
        links=[_link(name, path, folder, words) for name, path in report.artifacts.items()],
        settings=[
            (words.setting_names.get(name, name), _setting(value, words)) for name, value in report.settings.items()
        ],
        # The picture is made by us from numbers and our own words, and its maker escapes them.
        curve=Markup(curve_svg(report)),  # noqa: S704
    )


def _link(name: str, path: str, folder: Path, words: ReportWords) -> tuple[str, str, str]:
    """Return label, address and shown path of an artifact. The leading dot keeps any name from being a scheme."""
    relative = os.path.relpath(folder.absolute() / path, folder.absolute())
    address = quote(f"./{relative}".encode("utf-8", "surrogateescape"))
    return words.artifacts.get(name, name), address, relative


def _setting(value: JsonValue, words: ReportWords) -> str:
    if isinstance(value, bool):
        return words.on if value else words.off
    return "–" if value is None else as_text(value)
