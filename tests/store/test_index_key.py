"""Keys that any database can index."""

import re

from hypothesis import given
from hypothesis import strategies as st

from naoshi.store.index_key import index_key, text_key

texts = st.text(st.characters() | st.sampled_from("\0\\\ud800\udfff0d#"), max_size=12)


@given(left=texts, right=texts)
def test_keys_are_equal_only_where_texts_are(left: str, right: str) -> None:
    """Two records of different names must never meet under one key."""
    assert (text_key(left) == text_key(right)) == (left == right)


@given(text=texts | st.text(min_size=390, max_size=420).map(lambda text: text * 3))
def test_a_key_is_what_every_database_takes(text: str) -> None:
    """No NUL, no lone surrogate, and short enough for an index page of PostgreSQL."""
    key = text_key(text)
    assert not re.search("[\0\ud800-\udfff]", key)
    assert len(key.encode()) < 2_700


def test_long_texts_that_begin_alike_differ() -> None:
    """A long path differs from its neighbour in the last letter only."""
    assert text_key("x" * 5000 + "a") != text_key("x" * 5000 + "b")
    assert text_key("x" * 401) != text_key("x" * 402)


def test_values_keep_their_kind() -> None:
    """Truth values are numbers, None is none, and a number is never its text."""
    assert [index_key(value) for value in (None, True, False, 7, "7")] == [None, 1, 0, 7, "7"]
