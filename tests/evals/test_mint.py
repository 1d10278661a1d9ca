"""Making cases of corrections."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pydantic import JsonValue

from naoshi.errors import MintRefusedError
from naoshi.evals.mint import mint
from naoshi.evals.score import score
from naoshi.evals.settings import EvalSettings
from naoshi.records import (
    Artifact,
    Comparison,
    EvalCase,
    FieldRule,
    FieldRules,
    ResultState,
    SourceDocument,
    TriageClass,
)
from tests.evals.examples import LOOSE, correction, minted, trace, triage

EXACT = FieldRules()
SPACED = FieldRules(default=FieldRule(comparison=Comparison.spacing))


def test_a_case_asks_for_the_corrected_field_in_comparable_form():
    """Protects the shape that the brief of evals promises: Promptfoo's equals over the letters and digits."""
    case = minted("RM 12.30")
    assert case.vars == {"document": "box/007.csv"}
    assert case.assertions[0].type == "equals"
    assert case.assertions[0].value == "RM1230"
    assert case.assertions[0].transform == r"output.total.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()"
    assert (case.category, case.source_key, case.threshold) == ("total", "box/007.csv", 0.7)
    assert (case.provenance.observed, case.provenance.corrected) == ("11.30", "RM 12.30")


@pytest.mark.parametrize("decision", [item for item in TriageClass if item is not TriageClass.defect])
def test_only_a_defect_becomes_a_case(decision: TriageClass):
    """Protects L3: nothing that a person did not call a defect becomes a test."""
    with pytest.raises(MintRefusedError, match=decision.value):
        mint(correction("1"), triage(decision), trace=trace({"total": "2"}), fields=LOOSE, settings=EvalSettings())


@pytest.mark.parametrize("same", ["11.30", "1130", " 11.30 ", "11,30"])
def test_what_the_recorded_output_passes_already_is_refused(same: str):
    """Protects the suite against cases that show nothing."""
    with pytest.raises(MintRefusedError, match="does not fail"):
        minted(same)


def test_a_value_with_nothing_to_compare_is_refused():
    """Protects against a case that any punctuation would pass."""
    with pytest.raises(MintRefusedError, match="nothing that the comparison counts"):
        minted("---")


def test_foreign_triage_or_trace_is_refused():
    """Protects provenance: the three belong together."""
    with pytest.raises(MintRefusedError, match="another correction"):
        mint(correction("1"), triage(correction_id="c2"), trace=trace({}), fields=LOOSE, settings=EvalSettings())
    with pytest.raises(MintRefusedError, match="another run"):
        mint(correction("1", trace_id="t2"), triage(), trace=trace({}), fields=LOOSE, settings=EvalSettings())


def test_a_run_that_cannot_be_asked_again_gives_no_case():
    """Protects against a case without input."""
    with pytest.raises(MintRefusedError, match="what the agent was asked"):
        mint(correction("1"), triage(), trace=trace({"total": "2"}, vars={}), fields=LOOSE, settings=EvalSettings())


def test_a_run_that_promptfoo_would_read_otherwise_gives_no_case():
    """Protects that suites run unchanged there: a JSON reference in what was asked would be filled in."""
    asked = trace({"total": "11.30"}).model_copy(update={"vars": {"api": {"paths": [{"$ref": "#/components/x"}]}}})
    with pytest.raises(MintRefusedError, match=r"\$ref"):
        mint(correction("RM 12.30"), triage(), trace=asked, fields=LOOSE, settings=EvalSettings())


@pytest.mark.parametrize("corrected", [None, ""])
@pytest.mark.parametrize("output", [{"total": None}, {"total": ""}, {}, {"company": "x"}])
def test_a_field_that_must_be_empty_passes_as_null_empty_or_absent(corrected: JsonValue, output: JsonValue):
    """Protects corrections that take a wrong value away."""
    case = minted(corrected)
    assert score(case, output).state is ResultState.pass_
    assert score(case, {"total": "11.30"}).state is ResultState.fail
    assert score(case, None).state is ResultState.fail


