"""The forms that people write suites in: tables, files of tests, defaults, lists of values."""

import json
from pathlib import Path

import pytest

from naoshi.errors import SuiteError
from naoshi.evals.csv_tests import assertion_from_text
from naoshi.evals.score import score
from naoshi.evals.suite_file import SuiteFile
from naoshi.evals.suite_load import load_suite
from naoshi.evals.suite_writer import case_items
from naoshi.records import EvalCase, ResultState

HEAD = "prompts: [x]\nproviders: [naoshi]\n"


def read(folder: Path, tests: str, **files: str) -> tuple[EvalCase, ...]:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".", 1)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (folder / "suite.yaml").write_text(HEAD + tests, encoding="utf-8")
    return load_suite(folder / "suite.yaml", root=folder).cases


def refusal(folder: Path, tests: str, **files: str) -> str:
    with pytest.raises(SuiteError) as caught:
        read(folder, tests, **files)
    assert "\n" not in caught.value.line()
    return caught.value.message


def test_lists_of_text_make_several_tests_and_other_lists_do_not(tmp_path: Path):
    """Protects the number of tests: each combination is one, with an identifier of its own."""
    cases = read(
        tmp_path,
        "tests:\n  - vars: {a: [x, y], b: [1, 2], c: [p, q]}\n    assert: [{type: equals, value: '{{ a }}{{ c }}'}]\n"
        "    metadata: {case_id: mine}\n",
    )
    assert [case.assertions[0].value for case in cases] == ["xp", "xq", "yp", "yq"]
    assert [case.case_id for case in cases] == ["mine-1", "mine-2", "mine-3", "mine-4"]
    assert {str(case.vars["b"]) for case in cases} == {"[1, 2]"}


def test_too_many_combinations_are_refused_before_they_are_made(tmp_path: Path):
    """Protects memory."""
    lists = ", ".join(f"v{number}: [{', '.join('abcdefghij')}]" for number in range(6))
    assert "more than 100000 tests" in refusal(tmp_path, f"tests:\n  - vars: {{{lists}}}\n")


def test_what_a_test_leaves_out_comes_from_the_default(tmp_path: Path):
    """Protects defaultTest: vars, assertions, threshold, options and metadata, each as Promptfoo joins them."""
    first, second = read(
        tmp_path,
        "defaultTest:\n  vars: {lang: en, tone: kind}\n  threshold: 0.6\n  metadata: {category: safety}\n"
        "  assert: [{type: contains, value: '{{ lang }}'}]\n  options: {transform: output.text}\n"
        "tests:\n"
        "  - vars: {lang: ja}\n    assert: [{type: equals, value: x, transform: output.trim()}]\n"
        "  - threshold: 0.9\n    options: {disableDefaultAsserts: true}\n    assert: [{type: is-json}]\n",
    )
    assert first.vars == {"lang": "ja", "tone": "kind"}
    assert [item.type for item in first.assertions] == ["contains", "equals"]
    assert first.assertions[0].value == "ja"
    assert [item.transform for item in first.assertions] == ["output.text", "output.text.trim()"]
    assert (first.threshold, first.category) == (0.6, "safety")
    assert ([item.type for item in second.assertions], second.threshold) == (["is-json"], 0.9)


def test_files_of_tests_are_read_in_order(tmp_path: Path):
    """Protects suites in parts: YAML, JSON, JSON lines, tables and patterns, with the defaults of the suite."""
    cases = read(
        tmp_path,
        "defaultTest: {metadata: {category: all}}\ntests:\n  - file://parts/*.yaml\n  - c.jsonl\n  - path: d.csv\n"
        "  - {vars: {n: 9}}\n",
        parts__a_yaml="- vars: {n: 1}\n- vars: {n: 2}\n",
        parts__b_yaml="vars: {n: 3}\n",
        c_jsonl='{"vars": {"n": 4}, "assert": [{"type": "equals", "value": "{{ n }}"}]}\n\n{"vars": {"n": 5}}\n',
        d_csv='n,__expected,__metadata:category\n6,"contains-any: a,b",\n7,,other\n',
    )
    assert [str(case.vars["n"]) for case in cases] == ["1", "2", "3", "4", "5", "6", "7", "9"]
    assert [case.category for case in cases] == ["all"] * 6 + ["other", "all"]
    assert (cases[3].assertions[0].value, cases[5].assertions[0].value) == ("4", ["a", "b"])


def test_a_file_of_tests_is_read_anew_when_it_changes(tmp_path: Path):
    """Protects against stale cases: what is remembered of a suite never covers other files."""
    assert len(read(tmp_path, "tests: a.jsonl\n", a_jsonl="{}\n")) == 1
    assert len(read(tmp_path, "tests: a.jsonl\n", a_jsonl='{}\n{"vars": {"x": 1}}\n')) == 2


