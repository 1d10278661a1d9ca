"""Where a value stands in a source, and where it only seems to."""

from hypothesis import given
from hypothesis import strategies as st

from naoshi.records import Comparison, SourceDocument, SourceLine


def document(*lines: str) -> SourceDocument:
    return SourceDocument(path="a.csv", lines=tuple(SourceLine(number=n, text=t) for n, t in enumerate(lines, start=1)))


def lines_of(
    source: SourceDocument, value: object, comparison: Comparison = Comparison.letters_and_digits
) -> list[list[int]]:
    return [[item.line or 0 for item in place] for place in source.places(value, comparison)]


def test_a_value_stands_on_a_line_or_over_several() -> None:
    """Spacing, case, width and punctuation aside, each place is a run of lines."""
    source = document("BOOK SHOP", "NO 5, JALAN BESAR,", "81100 JOHOR", "TOTAL 9.00", "CASH ９．００")
    assert lines_of(source, "Book-Shop") == [[1]]
    assert lines_of(source, "no 5 jalan besar 81100 johor") == [[2, 3]]
    assert lines_of(source, "9.00") == [[4], [5]]
    assert lines_of(source, "SHOP NO") == [[1, 2]]


def test_a_part_of_a_word_or_number_is_not_a_place() -> None:
    """A dropped character or digit does not stand inside the longer word."""
    source = document("BOOKS", "TOTAL 19.00", "DATE 25/12/2018", "RM31.00 ABC9")
    for part in ("BOOK", "OOKS", "9.00", "19", "12/2018", "25/12/20", "31", "1.00"):
        assert lines_of(source, part) == [], part
    assert lines_of(source, "31.00") == [[4]]
    assert lines_of(source, "ABC") == [[4]]


def test_nothing_stands_nowhere_and_too_many_lines_are_no_place() -> None:
    """An empty value has no place; neither has one that is scattered over a page."""
    source = document(*"ABCDEFGHIJ")
    for empty in (None, "", " ", "--"):
        assert lines_of(source, empty) == []
    assert lines_of(source, "ABCDEFGH") == [list(range(1, 9))]
    assert lines_of(source, "ABCDEFGHI") == []


def test_the_other_comparisons_look_for_the_text_itself() -> None:
    """Exact and spacing comparisons keep case and punctuation."""
    source = document("Book  Shop", "TOTAL: 9.00")
    assert lines_of(source, "Book Shop", Comparison.spacing) == [[1]]
    assert lines_of(source, "Book Shop", Comparison.exact) == []
    assert lines_of(source, "book shop", Comparison.spacing) == []
    assert lines_of(source, "Shop TOTAL:", Comparison.spacing) == [[1, 2]]


@given(st.lists(st.text(max_size=12), max_size=6), st.data())
def test_every_line_stands_where_it_is(lines: list[str], data: st.DataObject) -> None:
    """A whole line of a document is always found at its own number."""
    source = document(*lines)
    for number, text in enumerate(lines, start=1):
        if Comparison.letters_and_digits.key(text).isascii() and Comparison.letters_and_digits.key(text):
            assert any(number in place for place in lines_of(source, text))
