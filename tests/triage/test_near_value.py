"""Finding almost the same text in a source."""

import random

from hypothesis import given
from hypothesis import strategies as st

from naoshi.triage.misread_text import around, misread_places
from naoshi.triage.near_value import edit_distance, near_value
from naoshi.triage.settings import TriageSettings
from tests.triage.triage_world import source

GROUPS = TriageSettings().misread_characters


def naive(text: str, wanted: str) -> int:
    """Return the smallest distance of *wanted* to any part of *text*, by the textbook's table."""
    row = [0] * (len(text) + 1)
    for index, character in enumerate(wanted, start=1):
        before, row[0] = row[0], index
        for place, other in enumerate(text, start=1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (character != other))
    return min(row)


@given(st.text("abc", max_size=40), st.text("abc", min_size=5, max_size=12))
def test_the_distance_is_that_of_the_textbook(text: str, wanted: str) -> None:
    """The fast search finds the same smallest distance as the slow table."""
    found = near_value(source((text,)), wanted, within=len(wanted) - 1)
    slow = naive(text, wanted)
    assert (found.distance if found is not None else None) == (slow if slow < len(wanted) and text else None)


def test_the_nearest_place_is_named_with_all_its_lines() -> None:
    """A near text may go over a line's end."""
    document = source(("NOTHING", "NO 5, JALAN BESAR", "81100 JOHOR BAHRU", "NOTHING"))
    found = near_value(document, "NO 5 JALAN BESR 81100 JOHOR BAHRU", within=2)
    assert found is not None
    assert (found.distance, [item.line for item in found.place]) == (1, [2, 3])


def test_short_values_and_far_ones_have_no_near_value() -> None:
    """Almost anything is near to three characters."""
    assert near_value(source(("TOTAL 9.00",)), "9.01", within=2) is None
    assert near_value(source(("TOTAL 9.00",)), "BOOK SHOP", within=2) is None
    assert near_value(source(()), "BOOK SHOP", within=2) is None


def test_a_large_source_is_searched_in_a_moment() -> None:
    """The search takes one step a character, however long the value."""
    lot = random.Random(1)
    lines = ["".join(lot.choices("ABCDEFGH ", k=60)) for _ in range(1_000)]
    assert near_value(source(lines), "ZZZZ" + lines[900] + "ZZZZ", within=9) is not None


@given(st.text("ab", max_size=8), st.text("ab", max_size=8))
def test_edit_distance_is_a_distance(left: str, right: str) -> None:
    """It is symmetrical, and nought only for equal texts."""
    assert edit_distance(left, right) == edit_distance(right, left)
    assert (edit_distance(left, right) == 0) == (left == right)


def test_misread_characters_are_seen_through_but_only_whole_words_count() -> None:
    """0 for O is OCR's; a dropped letter at the end is a person's."""
    document = source(("B0OK SH0P", "TOTAL 8,1I8円", "令和5年7月2曰"))
    assert [place[0].line for place in misread_places(document, "BOOK SHOP", GROUPS)] == [1]
    assert [place[0].line for place in misread_places(document, "8,118", GROUPS)] == [2]
    assert [place[0].line for place in misread_places(document, "令和5年7月2日", GROUPS)] == [3]
    for cut in ("BOOK SHO", "OOK SHOP", "118", "令和5年7月2", "SHPO"):
        assert misread_places(document, cut, GROUPS) == (), cut


def test_what_stands_around_a_value_is_found_by_letters_and_digits() -> None:
    """Spacing and punctuation inside the value do not hide it."""
    assert around("HQ: BOOK-SHOP  SDN BHD", "book shop") == ("HQ: ", "  SDN BHD")
    assert around("nothing", "book shop") == ("", "")
