"""The frame that all pages share."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from naoshi.pages import percent, render_page
from naoshi.pages.share import bar_width

TEMPLATE = '{% extends "frame.html.j2" %}{% block body %}<p>{{ said }}</p>{% endblock %}'
HOSTILE = "</p><script>alert(1)</script>{{ 7 * 7 }}{% raw %}"


def rendered(folder: Path, said: str) -> str:
    (folder / "page.html.j2").write_text(TEMPLATE, encoding="utf-8")
    return render_page(folder / "page.html.j2", language="ja", title="題", said=said)


def test_a_page_forbids_scripts_and_loading_and_escapes_what_it_is_given(tmp_path: Path):
    """Protects whoever opens a report: a value is text, and nothing is run or fetched whatever the page holds."""
    page = rendered(tmp_path, HOSTILE)
    assert page.startswith("<!DOCTYPE html>")
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert "{{ 7 * 7 }}" in page
    assert page.count("<p>") == page.count("</p>") == 1
    assert page == rendered(tmp_path, HOSTILE)


@given(st.floats(0, 1))
def test_a_share_is_perfect_or_nil_only_when_it_is(share: float):
    """Protects readers: 99.6 % is not 100 %, and one case in a thousand is not none."""
    assert (percent(share) == "100 %") == (share == 1)
    assert (percent(share) == "0 %") == (share == 0)
    assert bar_width(share).endswith("%")