@pytest.mark.parametrize(
    ("observed", "corrected", "right"), [(12.5, "13.50", 13.5), (3, "4", 4.0), (True, "false", False), (12.5, 14, 14)]
)
def test_a_number_stays_a_number(observed: JsonValue, corrected: JsonValue, right: JsonValue):
    """Protects agents that put out numbers, though people type text."""
    case = minted(corrected, output={"total": observed})
    assert score(case, {"total": right}).state is ResultState.pass_
    assert score(case, {"total": observed}).state is ResultState.fail


@pytest.mark.parametrize(
    ("output", "artifacts", "transform"),
    [
        ({"total": "1"}, (), "output.total"),
        ({"fields": {"total": "1"}}, (), "output.fields.total"),
        ({"fields": {}}, (), "output.fields.total"),
        (None, (), "output.total"),
        ({}, (Artifact(name="fields", value={}),), "output.total"),
    ],
)
def test_the_field_is_looked_up_where_the_output_has_it(output: JsonValue, artifacts: tuple, transform: str):
    """Protects agents whose output is the record, or holds it by its artifact's name, or failed altogether."""
    run = trace(output, artifacts=artifacts)
    case = mint(correction("2"), triage(), trace=run, fields=EXACT, settings=EvalSettings())
    assert case.assertions[0].transform == transform


def test_a_text_output_is_compared_as_a_whole():
    """Protects agents that answer in plain text."""
    case = minted("Paris", output="London", fields=EXACT, artifact="answer", field="answer")
    assert case.assertions[0].transform is None
    assert score(case, "Paris").state is ResultState.pass_


def test_a_field_that_no_case_could_see_is_refused():
    """Protects against a case on something that the agent's output does not hold."""
    kept = (Artifact(name="fields", value={"total": "1"}),)
    with pytest.raises(MintRefusedError, match="does not hold"):
        run = trace({"status": "done"}, artifacts=kept)
        mint(correction("2"), triage(), trace=run, fields=EXACT, settings=EvalSettings())


def test_the_same_correction_again_is_the_same_case():
    """Protects the suite against growing with every repetition, by another person and another run."""
    again = correction("12.30", correction_id="correction_2", trace_id="trace_2", practitioner="mei")
    run = trace({"total": "10.30"}, trace_id="trace_2")
    case = mint(again, triage(correction_id="correction_2"), trace=run, fields=LOOSE, settings=EvalSettings())
    assert case.case_id == minted("12.30").case_id
    assert case.content_hash == minted("12.30").content_hash


def test_a_rubric_is_made_of_the_reason_where_truth_is_not_literal():
    """Protects L6: the reason becomes a positive rule, and the rejected text must not come again."""
    settings = EvalSettings(rubric_fields=frozenset({"fields.summary"}))
    case = minted("The goods arrived late.", output={"summary": "All fine."}, settings=settings, field="summary",
                  submitted="All fine.", reason="A summary names every delay.")  # fmt: skip
    assert [item.type for item in case.assertions] == ["llm-rubric", "not-contains"]
    assert "A summary names every delay." in str(case.assertions[0].value)
    assert score(case, {"summary": "Another text."}).state is ResultState.not_run
    assert score(case, {"summary": "All fine."}).state is ResultState.fail


def test_cases_of_one_source_are_in_one_split():
    """Protects against leaks from the splits: by document, else by the only source, else by the input."""
    by_source = trace({"total": "1"}, sources=(SourceDocument(path="box/007.csv", lines=()),))
    bare = mint(correction("2", document=None), triage(), trace=by_source, fields=LOOSE, settings=EvalSettings())
    other_field = minted("直し", field="company", submitted="x", output={"company": "x"})
    assert {bare.source_key, other_field.source_key} == {"box/007.csv"}
    assert bare.split is other_field.split


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=40)


@given(before=st.none() | TEXT, after=TEXT, rules=st.sampled_from([EXACT, SPACED, LOOSE]))
def test_a_minted_case_fails_before_and_passes_after_or_is_refused(before: str | None, after: str, rules: FieldRules):
    """Protects the promise of a case, for hostile values too (templates, quotes, control characters)."""
    output: dict[str, JsonValue] = {"total": before, "company": "{{x}}"}
    try:
        case: EvalCase = minted(after, output=output, fields=rules)
    except MintRefusedError:
        comparison = rules.default.comparison
        assume(comparison.same(before, after) or comparison.key(after) == "" or after.isspace())
        return
    assert score(case, output).state is ResultState.fail
    assert score(case, {**output, "total": after}).state is ResultState.pass_
