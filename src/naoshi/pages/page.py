"""Filling in a page."""

from pathlib import Path

from naoshi.pages.legible import legible
from naoshi.pages.share import bar_width, percent

_FRAME = Path(__file__).parent


def render_page(template: Path, **values: object) -> str:
    """Return *template* filled in with *values*. The same values give the same text.

    It may extend ``frame.html.j2``, which brings the look and forbids scripts and loading. Every value is escaped
    unless it is marked as safe, and what is invisible in it, or turns text around, is written out.
    """
    # A command that shows no page need not wait for it.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([template.parent, _FRAME]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["percent"] = percent
    environment.filters["bar_width"] = bar_width
    return environment.get_template(template.name).render(**values).lstrip()


def _shown(value: object) -> object:
    """Return *value* as it stands in a page; what is marked as safe, such as a picture, as it is."""
    return value if hasattr(value, "__html__") or not isinstance(value, str) else legible(value)
