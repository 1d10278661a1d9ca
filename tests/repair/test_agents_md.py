"""Our section of AGENTS.md."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.errors import InputError
from naoshi.repair import agents_section, with_section
from naoshi.repair.agents_md import BEGIN, END

USERS = st.text(max_size=60).filter(lambda text: "naoshi:" not in text)


@given(before=USERS, after=USERS, old=USERS, new=USERS)
def test_the_rest_of_the_file_is_never_touched(before: str, after: str, old: str, new: str):
    """Protects the user's words: every byte around our section stays, and the same section again changes nothing."""
    changed = with_section(f"{before}{BEGIN}\n{old}\n{END}{after}", new)
    assert changed.startswith(before + BEGIN) and changed.endswith(END + after)
    assert with_section(changed, new) == changed


@given(text=USERS)
def test_it_is_added_at_the_end_of_a_file_without_it(text: str):
    """Protects a file that was there first, its kind of line break too."""
    changed = with_section(text, agents_section(editable=("harness/",), protected=("evals/",)))
    assert changed.startswith(text) and changed.count(BEGIN) == changed.count(END) == 1
    assert "\r\n" in text or "\r\n" not in changed.removeprefix(text)


@pytest.mark.parametrize("text", [BEGIN, END, END + BEGIN, BEGIN + END + BEGIN, BEGIN + BEGIN + END + END])
def test_markers_that_are_not_one_pair_are_left_for_a_person(text: str):
    """Protects the user's text between markers that somebody tore apart."""
    with pytest.raises(InputError, match="markers"):
        with_section(text, "new")
