"""A run and its verdict as JUnit XML, as Jenkins, GitLab, GitHub's actions and Maven's Surefire read it."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from naoshi.gate.explain import told_outcome
from naoshi.records import CaseResult, EvalRun, ResultState, Verdict, VerdictOutcome
from naoshi.system.files import write_durably

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONGEST = 4000
_GATE = "naoshi gate"


def write_junit(path: Path, run: EvalRun, verdict: Verdict) -> None:
    """Write *run* and *verdict* to *path*.

    Raises:
        StoreError: the disk or the rights do not allow it; an old file is untouched.
    """
    write_durably(path, junit_xml(run, verdict))


def junit_xml(run: EvalRun, verdict: Verdict) -> bytes:
    r"""Return the document: a test suite for each category with its cases, and one for what the gate says of each.

    A case that fails is a failure. One without an answer, without a grade, or that was not run is an error, since
    skipped tests are green to most readers. What was said by an agent or a model is data here: it is escaped, control
    characters are written as ``\x07``, and long texts are cut. It keeps the schemas of Ant's JUnit and of Surefire,
    which differ: the root has no attributes, and every suite has all of its own.
    """
    root = Element("testsuites")
    by_category: dict[str, list[CaseResult]] = {}
    for result in run.results:
        by_category.setdefault(result.category, []).append(result)
    for place, (category, results) in enumerate(sorted(by_category.items())):
        _cases(root, category, results, run, place)
    _gate(root, verdict, run, len(by_category))
    indent(root, " ")
    return tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"


def legal(text: str, *, most: int = _LONGEST) -> str:
    """Return *text* with what XML 1.0 cannot hold written as an escape, cut to *most* characters."""
    escaped = _ILLEGAL.sub(lambda mark: mark.group().encode("unicode_escape").decode(), text[:most])
    return escaped if len(text) <= most else f"{escaped}…"


def _cases(root: Element, category: str, results: Sequence[CaseResult], run: EvalRun, place: int) -> None:
    suite = _suite(root, category, run, place)
    for result in results:
        test = _test(suite, category, _name(result), (result.latency_ms or 0.0) / 1000)
        _outcome(test, result)
    _close(suite)


def _outcome(test: Element, result: CaseResult) -> None:
    if result.state is ResultState.pass_:
        return
    tag = "failure" if result.state is ResultState.fail else "error"
    _fault(test, tag, result.state.value, result.reason or result.state.value)


def _gate(root: Element, verdict: Verdict, run: EvalRun, place: int) -> None:
    suite = _suite(root, _GATE, run, place)
    for item in verdict.categories:
        outcome = told_outcome(verdict, item)
        reason = item.reason if outcome is item.outcome else ""
        _judged(_test(suite, _GATE, item.category, 0.0), outcome, reason)
    _judged(_test(suite, _GATE, "verdict", 0.0), verdict.outcome, "\n".join(verdict.reasons))
    _close(suite)


def _judged(test: Element, outcome: VerdictOutcome, reason: str) -> None:
    if outcome is not VerdictOutcome.pass_:
        tag = "failure" if outcome is VerdictOutcome.regression else "error"
        _fault(test, tag, outcome.value, reason or outcome.value)


def _suite(root: Element, name: str, run: EvalRun, place: int) -> Element:
    suite = SubElement(
        root,
        "testsuite",
        {
            "name": legal(name, most=200).strip() or "-",
            "package": "naoshi",
            "id": str(place),
            "timestamp": run.started_at.strftime("%Y-%m-%dT%H:%M:%S"),
            "hostname": "localhost",
        },
    )
    properties = SubElement(suite, "properties")
    for key, value in (("run", run.run_id), ("version", run.version), ("suite", run.suite)):
        SubElement(properties, "property", {"name": key, "value": legal(value, most=200)})
    return suite


def _test(suite: Element, category: str, name: str, seconds: float) -> Element:
    told = {"name": legal(name, most=300), "classname": legal(f"naoshi.{category}", most=300), "time": f"{seconds:.3f}"}
    return SubElement(suite, "testcase", told)


def _fault(test: Element, tag: str, kind: str, reason: str) -> None:
    fault = SubElement(test, tag, {"message": legal(" ".join(reason.split()), most=300), "type": kind})
    fault.text = legal(reason)


def _close(suite: Element) -> None:
    tests = suite.findall("testcase")
    suite.attrib |= _counts(tests) | {"time": f"{sum(float(test.attrib['time']) for test in tests):.3f}"}
    SubElement(suite, "system-out")
    SubElement(suite, "system-err")


def _counts(tests: Iterable[Element]) -> dict[str, str]:
    found = list(tests)
    return {
        "tests": str(len(found)),
        "failures": str(sum(test.find("failure") is not None for test in found)),
        "errors": str(sum(test.find("error") is not None for test in found)),
        "skipped": "0",
    }


def _name(result: CaseResult) -> str:
    return result.case_id if not result.trial else f"{result.case_id} (trial {result.trial + 1})"
