"""Amounts and dates in all the ways that people write them, and what they must not be taken for."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.records import FieldKind
from naoshi.triage.written_value import amounts, dates, possibly_the_same, surely_the_same, values_in

AMOUNT, DATE, TEXT = FieldKind.amount, FieldKind.date, FieldKind.text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1,200", {"1200"}),
        ("1200.00", {"1200"}),
        ("１，２００円", {"1200"}),
        ("¥1,200-", {"1200"}),
        ("1,200-", {"-1200"}),
        ("￥1,200", {"1200"}),
        ("RM 1,200.50", {"1200.50"}),
        ("1.200,50 EUR", {"1200.50"}),
        ("1 200,50", {"1200.50"}),
        ("1.200", {"1.2", "1200"}),
        ("(12.50)", {"-12.50"}),
        ("▲500", {"-500"}),
        ("-$5", {"-5"}),
        ("3万円", {"30000"}),
        (12.5, {"12.5"}),
        ("0", {"0"}),
    ],
)
def test_an_amount_is_read_as_every_number_that_it_may_be(text: object, wanted: set[str]) -> None:
    """Currencies, separators and signs are understood, and ambiguity is kept."""
    assert amounts(text) == {Decimal(item) for item in wanted}


@pytest.mark.parametrize(
    "text", ["", None, "RM", "12-3", "12/3", "1,20,0,0,", "12 apples", "(12", "12)", "1.2.3.4.5", "九", "x" * 99]
)
def test_what_is_no_amount_is_not_read_as_one(text: object) -> None:
    """Dates, words and broken numbers are not amounts."""
    assert amounts(text) == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "2018-03-14", "2018/3/14", "2018.03.14", "20180314", "14/03/2018", "14-3-18", "(14/03/2018)",
        "14 MAR 2018", "14-Mar-18", "14MAR2018", "March 14, 2018", "14th March 2018", "Wed, 14 March 2018",
        "2018年3月14日", "２０１８年３月１４日", "平成30年3月14日", "H30.3.14", "2018-03-14T08:13:00Z",
        "14/03/2018 8:13 PM", "2018-03-14 08:13:39", "2018年3月14日(水)",
    ],
)  # fmt: skip
def test_one_day_in_many_ways_of_writing(text: str) -> None:
    """All these are the 14th of March 2018."""
    found = dates(text)
    assert found is not None
    assert date(2018, 3, 14) in found.all
    assert surely_the_same(DATE, text, "2018-03-14")


@pytest.mark.parametrize(
    "text", ["", None, "14/03", "2018-13-41", "30/02/2018", "1,200.00", "march", "12345", "9" * 70]
)
def test_what_is_no_date_is_not_read_as_one(text: object) -> None:
    """Impossible days and other numbers are not dates."""
    assert dates(text) is None


def test_ambiguous_dates_are_possibly_but_not_surely_the_same() -> None:
    """Two dates that agree only when one is read day first and the other month first are not equal."""
    assert possibly_the_same(DATE, "03/04/2018", "04/03/2018")
    assert not surely_the_same(DATE, "03/04/2018", "04/03/2018")
    assert not surely_the_same(DATE, "18-03-14", "14-03-18")
    assert surely_the_same(DATE, "03/04/2018", "03-04-18")
    assert surely_the_same(DATE, "03/04/2018", "2018-04-03")
    assert surely_the_same(DATE, "2018/03/14", "14-03-18")
    assert not possibly_the_same(DATE, "03/04/2018", "03/05/2018")


def test_different_amounts_and_plain_texts_are_never_the_same_value() -> None:
    """Only a field that holds amounts or dates has two ways of writing."""
    assert surely_the_same(AMOUNT, "1,200", "1200.00")
    assert not surely_the_same(AMOUNT, "12.00", "1,200")
    assert not surely_the_same(TEXT, "1,200", "1200.00")
    assert not possibly_the_same(AMOUNT, "", None)


def test_values_are_found_in_a_line_as_they_are_written() -> None:
    """Amounts are not cut out of dates or times, nor dates out of longer numbers."""
    assert values_in(AMOUNT, "TOTAL RM31.00 x 2 on 12/3/2018 at 8:13, 合計 ¥1,200") == ("RM31.00", "2", "¥1,200")
    assert values_in(DATE, "DATE:25/12/2018 8:13 令和6年3月1日 20180428") == ("25/12/2018", "令和6年3月1日", "20180428")
    assert values_in(TEXT, "TOTAL 31.00") == ()


@given(st.dates(min_value=date(1970, 1, 1), max_value=date(2069, 12, 31)))
def test_a_day_is_the_same_in_every_way_of_writing(day: date) -> None:
    """Whatever the day, its ways of writing are possibly the same, and never another day in the unambiguous ones."""
    ways = [
        day.isoformat(),
        f"{day.day}/{day.month}/{day.year}",
        f"{day:%d-%m-%y}",
        f"{day.year}年{day.month}月{day.day}日",
    ]
    for way in ways:
        assert possibly_the_same(DATE, day.isoformat(), way)
        found = dates(way)
        assert found is not None and day in found.all


@given(st.integers(0, 10**9), st.integers(0, 99))
def test_an_amount_is_the_same_in_every_way_of_writing(whole: int, cents: int) -> None:
    """Separators, currency and width do not change an amount; a cent does."""
    plain = f"{whole}.{cents:02d}"
    for way in (f"{whole:,}.{cents:02d}", f"RM {plain}", f"${plain}"):
        assert surely_the_same(AMOUNT, plain, way)
    assert not surely_the_same(AMOUNT, plain, f"{whole}.{(cents + 1) % 100:02d}")


@given(st.text(max_size=80))
def test_reading_never_fails(text: str) -> None:
    """Whatever the text, it is read or it is not; nothing is raised."""
    amounts(text)
    dates(text)
    for kind in FieldKind:
        values_in(kind, text)
