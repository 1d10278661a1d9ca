"""Near-duplicates are found in a crowd; what only looks alike is left alone."""

import random
import time

import pytest

from naoshi.evals.suites.likeness import near_duplicates
from naoshi.records import Assertion, EvalCase
from tests.evals.examples import case

WORDS = "order shop please send invoice deliver cancel refund customer address today 品物 注文 住所 返金".split()


def mail(case_id: str, text: str, value: str = "yes", **more: object) -> EvalCase:
    wanted = (Assertion(type="equals", value=value, transform="output.answer"),)
    return case(case_id, vars={"mail": text}, assertions=wanted, **more)


def found(*cases: EvalCase, threshold: float = 0.9) -> list[list[str]]:
    return [[item.case_id for item in group.cases] for group in near_duplicates(cases, threshold=threshold)]


LONG = "Dear shop, the parcel came late and wet, and the invoice names another street. Please send a new one. Bye, Hana"


@pytest.mark.parametrize(
    "other",
    [
        LONG,
        LONG.upper(),
        LONG.replace(", ", ",\n   "),
        LONG.replace("late", "later"),
        LONG.translate({ord(mark): ord(mark) + 0xFEE0 for mark in "Dearshop"}),
    ],
    ids=["equal", "capitals", "spacing", "a letter", "full width"],
)
def test_texts_that_differ_in_nothing_that_matters_are_near_duplicates(other: str):
    """A mail that came twice is one test, however it was typed."""
    assert found(mail("a", LONG), mail("b", other)) == [["a", "b"]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (mail("a", LONG), mail("b", "Where is my order? It should have been here last week, says your own mail.")),
        (mail("a", f"{LONG} Order A1000"), mail("b", f"{LONG} Order A1037")),
        (mail("a", "box/007.csv"), mail("b", "box/008.csv")),
        (mail("a", LONG), mail("b", LONG, value="no")),
    ],
    ids=["another text", "another number", "another document", "something else is wanted"],
)
def test_what_tests_something_else_is_no_near_duplicate(one: EvalCase, other: EvalCase):
    """Two orders with other numbers are two orders, and a contradiction is no duplicate."""
    assert found(one, other) == []


ASKED = "第{}号の請求書の合計金額が先日のお見積りと違うようですので、もう一度ご確認のうえ返信してください。"


@pytest.mark.parametrize("number", ["12", "１２", "十二", "A-12"])
def test_japanese_texts_are_near_duplicates_where_their_numbers_are_equal(number: str):
    """Protects Japanese suites: a sentence has no spaces, so that a number in it must not stand for all of it."""
    first = mail("a", ASKED.format(number))
    assert found(first, mail("b", ASKED.format(number).replace("ください", "下さい"))) == [["a", "b"]]
    for other in ("13", "十三", "A-13"):
        assert found(first, mail("b", ASKED.format(other))) == []


def test_two_fields_of_one_document_are_two_cases():
    """Cases of one input that check different fields say different things."""
    total = (Assertion(type="equals", value="12", transform="output.total"),)
    date = (Assertion(type="equals", value="12", transform="output.date"),)
    assert found(case("a", assertions=total), case("b", assertions=date)) == []


def test_rules_in_words_are_compared_as_words():
    """Two rubrics on one input that say nearly the same are near-duplicates."""
    rules = [
        "The answer thanks the customer for the patience and names the day on which the parcel arrives.",
        "The answer thanks the customer for the patience, and names the day on which the parcel arrives.",
        "The answer must not promise a refund before a person has looked at the invoice of the order.",
    ]
    cases = [case(f"c{n}", assertions=(Assertion(type="llm-rubric", value=rule),)) for n, rule in enumerate(rules)]
    assert found(*cases) == [["c0", "c1"]]


def test_documents_are_compared_by_what_they_say():
    """Two paths whose files have the same text are the same input under two names."""
    texts = {"box/a.txt": LONG, "box/b.txt": LONG, "box/c.txt": "another text altogether, about something else"}
    cases = [mail(name, name) for name in texts]
    groups = near_duplicates(cases, text_of=lambda value: texts.get(value, value))
    assert [[item.case_id for item in group.cases] for group in groups] == [["box/a.txt", "box/b.txt"]]


def test_a_crowd_of_near_duplicates_is_one_group():
    """Hundreds of the same are told once, as one group with the least likeness in it."""
    cases = [mail(f"c{number}", LONG + "!" * (number % 3)) for number in range(300)]
    (group,) = near_duplicates(cases)
    assert len(group.cases) == 300
    assert 0.9 <= group.likeness <= 1


def test_pairs_hidden_among_thousands_are_found_in_seconds():
    """Thousands of cases are looked through in a moment, and every planted pair of them is found."""
    rng = random.Random(7)
    texts = [" ".join(rng.choice(WORDS) for _ in range(40)) + f" A{number}" for number in range(3_950)]
    planted = [text.replace("please", "pleas", 1) for text in texts[:50]]
    cases = [mail(f"c{number}", text) for number, text in enumerate([*texts, *planted])]
    began = time.monotonic()
    groups = near_duplicates(cases)
    assert time.monotonic() - began < 30
    assert sorted([item.case_id for item in group.cases] for group in groups) == sorted(
        [f"c{number}", f"c{3_950 + number}"] for number in range(50)
    )
