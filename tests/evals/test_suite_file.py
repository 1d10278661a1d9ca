"""Editing suites so that only what changed is touched."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from naoshi.errors import MissingPathError, NotFoundError, SuiteError
from naoshi.evals.settings import EvalSettings
from naoshi.evals.suite_file import SuiteFile
from naoshi.evals.suite_load import load_suite
from naoshi.evals.suite_reader import read_cases
from naoshi.evals.suite_writer import suite_text
from naoshi.records import Assertion, EvalCase, Provenance, Split
from tests.evals.examples import case, minted

TOUCHED_BY_PEOPLE = """\
# Our cases.  Please keep the order!
description:   'ours'   # odd spacing
prompts: ["{{document}}"]
providers: [naoshi]

x-polite: &polite {type: not-contains, value: "sorry"}

tests:
    # the first one, from the pilot
    - vars: { document: "box/001.csv" }   # quoted on purpose
      assert: [*polite]
      metadata: {case_id: one}

    -
      # why: a customer complained
      vars:
        document: >-
          box/002.csv
      assert:
        - *polite
      metadata:
        case_id: two
        # nothing follows
    - vars: {document: 'box/003.csv', note: "日本語 🎉"}
      assert: [*polite]
      metadata: {case_id: three}   # the last

# tail comment
tags: {team: ours}
"""


def opened(tmp_path: Path, text: str, name: str = "ours.yaml") -> SuiteFile:
    path = tmp_path / name
    path.write_bytes(text.encode())
    return SuiteFile.open(path)


def saved(suite: SuiteFile, tmp_path: Path, name: str = "ours.yaml") -> str:
    suite.save()
    return (tmp_path / name).read_bytes().decode()


def test_nothing_is_written_when_nothing_changed(tmp_path: Path):
    """Protects people's files byte for byte."""
    suite = opened(tmp_path, TOUCHED_BY_PEOPLE)
    before = (tmp_path / "ours.yaml").stat()
    assert suite.add([]).remove([]).save() is False
    assert (tmp_path / "ours.yaml").stat().st_mtime_ns == before.st_mtime_ns


def test_adding_only_adds(tmp_path: Path):
    """Protects comments, order, quoting, anchors and everything else that stands there."""
    text = saved(opened(tmp_path, TOUCHED_BY_PEOPLE).add([minted("12.30")]), tmp_path)
    head, tail = TOUCHED_BY_PEOPLE.split("\n\n# tail comment")
    assert text.startswith(head + "\n    - description: total of box/007.csv is 12.30, not 11.30\n      vars:\n")
    assert text.endswith("\n\n# tail comment" + tail)
    assert [item.case_id for item in load_suite(tmp_path / "ours.yaml").cases][:3] == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("gone", "first", "last"),
    [
        ("one", '    - vars: { document: "box/001.csv" }', "metadata: {case_id: one}\n"),
        ("two", "    -\n      # why: a customer", "case_id: two\n"),
        ("three", "    - vars: {document: 'box/003.csv'", "# the last\n"),
    ],
)
def test_removing_cuts_the_case_and_nothing_else(tmp_path: Path, gone: str, first: str, last: str):
    """Protects the neighbours and their comments."""
    start = TOUCHED_BY_PEOPLE.index(first)
    end = TOUCHED_BY_PEOPLE.index(last, start) + len(last)
    suite = opened(tmp_path, TOUCHED_BY_PEOPLE).remove([gone])
    assert saved(suite, tmp_path) == TOUCHED_BY_PEOPLE[:start] + TOUCHED_BY_PEOPLE[end:]


def test_all_can_be_removed_and_others_added(tmp_path: Path):
    """Protects the list that becomes empty."""
    suite = opened(tmp_path, TOUCHED_BY_PEOPLE).remove(["one", "two", "three"])
    assert suite.cases == ()
    suite.add([minted("12.30")])
    assert "# tail comment" in saved(suite, tmp_path)
    assert len(load_suite(tmp_path / "ours.yaml").cases) == 1


def test_what_is_added_and_removed_again_leaves_the_bytes_as_they_were(tmp_path: Path):
    """Protects against drift."""
    new = minted("12.30")
    suite = opened(tmp_path, TOUCHED_BY_PEOPLE).add([new]).remove([new.case_id])
    assert suite.save() is False


@pytest.mark.parametrize(
    "text",
    ["tests: []\n", "tests:\n", "tests: # none yet\n", "tests: [] # none yet\ntags: {a: b}\n", "tests: ~", "tests:",
     "tests: []\r\ntags: {a: b}\r\n", "tests:\n- vars: {x: 1}\n  metadata: {case_id: a}",
     "tests:\n- vars: {x: 1}\n  description: |\n    two\n    lines\n\n# end\n", "\ufefftests: []\n",
     '"tests":\n  - vars: {x: 1}\n', "a: &a {x: 1}\n".replace("a:", "x-a:") + "tests:\n  - vars: *a\n",
     "tests:\n  - vars: {x: 1}\n    metadata:\n      case_id: a\n      category:\n"],
)  # fmt: skip
def test_a_list_of_any_style_takes_a_case(tmp_path: Path, text: str):
    """Protects suites written in other ways: what stood there stands there still."""
    suite = opened(tmp_path, text)
    before = suite.cases
    found = saved(suite.add([minted("12.30")]), tmp_path)
    assert load_suite(tmp_path / "ours.yaml").cases[:-1] == before
    assert all(line.strip() in found for line in text.splitlines() if "[]" not in line and "~" not in line)
    assert ("\r\n" in text) == ("\r\n" in found)
    assert found.replace("\r\n", "").count("\n") == 0 or "\r\n" not in text


