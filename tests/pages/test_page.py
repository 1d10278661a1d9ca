"""The frame that all pages share."""

import unicodedata
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from naoshi.pages import percent, render_page
from naoshi.pages.legible import legible
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


@given(st.text(st.characters(codec="utf-8")))
def test_text_that_can_be_seen_stays_as_it_is(text: str):
    """Protects what people read: only marks without a shape of their own are written out, joiners of emoji not."""
    kept = "".join(mark for mark in text if unicodedata.category(mark) not in ("Cc", "Cf", "Lo", "Zl", "Zp"))
    assert legible(kept) == kept
    for whole in ("👩‍👧 🏴 نمی‌خواهم 直し\n\ttab",):
        assert legible(whole) == whole


def test_what_is_unseen_or_turns_text_around_is_written_out(tmp_path: Path):
    """Protects readers of every page: controls, hidden marks and overrides of direction are shown as escapes."""
    page = rendered(tmp_path, "a\x1b[31m\u202eb\u200bc\u2066<\r")
    assert "<p>a\\x1b[31m\\u202eb\\u200bc\\u2066&lt;\\r</p>" in page
