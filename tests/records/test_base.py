"""What all records share."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.records import Assertion, CaseResult

NAMES = set(Assertion.model_fields)


@given(
    st.text(max_size=20), st.none() | st.floats(0, 1), st.dictionaries(st.text(max_size=5), st.integers(), max_size=3)
)
def test_a_record_of_checked_parts_is_like_any_other(name: str, threshold: float | None, value: dict[str, int]):
    """Protects the short way of making a record: equal, as JSON, as a copy and as a pickle the same."""
    usual = Assertion(type=name, value=value, threshold=threshold)  # type: ignore[arg-type]
    short = Assertion.of_checked(NAMES, dict(usual))
    assert short == usual
    assert short.to_json() == usual.to_json()
    assert short.model_copy(update={"weight": 2.0}) == usual.model_copy(update={"weight": 2.0})
    assert pickle.loads(pickle.dumps(short)) == usual  # noqa: S301
    with pytest.raises(ValueError, match="frozen"):
        short.type = "other"  # type: ignore[misc]


@pytest.mark.parametrize("fields", [{}, {"case_id": "a"}, {"case_id": "a", "odd": 1}])
def test_a_record_with_other_fields_is_refused(fields: dict[str, object]):
    """Protects against a record that lacks a field which was added since: that fails where it is made."""
    with pytest.raises(TypeError, match="other fields"):
        CaseResult.of_checked(set(CaseResult.model_fields), fields)
