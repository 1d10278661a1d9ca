"""Joining new cases with old ones."""

from hypothesis import given
from hypothesis import strategies as st

from naoshi.evals.merge import merge_cases
from naoshi.records import Assertion, EvalCase
from tests.evals.examples import case, minted


def test_the_same_case_again_is_a_duplicate():
    """Protects the suite against repetition, whatever the threshold or the comparison have become since."""
    old = minted("12.30")
    stricter = old.model_copy(update={"threshold": 0.9})
    report = merge_cases([old], [old, stricter])
    assert report.added == ()
    assert [new for new, _ in report.duplicates] == [old, stricter]


def test_a_contradiction_is_named_and_not_added():
    """Protects the suite against asking for two things at once."""
    old, new = minted("12.30"), minted("13.30")
    report = merge_cases([old], [new])
    assert (report.added, report.duplicates) == ((), ())
    assert (report.contradictions[0].new, report.contradictions[0].other) == (new, old)
    assert "1330" in report.contradictions[0].reason
    assert "1230" in report.contradictions[0].reason


def test_of_two_new_ones_that_contradict_each_other_neither_is_added():
    """Protects against the luck of order: nobody knows which of the two people was right."""
    report = merge_cases([], [minted("12.30"), minted("13.30"), minted("直し", field="company")])
    assert [added.provenance.field for added in report.added] == ["company"]
    assert len(report.contradictions) == 2


def test_a_value_and_its_absence_contradict_each_other():
    """Protects against a contradiction between assertions of different kinds."""
    assert merge_cases([minted("12.30")], [minted(None)]).added == ()


def test_a_hand_written_case_is_seen_too():
    """Protects against a contradiction with a case of another identifier that asserts the same field of the input."""
    old = minted("12.30")
    mine = case("mine", vars=old.vars, assertions=old.assertions)
    other = case("other", vars=old.vars, assertions=(old.assertions[0].model_copy(update={"value": "9"}),))
    report = merge_cases([mine], [old, other])
    assert [new for new, _ in report.duplicates] == [old]
    assert [item.new for item in report.contradictions] == [other]


CASES = st.builds(
    lambda document, field, value: case(
        f"case_{document}_{field}",
        vars={"document": document},
        assertions=(Assertion(type="equals", value=value, transform=f"output.{field}"),),
    ),
    st.sampled_from("ab"),
    st.sampled_from("xy"),
    st.sampled_from("123"),
)


@given(old=st.lists(CASES, max_size=3), new=st.lists(CASES, max_size=6), data=st.data())
def test_what_is_added_does_not_depend_on_order(old: list[EvalCase], new: list[EvalCase], data: st.DataObject):
    """Protects determinism, and that nothing added contradicts anything."""
    old = list(merge_cases([], old).added)
    report = merge_cases(old, new)
    shuffled = merge_cases(old, data.draw(st.permutations(new)))
    assert {item.content_hash for item in report.added} == {item.content_hash for item in shuffled.added}
    assert len(report.added) + len(report.duplicates) + len(report.contradictions) == len(new)
    final = [*old, *report.added]
    assert merge_cases([], final).contradictions == ()
    assert len({item.case_id for item in final}) == len(final)