def test_values_and_code_in_other_files_are_part_of_the_case(tmp_path: Path):
    """Protects the comparison of runs: another text in the file is another case."""
    tests = (
        "tests:\n  - vars: {x: file://x.txt}\n    assert:\n      - {type: equals, value: file://v.json}\n"
        "      - {type: python, value: 'file://check.py:holds'}\n      - {type: is-json, value: file://v.json}\n"
    )
    files = {
        "x_txt": " hi\n",
        "v_json": '{"type": "object"}',
        "check_py": "def holds(o, c): return c['vars']['x'] == 'hi'",
    }
    (case,) = read(tmp_path, tests, **files)
    assert case.vars == {"x": "hi"}
    assert score(case, {"type": "object"}).state is ResultState.pass_
    (other,) = read(tmp_path, tests, **{**files, "check_py": "def holds(o, c): return False"})
    assert other.content_hash != case.content_hash


@pytest.mark.parametrize(
    ("tests", "told"),
    [
        ("tests: ../outside.yaml\n", "outside the suite's folder"),
        ("tests: /etc/passwd\n", "outside the suite's folder"),
        ("tests: file://*.nothing\n", "no file"),
        ("tests: a.py\n", "'a.py' are not supported"),
        ("tests: https://docs.google.com/spreadsheets/x\n", "at an address"),
        ("tests:\n  - {path: a.csv, config: {x: 1}}\n", "`config` is not supported"),
        ("tests:\n  - vars: {x: file://../secret.txt}\n", "outside the suite's folder"),
        ("tests:\n  - vars: {x: file://picture.png}\n", "not supported"),
        ("tests:\n  - assert: [{type: python, value: file://../check.py}]\n", "outside the suite's folder"),
        ("tests:\n  - assert: [{type: equals, value: file://a.py}]\n", "not supported"),
        ("tests:\n  - assert: [{type: python, value: 'file://bad.py'}]\n", "no Python"),
        ("tests:\n  - vars: {a: '{{ b }}', b: '{{ a }}'}\n", "names itself"),
        ("tests:\n  - options: {transform: 'JSON.parse(output)'}\n    assert: [{type: is-json}]\n", "outside what we"),
        (
            "defaultTest:\n  options: {provider: openai:gpt}\ntests: [{vars: {x: 1}}]\n",
            "the judge is set in naoshi.toml",
        ),
        ("defaultTest: {prompts: [x]}\ntests: [{vars: {x: 1}}]\n", "`prompts` in `defaultTest`"),
        ("scenarios: []\ntests: []\n", "`scenarios` at the top"),
        ("tests:\n  - vars: {q: {$ref: 'a.csv'}}\n", "line 4: `$ref` is not supported"),
        ("tests:\n  - assert: [{$ref: '#/x'}]\n", "line 4: `$ref` is not supported"),
        ("tests:\n  - assert: [{type: is-json, value: {$ref: '#/x'}}]\n", "line 4: `$ref` is not supported"),
        ("tests: !mine\n  - vars: {x: 1}\n", "tag '!mine'"),
        ("tests:\n  - !mine\n    vars: {x: 1}\n", "tag '!mine'"),
        ("tests:\n  - vars: !mine {x: 1}\n", "tag '!mine'"),
        ("tests:\n  - !mine vars: {x: 1}\n", "'vars' (!mine)"),
        ("tests:\n  - assert: [{type: assert-set, value: x}]\n", "'assert-set' is not supported"),
        ("tests:\n  - assert: [{type: latency}]\n", "needs a `threshold`"),
        ("tests:\n  - assert: [{type: is-json, value: 'not a schema'}]\n", "no mapping"),
        ("tests:\n  - assert: [{type: is-json, value: {typo: object}}]\n", "keyword 'typo'"),
        ("tests:\n  - assert: [{type: is-json, value: {format: email}}]\n", "format 'email'"),
    ],
)
def test_what_we_lack_is_an_error_that_names_it(tmp_path: Path, tests: str, told: str):
    """Protects against a silent pass, and files outside the guarded folder against being pulled in."""
    (tmp_path / "suite").mkdir()
    (tmp_path / "secret.txt").write_text("x")
    assert told in refusal(
        tmp_path / "suite", tests, a_py="x = 1", a_csv="x\n1\n", bad_py="def (", picture_png="x", check_py="x = 1"
    )


