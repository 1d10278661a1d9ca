"""Reading suites, those that people wrote and those that nobody should have."""

import json
import time
from pathlib import Path

import pytest
from pydantic import JsonValue

from naoshi.errors import MissingPathError, SuiteError
from naoshi.evals.score import score
from naoshi.evals.settings import EvalSettings
from naoshi.evals.suite_load import load_suite
from naoshi.evals.suite_writer import case_items
from naoshi.evals.yaml_document import YamlDocument
from naoshi.records import EvalCase, Provenance, ResultState, Split
from tests.evals.examples import minted

BY_HAND = """\
description: ours
prompts: [x]
providers:
  - naoshi
x-common: &polite
  type: not-contains
  value: sorry
tests:
  - vars: {document: 007.csv, when: 2018-03-14, at: 12:30, yes: no, count: 12, pi: 3.5, off: ~}
    assert:
      - *polite
      - type: equals
        value: "{{ document }}"
        transform: output.name
  - description: loosely
    vars:
      document: 008.csv
    threshold: 0.5
    assert:
      - {type: contains, value: a}
      - {type: contains, value: b, weight: 1}
    metadata: {category: safety, case_id: mine, owner: kenji}
"""


def read(tmp_path: Path, text: str | bytes, name: str = "ours.yaml") -> tuple[EvalCase, ...]:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load_suite(path, root=tmp_path).cases


def test_a_suite_that_people_wrote_is_read_as_promptfoo_reads_it(tmp_path: Path):
    """Protects hand-written suites: YAML 1.2 values, anchors, templates, weights, what was left out."""
    first, second = read(tmp_path, BY_HAND)
    assert first.vars == {
        "document": "007.csv", "when": "2018-03-14", "at": "12:30", "yes": "no", "count": 12, "pi": 3.5, "off": None,
    }  # fmt: skip
    assert [item.value for item in first.assertions] == ["sorry", "007.csv"]
    assert (first.category, first.threshold) == ("general", 1.0)
    assert first.case_id.startswith("case_")
    assert (second.case_id, second.category, second.threshold) == ("mine", "safety", 0.5)


def test_without_a_threshold_every_assertion_must_pass(tmp_path: Path):
    """Protects the meaning that Promptfoo gives to a test without a threshold."""
    parts = "".join(f"      - {{type: contains, value: '{letter}'}}\n" for letter in "abcdefghij")
    (found,) = read(tmp_path, f"tests:\n  - vars: {{x: 1}}\n    assert:\n{parts}")
    assert score(found, "abcdefghij").state is ResultState.pass_
    assert score(found, "abcdefghi").state is ResultState.fail


def test_a_test_without_assertions_is_read_and_never_passes(tmp_path: Path):
    """Protects the denominator: it is not dropped, and it is not a pass."""
    (found,) = read(tmp_path, "tests:\n  - vars: {x: 1}\n")
    assert score(found, "anything").state is ResultState.fail


def test_the_suite_knows_its_name_place_and_digest(tmp_path: Path):
    """Protects what runs and ledgers cite."""
    path = tmp_path / "evals" / "validate.yaml"
    path.parent.mkdir()
    path.write_text(BY_HAND)
    suite = load_suite(path, root=tmp_path)
    assert (suite.name, suite.path, len(suite.digest)) == ("validate", "evals/validate.yaml", 64)
    assert {found.split for found in suite.cases} == {Split.validate_}


def test_a_case_of_another_split_must_not_stand_in_a_file(tmp_path: Path):
    """Protects the holdout: a case marked so is refused in a file that the coding agent sees."""
    text = "tests:\n  - vars: {x: 1}\n    metadata:\n      split: holdout\n"
    with pytest.raises(SuiteError, match=r"line 4: a case of the split holdout must not stand in diagnose\.yaml"):
        read(tmp_path, text, "diagnose.yaml")


