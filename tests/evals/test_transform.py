"""The closed grammar of transforms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from naoshi.errors import SuiteError
from naoshi.evals.javascript import number_text
from naoshi.evals.transform import MissingValueError, compile_transform, field_transform
from naoshi.records import Comparison

LETTERS = r"output.total.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()"


@pytest.mark.parametrize(
    ("expression", "output", "expected"),
    [
        ("output", "x", "x"),
        ("output.a.b", {"a": {"b": 1}}, 1),
        ('output["a b"][1]', {"a b": [0, None]}, None),
        (r"output['it\'s']", {"it's": 1}, 1),
        ('output["é\\n"]', {"é\n": 1}, 1),
        ("output[0]", {"0": "zero"}, "zero"),
        (LETTERS, {"total": "rm 12.30ß ①"}, "RM1230SS①"),
        (r"output.replace(/\s+/g, ' ').trim()", "\u3000a \n b\ufeff", "a b"),
        ("output.trim().toLowerCase()", "  ÀB ", "àb"),
        ("  output.a  ", {"a": 1}, 1),
    ],
)
def test_an_expression_does_what_javascript_does(expression: str, output: JsonValue, expected: JsonValue):
    """Protects the equality of our results with Promptfoo's."""
    assert compile_transform(expression.strip())(output) == expected


@pytest.mark.parametrize(
    "expression",
    ["", "outputs", "output.", "output[", "output[-1]", "output.total || ''", "output.constructor('x')()",
     "JSON.parse(output)", "output?.total", "output.total.replace(/a/g, '')", "output;process.exit()",
     "context.vars.x", "output.a + output.b", "output.toUpperCase().split('')", "file://transform.js",
     "output['a\\'"],
)  # fmt: skip
def test_anything_else_is_refused_by_name(expression: str):
    """Protects against a transform that we would read otherwise than Promptfoo does."""
    with pytest.raises(SuiteError, match="outside what we evaluate"):
        compile_transform(expression)


@pytest.mark.parametrize("output", [None, "x", 1, True, [], {}, {"total": None}, {"total": 5}, {"total": ["x"]}])
def test_what_is_not_there_is_told_in_words(output: JsonValue):
    """Protects the run against an output of any other shape."""
    with pytest.raises(MissingValueError, match="output"):
        compile_transform(LETTERS)(output)


# Unassigned characters are letters to the one library and not yet to the other.
KNOWN_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cn"], max_codepoint=0xFFFF))


@given(name=st.text(min_size=1), text=KNOWN_TEXT, comparison=st.sampled_from(Comparison))
def test_a_field_of_any_name_is_picked_and_brought_to_its_comparable_form(name: str, text: str, comparison: Comparison):
    """Protects minting: equal keys give equal results of the expression, whatever the field is called."""
    expression = field_transform((name,), comparison)
    assert expression is not None
    found = compile_transform(expression)({name: text})
    assert compile_transform(expression)({name: text, "other": 1}) == found
    if comparison is Comparison.letters_and_digits:
        assert found == comparison.key(text)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(1e16, "10000000000000000"), (1e21, "1e+21"), (1e-6, "0.000001"), (1e-7, "1e-7"), (12.0, "12"), (0.1, "0.1"),
     (-0.0, "0"), (1.2345e22, "1.2345e+22"), (5e-324, "5e-324"), (-2.5, "-2.5"), (10**22, "1e+22"), (7, "7")],
)  # fmt: skip
def test_numbers_are_written_as_javascript_writes_them(value: float, expected: str):
    """Protects `equals` on numbers, which Promptfoo compares as texts."""
    assert number_text(value) == expected