def test_several_prompts_are_refused(tmp_path: Path):
    """Protects the count: Promptfoo would run each test once for each prompt."""
    (tmp_path / "s.yaml").write_text("prompts: [a, b]\nproviders: [x]\ntests: [{vars: {x: 1}}]\n")
    with pytest.raises(SuiteError, match="several `prompts`"):
        load_suite(tmp_path / "s.yaml")


def test_two_rows_that_are_one_test_are_told_with_both_lines(tmp_path: Path):
    """Protects people with long tables: which rows, in which file, and what to do."""
    told = refusal(tmp_path, "tests: [t.csv, u.jsonl]\n", t_csv="a,__expected\n1,x\n2,x\n1,x\n", u_jsonl="")
    assert "t.csv, line 4: case_" in told and told.endswith("stands here and at line 2")
    line = '{"vars": {"a": "1"}, "assert": [{"type": "equals", "value": "x"}]}'
    told = refusal(tmp_path, "tests: [t.csv, u.jsonl]\n", t_csv="a,__expected\n2,x\n1,x\n", u_jsonl=f"\n{line}\n")
    assert "u.jsonl, line 2: case_" in told and told.endswith("stands here and at t.csv, line 3")


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("a,b\n1\n", "line 2: 1 fields under a head of 2"),
        ("a,__providerOutput\n1,2\n", "'__providerOutput' is not supported"),
        ("a,__threshold\n1,high\n", "'high' is no number"),
        ("a,__expected\n1,similar: x\n", "'similar' is not supported"),
        ("a,__expected\n1,javascript: true\n", "'javascript' is not supported"),
        ('a\n"1\n', "line 2"),
    ],
)
def test_a_wrong_table_is_told_with_its_line(tmp_path: Path, rows: str, told: str):
    """Protects people who keep tests in a table."""
    assert told in refusal(tmp_path, "tests: t.csv\n", t_csv=rows)


@pytest.mark.parametrize(
    ("text", "kind", "value", "threshold"),
    [
        ("plain text", "equals", "plain text", None),
        ("a: b", "equals", "a: b", None),
        ("equals: x ", "equals", "x", None),
        ("equals:hi", "equals", "hi", None),
        ("contains:a:b-c", "contains", "a:b-c", None),
        ("not-contains:sorry", "not-contains", "sorry", None),
        ("starts-with:https://x", "starts-with", "https://x", None),
        ("not-equals(2):is", "not-equals", "is", 2.0),
        ("contains-json:\n{}", "contains-json", "\n{}", None),
        ("equal:hi", "equals", "equal:hi", None),
        ("nothing:contains:x", "equals", "nothing:contains:x", None),
        ("evaluate", "equals", "evaluate", None),
        ("eval", "equals", "eval", None),
        ("eval: output.ok", "javascript", " output.ok", None),
        ("not-icontains: X", "not-icontains", "X", None),
        ("levenshtein(2): abc", "levenshtein", "abc", 2.0),
        ("latency(500)", "latency", None, 500.0),
        ("grade: is polite", "llm-rubric", " is polite", None),
        ("is-json", "is-json", None, None),
        ("python: len(output) > 3", "python", "len(output) > 3", None),
        ("file://check.py:f", "python", "file://check.py:f", None),
    ],
)
def test_a_field_says_its_assertion(text: str, kind: str, value: str | None, threshold: float | None):
    """Protects tables: the short form is read as Promptfoo reads it, and ordinary text is a text to be equal to."""
    assertion = assertion_from_text(text)
    assert (assertion["type"], assertion.get("value"), assertion.get("threshold")) == (kind, value, threshold)


def test_only_what_stands_by_itself_is_cut_out_of_a_suite(tmp_path: Path):
    """Protects people's files: a case from elsewhere, or one of several of a test, is theirs to take out."""
    read(tmp_path, "tests:\n  - vars: {x: [a, b]}\n  - more.jsonl\n  - vars: {y: 1}\n", more_jsonl="{}\n")
    suite = SuiteFile.open(tmp_path / "suite.yaml")
    first, second, elsewhere, own = (case.case_id for case in suite.cases)
    for case_id in (first, elsewhere):
        with pytest.raises(SuiteError, match="cannot be edited"):
            SuiteFile.open(tmp_path / "suite.yaml").remove([case_id])
    suite.remove([first, second, own])
    assert [case.case_id for case in suite.cases] == [elsewhere]


def test_a_variable_from_a_file_is_its_text_as_in_promptfoo(tmp_path: Path):
    """Protects what the agent is asked: JSON in a file is a text, never a list that makes several tests."""
    cases = read(
        tmp_path,
        "tests:\n  - vars: {a: file://a.json, b: file://b.yaml, c: [file://c.md, said]}\n",
        a_json=' ["x",  "y"]\n',
        b_yaml="- x\n- {n: 1.0}\n",
        c_md="\ufeff# Title\n\n",
    )
    assert [case.vars for case in cases] == [
        {"a": '["x",  "y"]', "b": '["x",{"n":1}]', "c": "# Title"},
        {"a": '["x",  "y"]', "b": '["x",{"n":1}]', "c": "said"},
    ]