@pytest.mark.parametrize("text", ['{"tests": []}', "tests: [{vars: {x: 1}, metadata: {case_id: a}}]\n"])
def test_a_list_in_brackets_is_refused_and_left_alone(tmp_path: Path, text: str):
    """Protects what we cannot edit safely."""
    with pytest.raises(SuiteError, match="brackets"):
        opened(tmp_path, text).add([minted("12.30")])
    assert (tmp_path / "ours.yaml").read_text() == text


def test_a_case_that_others_lean_on_is_not_cut(tmp_path: Path):
    """Protects anchors: removing the case that defines one would break the rest."""
    text = "tests:\n  - vars: &v {x: 1}\n    metadata: {case_id: a}\n  - vars: *v\n    metadata: {case_id: b}\n"
    suite = opened(tmp_path, text)
    with pytest.raises(SuiteError, match="cannot be edited safely"):
        suite.remove(["a"])
    assert suite.save() is False


def test_another_splits_case_never_enters_a_file(tmp_path: Path):
    """Protects the holdout."""
    hidden = minted("12.30").model_copy(update={"split": Split.holdout})
    with pytest.raises(SuiteError, match="must not enter"):
        SuiteFile.open(tmp_path / "diagnose.yaml").add([hidden])


def test_a_contradicting_case_and_an_unknown_one_are_refused(tmp_path: Path):
    """Protects identifiers: one identifier is one case."""
    suite = SuiteFile.open(tmp_path / "ours.yaml").add([minted("12.30")])
    with pytest.raises(SuiteError, match="asks for something else"):
        suite.add([minted("13.30")])
    with pytest.raises(NotFoundError):
        suite.remove(["nobody"])
    assert len(suite.add([minted("12.30")]).cases) == 1


def test_a_change_by_someone_else_is_not_overwritten(tmp_path: Path):
    """Protects against lost edits."""
    suite = opened(tmp_path, TOUCHED_BY_PEOPLE).add([minted("12.30")])
    (tmp_path / "ours.yaml").write_text("tests: []\n")
    with pytest.raises(SuiteError, match="while it was being edited"):
        suite.save()
    (tmp_path / "ours.yaml").unlink()
    with pytest.raises(SuiteError, match="while it was being edited"):
        suite.save()


def test_a_fresh_file_and_its_folder_are_made(tmp_path: Path):
    """Protects the first mint in a repository."""
    path = tmp_path / "evals" / "deep" / "validate.yaml"
    with pytest.raises(MissingPathError):
        load_suite(path)
    new = minted("12.30").model_copy(update={"split": Split.validate_})
    assert SuiteFile.open(path).add([new]).save() is True
    assert load_suite(path).cases == (new,)


def test_half_a_character_cannot_be_written(tmp_path: Path):
    """Protects the file: it stays UTF-8."""
    with pytest.raises(SuiteError):
        SuiteFile.open(tmp_path / "ours.yaml").add([case(vars={"x": "a\ud83d"})])


HOSTILE = st.sampled_from(
    ["{{x}}", "{% if %}", "{# c #}", "a: b", "- a", "# no", "'", '"', "\\", "| >", "\n", " \n ", "\t", "yes", "null",
     "0o17", "1_000", "12:30", "2018-03-14", "0x1f", "1e3", "~", "<<", "=", "!tag", "&a", "*a", "%", "@", "`", "?",
     "---", "...", "\x85", "\u2028", "\ufeff", "\x7f", "\0", "日本語 🎉", "file://x", "package:y", "\r\n",
     "  indented\n   more", "- x\n\n"]
)  # fmt: skip
TEXT = st.lists(HOSTILE | st.text(st.characters(exclude_categories=["Cs"]), max_size=5), max_size=4).map("".join)
JSON: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
ASSERTIONS = st.one_of(
    st.builds(Assertion, type=st.just("equals"), value=JSON.filter(lambda value: value is not None)),
    st.builds(Assertion, type=st.sampled_from(["contains", "not-contains"]), value=TEXT.filter(bool), metric=st.none()),
    st.builds(Assertion, type=st.just("llm-rubric"), value=TEXT.filter(str.strip), threshold=st.floats(0.1, 1)),
)
CASES = st.builds(
    EvalCase,
    case_id=TEXT.filter(bool),
    description=TEXT,
    vars=st.dictionaries(TEXT, JSON, max_size=3),
    assertions=st.lists(ASSERTIONS, max_size=3).map(tuple),
    category=TEXT.filter(bool),
    threshold=st.floats(0.01, 1),
    split=st.just(Split.diagnose),
    source_key=TEXT.filter(bool),
    provenance=st.builds(Provenance, trace_id=st.none() | TEXT, observed=JSON, corrected=JSON),
)


@settings(max_examples=60)
@given(cases=st.lists(CASES, max_size=3, unique_by=lambda item: item.case_id))
def test_any_case_survives_the_file(cases: list[EvalCase]):
    """Protects values: whatever a document or a person wrote is read back as it was, Promptfoo's templates included."""
    data = suite_text(tuple(cases), description="all").encode()
    read = read_cases(data, name="x.yaml", stem="x", settings=EvalSettings())
    assert tuple(item.case for item in read) == tuple(cases)
