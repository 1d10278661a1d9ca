"""`is-json` and `contains-json`."""

import json
import re
from collections.abc import Iterator

from pydantic import JsonValue

from naoshi.errors import SuiteError
from naoshi.evals.assertions.json_text import parse_json
from naoshi.evals.assertions.plain_text import shown
from naoshi.evals.assertions.subject import FirmFailure, Subject
from naoshi.evals.yaml_document import YamlDocument
from naoshi.records.eval_case import Assertion

_LONGEST_OBJECT = 100_000
_MOST_READ = 2_000_000
_COMMENT = re.compile(r"""("(?:[^"\\\n]|\\.)*"?)|('(?:[^'\\\n]|\\.)*'?)|(?<!:)(//+)""")


def check_schema_value(assertion: Assertion) -> None:
    """Check the schema of `is-json` or `contains-json`, if there is one.

    Raises:
        SuiteError: it is no schema that we and Promptfoo read alike.
    """
    if assertion.value is not None:
        # Few suites have schemas, and all would load what checks them.
        from naoshi.evals.json_schema import check_schema

        check_schema(assertion.value)


def is_json(assertion: Assertion, subject: Subject) -> bool:
    """Return whether the output is JSON that keeps the schema."""
    return _document_fault(assertion, subject) is None


def is_json_words(assertion: Assertion, subject: Subject, held: bool) -> str:
    """Say why it is not, or that it is."""
    if held:
        return f"{shown(subject.value)} is JSON" + (" that keeps the schema" if assertion.value is not None else "")
    return _document_fault(assertion, subject) or "it is JSON"


def contains_json(assertion: Assertion, subject: Subject) -> bool:
    """Return whether the output holds an object, loosely written or not, that keeps the schema."""
    found = json_objects(subject.text)
    if assertion.value is None:
        return next(found, None) is not None
    return any(_violation(assertion.value, item) is None for item in found)


def contains_json_words(assertion: Assertion, subject: Subject, held: bool) -> str:
    """Say whether there is an object, and why none keeps the schema."""
    if held:
        kept = "" if assertion.value is None else " that keeps the schema"
        return f"there is a JSON object{kept} in {shown(subject.value)}"
    found = list(json_objects(subject.text))
    if not found or assertion.value is None:
        return f"there is no JSON object in {shown(subject.value)}"
    return f"no JSON object keeps the schema: {_violation(assertion.value, found[-1])}"


def json_objects(text: str) -> Iterator[JsonValue]:
    """Yield the outermost objects in *text*, as Promptfoo finds them.

    An object starts at ``{`` and ends at the ``}`` that balances it, wherever braces stand; one that never ends is
    closed at the end of the text. It may be written loosely: as a YAML flow mapping, with ``//`` comments.

    Raises:
        FirmFailure: the text has so many open braces that looking on would take too long.
    """
    ends, place, read = _balanced_ends(text), 0, 0
    while (place := text.find("{", place)) >= 0:
        end, missing = ends.get(place, (min(len(text), place + _LONGEST_OBJECT), None))
        if missing is None or end - place > _LONGEST_OBJECT:
            end = min(len(text), place + _LONGEST_OBJECT)
            missing = _open_braces(text, place, end)
        read += end - place
        if read > _MOST_READ:
            raise FirmFailure("the output has too many open braces to look for JSON in it")
        found = _loosely_read(text[place:end] + "}" * missing)
        if isinstance(found, dict):
            yield found
            place = end
        else:
            place += 1


def _document_fault(assertion: Assertion, subject: Subject) -> str | None:
    value, fault = parse_json(subject.value) if isinstance(subject.value, str) else (subject.value, None)
    if fault is not None or assertion.value is None:
        return fault
    violation = _violation(assertion.value, value)
    return None if violation is None else f"it does not keep the schema: {violation}"


def _violation(schema: JsonValue, value: JsonValue) -> str | None:
    # Few suites have schemas, and all would load what checks them.
    from naoshi.evals.json_schema import schema_violation

    return schema_violation(schema, value)


def _balanced_ends(text: str) -> dict[int, tuple[int, int]]:
    """Return where the brace opened at each place is closed, and how many closing ones are missing (none)."""
    ends: dict[int, tuple[int, int]] = {}
    opened: list[int] = []
    for found in re.finditer(r"[{}]", text):
        if found[0] == "{":
            opened.append(found.start())
        elif opened:
            ends[opened.pop()] = (found.end(), 0)
    return ends


def _open_braces(text: str, start: int, end: int) -> int:
    return max(text.count("{", start, end) - text.count("}", start, end), 0)


def _loosely_read(text: str) -> JsonValue:
    value, fault = parse_json(text)
    if fault is None:
        return value
    try:
        document = YamlDocument(name="output", data=_without_comments(text).encode("utf-8", "replace"))
        return document.value(document.root)
    except SuiteError:
        return None


def _without_comments(text: str) -> str:
    """Return *text* with ``//`` comments turned into YAML's, those inside quotes left alone."""
    return _COMMENT.sub(lambda mark: " #" if mark[3] else mark[0], text)


def schema_from_text(text: str) -> JsonValue:
    """Return the schema that is written as JSON or YAML in *text*, as Promptfoo takes it.

    Raises:
        SuiteError: it is neither.
    """
    document = YamlDocument(name="the schema", data=text.encode("utf-8", "replace"))
    value = document.value(document.root)
    if not isinstance(value, dict | bool):
        raise SuiteError(f"the schema {json.dumps(value)[:80]} is no mapping")
    return value