def test_one_line_break_at_the_end_of_a_variable_goes_as_in_promptfoo(tmp_path: Path):
    """Protects block texts, and cases that we write ourselves, which keep every line break."""
    (case,) = read(tmp_path, 'tests:\n  - vars:\n      a: |\n        hello\n      b: "x\\n\\n"\n')
    assert case.vars == {"a": "hello", "b": "x\n"}
    (again,) = read(tmp_path, f"tests:\n{case_items((case,), indent=2)}")
    assert again.vars == case.vars


def test_json_with_characters_in_two_halves_is_read(tmp_path: Path):
    """Protects files of tests that Python's json.dumps wrote, which escapes each emoji as two."""
    told = {"vars": {"q": "\U0001f600\\ud83d\U0001f363"}, "assert": [{"type": "equals", "value": "{{ q }}"}]}
    cases = read(tmp_path, "tests: [t.json]\n", t_json=json.dumps([told], indent="\t"))
    assert [(case.vars["q"], case.assertions[0].value) for case in cases] == [(told["vars"]["q"],) * 2]  # type: ignore[index]
    assert "Unicode" in refusal(tmp_path, "tests: [t.json]\n", t_json='[{"vars": {"q": "\\ud83d"}}]')


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_a_file_of_tests_in_another_encoding_is_refused_with_its_line(tmp_path: Path, name: str):
    """Protects against tests of garbled text, which would pass on garbled answers."""
    text = "q,__expected\na,a\n日本,日本\n" if name == "t.csv" else '{"vars": {"q": "a"}}\n\n{"vars": {"q": "日本"}}\n'
    (tmp_path / name).write_bytes(text.encode("cp932"))
    assert refusal(tmp_path, f"tests: {name}\n") == f"{name}, line 3: not UTF-8 text"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"vars": {"q": 1e400}}', "beyond what a float holds"),
        ('{"vars": {"q": [{"n": -1e400}]}}', "beyond what a float holds"),
        (f'{{"assert": [{{"type": "contains", "value": "a", "weight": 1{"0" * 400}}}]}}', "beyond what a float holds"),
        ('{"vars": {"q": {"$ref": "#/x"}}}', "`$ref` is not supported"),
        (f'{{"vars": {{"q": {"[" * 900}"$ref"{"]" * 900}}}}}', "nested deeper than 64"),
    ],
)
def test_numbers_and_references_that_json_lines_cannot_mean_are_refused(tmp_path: Path, line: str, told: str):
    """Protects the run from values that no agent can be sent, and from what only Promptfoo would fill in."""
    message = refusal(tmp_path, "tests: t.jsonl\n", t_jsonl=f'{{"vars": {{"q": 1}}}}\n{line}\n')
    assert message.startswith("t.jsonl, line 2: ")
    assert told in message


def test_a_table_holds_documents_and_no_column_twice(tmp_path: Path):
    """Protects long inputs, and against an assertion that a second column of its name would hide."""
    (case,) = read(tmp_path, "tests: t.csv\n", t_csv=f"q,__expected,,\n{'a' * 200_000},contains:a,,\n")
    assert len(str(case.vars["q"])) == 200_000
    told = refusal(tmp_path, "tests: t.csv\n", t_csv="q,__expected,__expected\na,contains:b,contains:a\n")
    assert told == "t.csv, line 1: the column '__expected' stands twice"


@pytest.mark.parametrize("reference", ["a" * 5000 + ".yaml", "a**b.yaml", "x" * 300 + "*/b.csv", '"a\\0b.yaml"'])
def test_a_reference_that_is_no_path_is_refused(tmp_path: Path, reference: str):
    """Protects against tracebacks of the file system."""
    assert refusal(tmp_path, f"tests: {reference}\n").startswith("suite.yaml, line 3: ")


def test_references_of_a_schema_in_a_file_are_kept(tmp_path: Path):
    """Protects schemas with definitions: Promptfoo does not fill in what an assertion reads from a file."""
    schema = '{"properties": {"a": {"$ref": "#/definitions/n"}}, "definitions": {"n": {"type": "number"}}}'
    (case,) = read(tmp_path, "tests:\n  - assert: [{type: is-json, value: file://s.json}]\n", s_json=schema)
    assert score(case, '{"a": 1}').state is ResultState.pass_
    assert score(case, '{"a": "x"}').state is ResultState.fail
