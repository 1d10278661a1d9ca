"""JUnit XML that every reader takes, whatever an agent says."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from naoshi.gate.decide import decide
from naoshi.gate.policy import GatePolicy
from naoshi.records import EvalRun
from naoshi.ui.ci.junit import junit_xml, legal, write_junit
from tests.gate.runs import NOW, result, run

HOSTILE = "<b>&\"'</b> ]]> <![CDATA[x]]> \x00\x07\x1b[31m\ud800\uffff\r\n直し 😀 &#0; &lol;"
SUITE = {"name", "package", "id", "timestamp", "hostname", "tests", "failures", "errors", "skipped", "time"}


def document(candidate: EvalRun, baseline: EvalRun | None = None) -> ElementTree.Element:
    verdict = decide(candidate, baseline, GatePolicy(), now=NOW)
    return parsed(junit_xml(candidate, verdict))


def parsed(data: bytes) -> ElementTree.Element:
    return ElementTree.fromstring(data)  # noqa: S314 - it is our own document


def test_each_state_is_what_readers_take_it_for():
    """A failure is a failure; no answer, no grade and not run are errors, never skipped and never passed."""
    states = ("pass", "fail", "agent_error", "judge_error", "not_run")
    root = document(run(*(result(state, state, reason=f"so {state}") for state in states)))
    tests = {test.attrib["name"]: test for test in root.findall("testsuite[@name='general']/testcase")}
    assert [child.tag for child in tests["pass"]] == []
    assert [child.tag for child in tests["fail"]] == ["failure"]
    for state in states[2:]:
        (fault,) = tests[state]
        assert (fault.tag, fault.attrib["type"], fault.text) == ("error", state, f"so {state}")
    assert root.findall(".//skipped") == []


def test_the_gate_has_a_suite_of_its_own():
    """What blocks is red by category, so that the reason for the exit status is in the report."""
    before = run(*(result(f"a{n}", category="a") for n in range(5)), result("b", category="b"), version="v0")
    after = run(*(result(f"a{n}", "fail", "a") for n in range(5)), result("b", category="b"))
    policy = GatePolicy(policy="literal")
    root = parsed(junit_xml(after, decide(after, before, policy, now=NOW)))
    gate = {
        test.attrib["name"]: [child.tag for child in test]
        for test in root.findall("testsuite[@name='naoshi gate']/testcase")
    }
    assert gate == {"a": ["failure"], "b": [], "verdict": ["failure"]}


def test_no_category_is_green_when_the_runs_do_not_compare():
    """A reader of the file must not take a category of an incomparable verdict for approved."""
    root = document(run(result("a"), settings_hash="x"), run(result("a")))
    gate = {
        test.attrib["name"]: [child.tag for child in test]
        for test in root.findall("testsuite[@name='naoshi gate']/testcase")
    }
    assert gate == {"general": ["error"], "verdict": ["error"]}


def test_the_shape_is_that_of_the_usual_schema():
    """Attributes, their forms, the order of children and the counts, as JUnit's readers have them."""
    candidate = run(result("a", latency_ms=1500), result("b", "fail", "other"), result("c", "agent_error"))
    root = document(candidate)
    assert root.tag == "testsuites"
    for place, suite in enumerate(root):
        assert (suite.tag, set(suite.attrib), suite.attrib["id"]) == ("testsuite", SUITE, str(place))
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.attrib["timestamp"])
        tags = [child.tag for child in suite]
        assert tags[0] == "properties" and tags[-2:] == ["system-out", "system-err"]
        assert set(tags[1:-2]) == {"testcase"}
        tests = suite.findall("testcase")
        assert all(set(test.attrib) == {"name", "classname", "time"} for test in tests)
        assert int(suite.attrib["tests"]) == len(tests)
        for name, tag in (("failures", "failure"), ("errors", "error")):
            assert int(suite.attrib[name]) == sum(test.find(tag) is not None for test in tests)
    assert root.attrib == {}
    assert root.find("testsuite/testcase[@name='a']").attrib["time"] == "1.500"  # type: ignore[union-attr]


def test_hostile_text_stays_text():
    """Markup, control characters, lone surrogates and entities of an agent's output change nothing but the text."""
    candidate = run(result(HOSTILE, "fail", HOSTILE, reason=HOSTILE * 3, output=HOSTILE))
    data = junit_xml(candidate, decide(candidate, None, GatePolicy(), now=NOW))
    root = parsed(data)
    (fault,) = root.iter("failure")
    assert "</b> ]]>" in (fault.text or "")
    assert "\\x00\\x07\\x1b" in (fault.text or "") and "\\ud800" in (fault.text or "")
    assert {child.tag for child in root.iter()} <= {
        "testsuites", "testsuite", "properties", "property", "testcase", "failure", "error", "system-out",
        "system-err",
    }  # fmt: skip
    assert not re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]", data)


def test_long_texts_are_cut():
    """One answer of a hundred megabytes does not make a report of a hundred megabytes."""
    candidate = run(result("a", "fail", reason="x" * 10**7))
    assert len(junit_xml(candidate, decide(candidate, None, GatePolicy(), now=NOW))) < 20_000


def test_trials_have_names_of_their_own():
    """Readers merge tests of one name, so that a failed trial would hide behind a passed one."""
    root = document(run(result("a"), result("a", "fail", trial=1)))
    names = [test.attrib["name"] for test in root.findall("testsuite[@name='general']/testcase")]
    assert names == ["a", "a (trial 2)"]


def test_the_file_is_written_whole(tmp_path):
    """The report stands where it was asked for, its folder made."""
    candidate = run(result("a"))
    path = tmp_path / "reports" / "junit.xml"
    write_junit(path, candidate, decide(candidate, None, GatePolicy(), now=NOW))
    assert parsed(path.read_bytes()).tag == "testsuites"


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_text_is_legal_in_xml(text: str):
    """Whatever was said, an XML reader takes it, and what was legal before is as it was."""
    shown = legal(text)
    element = ElementTree.Element("a", {"b": shown})
    element.text = shown
    read = parsed(ElementTree.tostring(element, encoding="utf-8"))
    assert (read.text or "") == shown.replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize("mark", ["\x00", "\x0b", "\x1f", "\ufffe", "\ud834"])
def test_what_xml_cannot_hold_is_shown_as_an_escape(mark: str):
    """The reader sees that there was a control character, and which."""
    assert legal(mark) == mark.encode("unicode_escape").decode()