TEST = "tests:\n  - vars: {x: 1}\n    assert:\n"


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("", 1, "empty"),
        (" \n\n", 1, "empty"),
        ("# only this\n", 1, "nothing but comments"),
        ("just text\n", 1, "must be a mapping"),
        ("- a\n", 1, "must be a mapping"),
        ("prompts: [x]\n", 1, "no list of `tests`"),
        ("tests: 5\n", 1, "`tests` must be a list, not '5'"),
        ("a: b\ntests: {}\n", 1, "`a` at the top"),
        ("tests: {}\n", 1, "`tests` must be a list, not a mapping"),
        ("tests: file://cases.yaml\n", 1, "no file 'cases.yaml' beside"),
        ("tests:\n  - text\n", 2, "no file 'text' beside"),
        ("tests:\n  - 12\n", 2, "a test must be a mapping, not '12'"),
        ("tests:\n  - vars: [a]\n", 2, "`vars` must be a mapping"),
        ("tests:\n  - vars: {x: '{{ y }}'}\n", 2, "names nothing"),
        ("tests:\n  - vars: {x: 'file://y.txt'}\n", 2, "no file 'y.txt' beside"),
        ("tests:\n  - assert: equals\n", 2, "`assert` must be a list, not 'equals'"),
        ("tests:\n  - vars: {x: 1}\n    provider: other\n", 3, "`provider` in a test"),
        ("tests:\n  - vars: {x: 1}\n  - vars: {x: 1}\n", 3, "stands here and at line 2"),
        ("tests:\n  - vars: {x: 1}\n    vars: {x: 2}\n", 3, "stands twice"),
        ("tests:\n  - vars: {x: 1}\n    threshold: 0\n", 3, "above 0"),
        ("tests:\n  - vars: {x: 1}\n    threshold: .nan\n", 3, "no place in JSON"),
        ("tests:\n  - vars: {x: 1}\n    threshold: high\n", 3, "must be a number"),
        ("tests:\n  - vars: {x: 1}\n    options: {prefix: x}\n", 3, "`prefix` in `options` is not"),
        ("tests:\n  - vars: {x: 1}\n    metadata: {split: test}\n", 3, "no split"),
        ("tests:\n  - vars: {x: 1}\n    metadata: {case_id: 12}\n", 3, "must be text"),
        ("tests:\n  - vars: {x: 1}\n    metadata: {provenance: {who: me}}\n", 3, "provenance.who"),
        ("tests:\n  - vars: {x: !!python/object:os.system ls}\n", 2, "no place in JSON"),
        ("tests:\n  - vars: {x: !secret y}\n", 2, "no place in JSON"),
        ("tests:\n  - vars: {x: !!set {a, b}}\n", 2, "not supported"),
        ("tests:\n  - vars:\n      ? [a]\n      : 1\n", 3, "must be a plain text"),
        ("tests: &a\n  - vars: {x: *a}\n", 1, "leads back into itself"),
        ("tests:\n\t- vars: {x: 1}\n", 2, "cannot start any token"),
        ("tests:\n  - vars: {x: 1}\n   bad: 2\n", 3, "did not find"),
        ("tests: *nobody\n", 1, "undefined alias"),
        ("tests: []\n---\ntests: []\n", 2, "another document"),
        ("tests:\n  - vars: {x: 'a\x01b'}\n", 2, "not allowed"),
        (b"tests:\n  - vars: {x: '\xff'}\n", 2, "not UTF-8"),
        (TEST + "      - type: vibes\n", 4, "'vibes' is not supported"),
        (TEST + "      - type: javascript\n        value: 1\n", 4, "'javascript' is not supported"),
        (TEST + "      - type: assert-set\n        assert: []\n", 4, "'assert-set' is not supported"),
        (TEST + "      - value: x\n", 4, "no `type`"),
        (TEST + "      - equals\n", 4, "must be a mapping"),
        (TEST + "      - {type: equals, value: x, transform: 'output || 1'}\n", 4, "'output || 1' is outside"),
        (TEST + "      - {type: equals, value: x, provider: y}\n", 4, "`provider` in an assertion"),
        (TEST + "      - type: equals\n        threshold: high\n", 5, "`threshold` must be a number"),
        (TEST + "      - type: equals\n        value: '{{ y }}'\n", 5, "names nothing"),
        (TEST + "      - type: equals\n        value: 'file://y.json'\n", 4, "no file 'y.json' beside"),
        (TEST + "      - {type: equals, value: '{% if x %}'}\n", 4, "not supported"),
        (TEST + "      - {type: contains, value: ''}\n", 4, "says nothing"),
        (TEST + "      - {type: equals, value: x, weight: -1}\n", 4, "weight"),
    ],
)
def test_what_is_wrong_is_told_in_one_line_with_its_place(tmp_path: Path, text: str | bytes, line: int, told: str):
    """Protects people: a wrong suite gives file, line and reason, and never a traceback or a silent pass."""
    with pytest.raises(SuiteError) as caught:
        read(tmp_path, text)
    assert f"ours.yaml, line {line}: " in caught.value.message
    assert told in caught.value.message
    assert caught.value.message.count("ours.yaml") == 1
    assert "\n" not in caught.value.line()


