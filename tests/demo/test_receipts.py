"""Reading receipts with their truths, setting a part aside, and scoring."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.demo.receipts import FIELDS, field_is_right, read_receipts, right_fields, score_receipts, set_aside
from naoshi.errors import InputError, MissingPathError

TRUTH = {"company": "A & B Ltd.", "date": "01/02/2024", "address": "1 Mill Yard, York", "total": "9.00"}


def _folder(tmp_path: Path, names: list[str]) -> Path:
    for part in ("box", "key"):
        (tmp_path / part).mkdir()
    for name in names:
        (tmp_path / "box" / f"{name}.csv").write_text("0,0,9,0,9,9,0,9,HELLO\n")
        (tmp_path / "key" / f"{name}.json").write_text(json.dumps(TRUTH))
    return tmp_path


def test_a_field_is_right_when_letters_and_digits_are_equal() -> None:
    """Case, spacing, points and full width do not count; a digit does."""
    assert field_is_right("A & B Ltd.", "a b  LTD")
    assert field_is_right("２０２４年", "2024年")
    assert not field_is_right("9.00", "9.01")
    assert not field_is_right("9.00", None)
    assert field_is_right(None, "")


@given(st.text(), st.text())
def test_being_right_is_symmetric(one: str, other: str) -> None:
    """Which value is called the truth makes no difference, and a value is right about itself."""
    assert field_is_right(one, other) == field_is_right(other, one)
    assert field_is_right(one, one)


def test_scoring_counts_documents_and_fields() -> None:
    """Three of four fields right count for 75 % and not for 90 %; no answer has no field right."""
    answers = [(TRUTH, TRUTH), (TRUTH, {**TRUTH, "total": "1.00"}), (TRUTH, None)]
    score = score_receipts(answers)
    assert (score.documents, score.fields_right) == (3, 7)
    assert (score.at_least_75, score.at_least_90, score.all) == (2 / 3, 1 / 3, 1 / 3)
    assert score.by_field == {"company": 2 / 3, "date": 2 / 3, "address": 2 / 3, "total": 1 / 3}
    assert not any(right_fields(TRUTH, None).values())


def test_scoring_nothing_gives_zero_and_no_error() -> None:
    """An empty holdout scores 0 everywhere rather than failing, and never looks perfect."""
    score = score_receipts([])
    assert (score.documents, score.at_least_75, score.all) == (0, 0.0, 0.0)


def test_reading_gives_documents_and_truths_by_name(tmp_path: Path) -> None:
    """Receipts come sorted by name with a path relative to the folder."""
    receipts = read_receipts(_folder(tmp_path, ["b", "a"]))
    assert [receipt.document for receipt in receipts] == ["box/a.csv", "box/b.csv"]
    assert receipts[0].truth == TRUTH


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    """A folder that is not there, or has no box, is one clear error."""
    with pytest.raises(MissingPathError, match="nowhere"):
        read_receipts(tmp_path / "nowhere")
    with pytest.raises(MissingPathError, match="box"):
        read_receipts(tmp_path)


def test_a_document_without_truth_is_refused(tmp_path: Path) -> None:
    """A missing truth never counts as an empty one."""
    folder = _folder(tmp_path, ["a"])
    (folder / "key" / "a.json").unlink()
    with pytest.raises(MissingPathError, match=r"a\.csv"):
        read_receipts(folder)


@pytest.mark.parametrize("content", ["", "[]", '{"company": 1}', "not json", '{"total": ["9.00"]}'])
def test_a_malformed_truth_is_refused(tmp_path: Path, content: str) -> None:
    """A truth that is no object of texts is an error that names the file."""
    folder = _folder(tmp_path, ["a"])
    (folder / "key" / "a.json").write_text(content)
    with pytest.raises(InputError, match=r"a\.json"):
        read_receipts(folder)


def test_setting_aside_is_by_seed_and_loses_nothing(tmp_path: Path) -> None:
    """The same seed sets the same receipts aside, another one others, and each receipt is in one part."""
    receipts = read_receipts(_folder(tmp_path, [f"{number:02d}" for number in range(30)]))
    working, held = set_aside(receipts, seed=1)
    assert (working, held) == set_aside(reversed(receipts), seed=1)
    assert held != set_aside(receipts, seed=2)[1]
    assert len(held) == 10
    assert {receipt.name for receipt in working + held} == {receipt.name for receipt in receipts}


def test_the_real_receipts_can_be_read(shared_data: Path) -> None:
    """All 400 real receipts have a truth with all four fields."""
    receipts = read_receipts(shared_data / "receipts")
    assert len(receipts) == 400
    assert all(receipt.truth[field] for receipt in receipts for field in FIELDS)
