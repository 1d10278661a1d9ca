"""Cases that cannot all pass are found, and those that can are not called contradictory."""

import pytest
from pydantic import JsonValue

from naoshi.evals.suites.contradictions import contradictions
from naoshi.records import Assertion, EvalCase, Provenance
from tests.evals.examples import case


def equals(case_id: str, value: JsonValue, transform: str = "output.total", **more: object) -> EvalCase:
    return case(case_id, assertions=(Assertion(type="equals", value=value, transform=transform),), **more)


def from_correction(case_id: str, corrected: JsonValue, *assertions: Assertion, field: str = "total") -> EvalCase:
    origin = Provenance(
        trace_id=f"trace of {case_id}", correction_id=f"of {case_id}", artifact="fields", field=field,
        corrected=corrected,
    )  # fmt: skip
    return case(case_id, assertions=assertions, provenance=origin)


def pairs(*cases: EvalCase) -> list[list[str]]:
    return [[item.case_id for item in found.cases] for found in contradictions(cases)]


def test_two_values_for_one_field_of_one_input():
    """The plainest contradiction, with what each case wants."""
    (found,) = contradictions([equals("a", "12"), equals("b", "13"), equals("c", "12", "output.date")])
    assert ([item.case_id for item in found.cases], found.wanted) == (["a", "b"], ('"12"', '"13"'))
    assert found.field == "output.total"


def test_inputs_that_differ_in_spacing_and_width_are_one_input():
    """Typing the same question in another way does not hide that it has two answers."""
    one = equals("a", "12", vars={"say": "Total  of box 7?"})
    other = equals("b", "13", vars={"say": "total of\nＢＯＸ 7?"})
    assert pairs(one, other) == [["a", "b"]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Assertion(type="contains", value="yes"), Assertion(type="not-contains", value="yes")),
        (Assertion(type="equals", value="yes"), Assertion(type="not-equals", value="yes")),
        (Assertion(type="regex", value="^a"), Assertion(type="not-regex", value="^a")),
    ],
    ids=lambda item: item.type,
)
def test_an_assertion_and_its_opposite(one: Assertion, other: Assertion):
    """What one case asks for, the other forbids."""
    assert pairs(case("a", assertions=(one,)), case("b", assertions=(other,))) == [["a", "b"]]


def test_corrections_of_one_field_that_disagree():
    """Rubrics made of corrections contradict each other when people wrote different values."""
    rule = Assertion(type="llm-rubric", value="It is polite.")
    assert pairs(from_correction("a", "Hana Ltd", rule), from_correction("b", "Aki Ltd", rule)) == [["a", "b"]]
    assert pairs(from_correction("a", "RM 12.30", rule), from_correction("b", "rm12.30", rule)) == []


@pytest.mark.parametrize(
    "cases",
    [
        (equals("a", "12"), equals("b", "12")),
        (equals("a", "12"), equals("b", "13", vars={"say": "another"})),
        (equals("a", "12"), equals("b", "13", "output.date")),
        (equals("a", "12"), case("b", assertions=(Assertion(type="equals", value="13", transform="output.total",
                                                            weight=0),))),
        (case("a", assertions=(Assertion(type="contains", value="x"),)),
         case("b", assertions=(Assertion(type="contains", value="y"),))),
        (case("a", assertions=(Assertion(type="latency", threshold=1), Assertion(type="latency", threshold=2))),),
    ],
    ids=["same", "another input", "another field", "no weight", "both can be", "one case"],
)  # fmt: skip
def test_what_can_pass_together_is_no_contradiction(cases: tuple[EvalCase, ...]):
    """A false alarm would teach people to look away."""
    assert pairs(*cases) == []


def test_three_that_disagree_are_told_together_and_once():
    """One finding for one field of one input, whatever ways lead to it."""
    wanted = [from_correction(name, value, Assertion(type="equals", value=value, transform="output.total"))
              for name, value in (("a", "1"), ("b", "2"), ("c", "3"))]  # fmt: skip
    assert pairs(*wanted) == [["a", "b", "c"]]