def test_a_bomb_of_aliases_is_refused_at_once(tmp_path: Path):
    """Protects memory: nine levels of nine aliases would be some 400 million parts."""
    levels = ["x-a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"x-a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    begun = time.monotonic()
    with pytest.raises(SuiteError, match="aliases grow"):
        read(tmp_path, "\n".join(levels) + "\ntests:\n  - vars: {x: *a8}\n    options: {disableVarExpansion: true}\n")
    assert time.monotonic() - begun < 2


@pytest.mark.parametrize(
    "text", ["[" * 5000, "- " * 5000 + "x", "a: " * 200, "tests:\n - vars: " + "{a: " * 70 + "1" + "}" * 70]
)
def test_what_is_nested_beyond_measure_is_refused(tmp_path: Path, text: str):
    """Protects the stack."""
    with pytest.raises(SuiteError):
        read(tmp_path, text)


def test_a_line_of_a_megabyte_is_read(tmp_path: Path):
    """Protects long documents in vars."""
    (found,) = read(tmp_path, f'tests:\n  - vars: {{x: "{"長" * 400_000}"}}\n')
    assert len(str(found.vars["x"])) == 400_000


def test_a_missing_file_is_named(tmp_path: Path):
    """Protects people: the path is in the message."""
    with pytest.raises(MissingPathError, match="nowhere"):
        load_suite(tmp_path / "nowhere.yaml")
    with pytest.raises(SuiteError, match="cannot read"):
        load_suite(tmp_path)


def test_two_thousand_cases_are_read_fast(tmp_path: Path):
    """Protects the start of every command: some two seconds of one processor at most, nothing when read again."""
    one = case_items((minted("12.30").model_copy(update={"split": Split.diagnose}),), indent=2)
    path = tmp_path / "diagnose.yaml"
    path.write_text("tests:\n" + "".join(one.replace(": case_", f": case_{number}_") for number in range(2000)))
    fresh = EvalSettings(split_salt="read anew")
    begun = time.process_time()
    assert len(load_suite(path, settings=fresh).cases) == 2000
    first = time.process_time()
    load_suite(path, settings=fresh)
    assert first - begun < 3
    assert time.process_time() - first < 0.5


@pytest.mark.parametrize(
    "told",
    [
        {"trace_id": "t", "corrected": "RM 1"},
        {"field": "total", "artifact": "fields", "observed": None},
        {"trace_id": "t", "observed": {"total": 1}, "corrected": [1, "a"]},
        {"schema_version": 1, "group_id": "g"},
        {},
    ],
)
def test_provenance_is_the_record_that_it_says(tmp_path: Path, told: dict[str, JsonValue]):
    """Protects the way back to the trace: however it is read, it is the record, field by field and in order."""
    (found,) = read(tmp_path, f"tests:\n  - vars: {{x: 1}}\n    metadata: {{provenance: {json.dumps(told)}}}\n")
    assert found.provenance == Provenance.model_validate(told)
    assert found.provenance.to_json() == Provenance.model_validate(told).to_json()


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("0b11", 3), ("-0o14", -12), ("+0x1F", 31), ("-.5", "-.5"), ("+.5", "+.5"), (".5", 0.5), ("1_000", "1_000"),
        ("1e400", "1e400"), ("-1e400", "-1e400"), ("9" * 400, "9" * 400), ("0x" + "f" * 300, "0x" + "f" * 300),
    ],
)  # fmt: skip
def test_numbers_are_those_of_the_parser_in_promptfoo(written: str, read: object):
    """Protects what the agent is asked, and the run from numbers that no float holds."""
    document = YamlDocument(name="s.yaml", data=f"q: {written}".encode())
    assert document.value(document.root) == {"q": read}


def test_keys_are_those_of_javascript():
    """Protects the names of variables: whatever stands before the colon becomes a text as in Promptfoo."""
    document = YamlDocument(name="s.yaml", data=b"{0x10: a, 1.0: b, True: c, ~: d, 2018-03-14: e}")
    assert document.value(document.root) == {"16": "a", "1": "b", "true": "c", "null": "d", "2018-03-14": "e"}
