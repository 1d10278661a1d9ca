"""Promptfoo's templates in texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.evals.template import TemplateError, escape, render


@given(st.text(alphabet=st.sampled_from("{}%#'\" axfile:/\n日") | st.characters(exclude_categories=["Cs"])))
def test_what_is_escaped_renders_to_itself(text: str):
    """Protects values from documents: no text of theirs is ever filled in."""
    assert render(escape(text), {"a": "filled"}) == text


def test_plain_text_is_not_touched():
    """Protects readability: only what Promptfoo would fill in is escaped."""
    assert escape("合計: 12.30 {x} 100% #1") == "合計: 12.30 {x} 100% #1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{ a }}", "one"),
        ("{{a}}-{{ b.c }}", "one-2"),
        ("{% raw %}{{ a }}{% endraw %}", "{{ a }}"),
        ("{{ t }}", "true"),
    ],
)
def test_simple_templates_are_filled_from_vars(text: str, expected: str):
    """Protects suites that people wrote with their vars in the expected values."""
    assert render(text, {"a": "one", "b": {"c": 2.0}, "t": True}) == expected


@pytest.mark.parametrize(
    "text", ["{{ nothing }}", "{{ a | upper }}", "{% if a %}x{% endif %}", "{# c #}", "{{ b }}", "{{", "a #}", "file://x.txt",
             "package:x", "{{ a.b }}", "{{ env.SECRET }}", "{% raw %}x"],
)  # fmt: skip
def test_other_templates_are_refused(text: str):
    """Protects against an expectation that silently means its own source text."""
    with pytest.raises(TemplateError):
        render(text, {"a": "one", "b": {"c": 2}})
