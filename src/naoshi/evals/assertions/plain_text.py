"""Assertions on text: equals, contains and its kin, starts-with, regex, levenshtein."""

import json
import re
import sys
from array import array
from collections.abc import Sequence
from functools import lru_cache

from pydantic import JsonValue

from naoshi.errors import SuiteError
from naoshi.evals.assertions.json_text import parse_json, same_json
from naoshi.evals.assertions.subject import FirmFailure, Subject
from naoshi.evals.javascript import number_text
from naoshi.records.eval_case import Assertion

DEFAULT_DISTANCE = 5.0
_SHOWN = 120
_SEPARATORS = re.compile(r"[\s,]*")
_QUOTED = re.compile(r'"((?:\\["\\]|""|[^"])*)"\s*(?=,|\Z)')


def shown(value: JsonValue) -> str:
    """Return *value* for a reason: as JSON, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def plain_text(expected: JsonValue) -> str:
    """Return *expected* as JavaScript's ``String(value)``."""
    if isinstance(expected, bool):
        return "true" if expected else "false"
    return number_text(expected) if isinstance(expected, int | float) else str(expected)


def check_equals(assertion: Assertion) -> None:
    """Check the value of `equals`.

    Raises:
        SuiteError: there is none, or it equals nothing.
    """
    if assertion.value is None:
        raise SuiteError(f"`{assertion.type}` needs a value")
    _check_finite(assertion)


def equals(assertion: Assertion, subject: Subject) -> bool:
    """Return whether the output is the value: text and numbers as text, a mapping or a list as JSON."""
    expected = assertion.value
    if not isinstance(expected, dict | list):
        return plain_text(expected) == subject.text
    found, fault = parse_json(subject.value) if isinstance(subject.value, str) else (subject.value, None)
    if fault is not None:
        raise FirmFailure(f"expected {shown(expected)}, got {shown(subject.value)}, which is {fault}")
    return same_json(expected, found)


def equals_words(assertion: Assertion, subject: Subject, held: bool) -> str:
    """Say what was expected and what came."""
    return f"expected {'not ' * held}{shown(assertion.value)}, got {shown(subject.value)}"


def check_part(assertion: Assertion) -> None:
    """Check the value of `contains` and `icontains`.

    Raises:
        SuiteError: it is no text and no number, or one that Promptfoo takes for nothing (0 and the empty text).
    """
    value = assertion.value
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise SuiteError(f"`{assertion.type}` needs a text or a number")
    if value == "":
        raise SuiteError(f"`{assertion.type}` with an empty text says nothing: every output contains it")
    if value == 0:
        raise SuiteError(f"`{assertion.type}` with the number 0 is an error in Promptfoo; write it in quotes")
    _check_finite(assertion)


def check_start(assertion: Assertion) -> None:
    """Check the value of `starts-with`.

    Raises:
        SuiteError: it is no text, or an empty one.
    """
    if not isinstance(assertion.value, str) or not assertion.value:
        raise SuiteError(f"`{assertion.type}` needs a text that is not empty")


def contains(assertion: Assertion, subject: Subject) -> bool:
    """Return whether the text is in the output."""
    return plain_text(assertion.value) in subject.text


def icontains(assertion: Assertion, subject: Subject) -> bool:
    """Return whether the text is in the output, whatever the case."""
    return plain_text(assertion.value).lower() in subject.text.lower()


def starts_with(assertion: Assertion, subject: Subject) -> bool:
    """Return whether the output starts with the text."""
    return subject.text.startswith(str(assertion.value))


def contains_words(assertion: Assertion, subject: Subject, held: bool) -> str:
    """Say whether the text is in the output."""
    case = ", whatever the case" if "icontains" in assertion.type else ""
    return f"{shown(assertion.value)} is {'' if held else 'not '}in {shown(subject.value)}{case}"


def starts_words(assertion: Assertion, subject: Subject, held: bool) -> str:
    """Say how the output starts."""
    return f"{shown(subject.value)} {'starts' if held else 'does not start'} with {shown(assertion.value)}"


def check_parts(assertion: Assertion) -> None:
    """Check the value of `contains-any`, `contains-all` and their `i` forms: a list, or a text with commas.

    Raises:
        SuiteError: it is neither, is empty, or holds an empty text, which every output contains.
    """
    parts = _parts(assertion)
    if not parts:
        raise SuiteError(f"`{assertion.type}` needs at least one text")
    if "" in parts:
        raise SuiteError(f"`{assertion.type}` with an empty text says nothing: every output contains it")
    _check_finite(assertion)


def contains_any(assertion: Assertion, subject: Subject) -> bool:
    """Return whether one of the texts is in the output."""
    return any(part in subject.text for part in _parts(assertion))


def contains_all(assertion: Assertion, subject: Subject) -> bool:
    """Return whether each of the texts is in the output."""
    return all(part in subject.text for part in _parts(assertion))


def icontains_any(assertion: Assertion, subject: Subject) -> bool:
    """Return whether one of the texts is in the output, whatever the case."""
    text = subject.text.lower()
    return any(part.lower() in text for part in _parts(assertion))


def icontains_all(assertion: Assertion, subject: Subject) -> bool:
    """Return whether each of the texts is in the output, whatever the case."""
    text = subject.text.lower()
    return all(part.lower() in text for part in _parts(assertion))


def any_words(assertion: Assertion, subject: Subject, held: bool) -> str:
    """Say whether one of the texts is there."""
    return f"{'one' if held else 'none'} of {shown(list(_parts(assertion)))} is in {shown(subject.value)}"


def all_words(assertion: Assertion, subject: Subject, held: bool) -> str:
    """Say which of the texts are missing."""
    if held:
        return f"all of {shown(list(_parts(assertion)))} are in {shown(subject.value)}"
    ignoring = assertion.type.removeprefix("not-").startswith("i")
    text = subject.text.lower() if ignoring else subject.text
    missing = [part for part in _parts(assertion) if (part.lower() if ignoring else part) not in text]
    return f"{shown(list(missing))} is not in {shown(subject.value)}"


def check_regex(assertion: Assertion) -> None:
    """Check the pattern of `regex`.

    Raises:
        SuiteError: there is none, or it is outside what we read.
    """
    if not isinstance(assertion.value, str) or not assertion.value:
        raise SuiteError(f"`{assertion.type}` needs a pattern")
    # Few suites have patterns, and all would load what reads them.
    from naoshi.evals.javascript_pattern import check_pattern

    check_pattern(assertion.value)


def matches(assertion: Assertion, subject: Subject) -> bool:
    """Return whether the pattern is found in the output."""
    # As above.
    from naoshi.evals.javascript_pattern import PatternTimeoutError, found_in

    try:
        return found_in(str(assertion.value), subject.text)
    except PatternTimeoutError as late:
        raise FirmFailure(str(late)) from late


def regex_words(assertion: Assertion, subject: Subject, held: bool) -> str:
    """Say whether the pattern was found."""
    return f"{shown(subject.value)} {'matches' if held else 'does not match'} {assertion.value}"


def check_distance(assertion: Assertion) -> None:
    """Check the value of `levenshtein`.

    Raises:
        SuiteError: it is no text, or one so short that every output of the threshold's length would pass.
    """
    if not isinstance(assertion.value, str):
        raise SuiteError(f"`{assertion.type}` needs a text")


def is_near(assertion: Assertion, subject: Subject) -> bool:
    """Return whether at most `threshold` (5 where it is not given) single edits lead to the text."""
    return _distance(assertion, subject) <= _most(assertion)


def distance_words(assertion: Assertion, subject: Subject, held: bool) -> str:
    """Say how far the output is from the text."""
    return f"{shown(subject.value)} is {_distance(assertion, subject)} edits from {shown(assertion.value)}"


def _most(assertion: Assertion) -> float:
    return DEFAULT_DISTANCE if assertion.threshold is None else assertion.threshold


def _distance(assertion: Assertion, subject: Subject) -> int:
    # Only suites with this assertion pay for the library.
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.distance(_units(subject.text), _units(str(assertion.value)))


def _units(text: str) -> Sequence[int]:
    """Return the UTF-16 code units of *text*, which are what JavaScript counts."""
    return array("H", text.encode(f"utf-16-{sys.byteorder[0]}e", "surrogatepass"))


def _parts(assertion: Assertion) -> tuple[str, ...]:
    value = assertion.value
    if isinstance(value, str):
        return _split(value)
    if not isinstance(value, list):
        raise SuiteError(f"`{assertion.type}` needs a list of texts, or one text with commas between them")
    if any(item is None or isinstance(item, dict | list) for item in value):
        raise SuiteError(f"`{assertion.type}` needs texts or numbers in its list")
    return tuple(plain_text(item) for item in value)


@lru_cache(maxsize=1024)
def _split(value: str) -> tuple[str, ...]:
    """Split *value* at commas; a field in double quotes may hold commas, and quotes that are doubled or escaped."""
    parts: list[str] = []
    place = _end_of(_SEPARATORS, value, 0)
    while place < len(value):
        if value[place] == '"':
            found = _QUOTED.match(value, place)
            if found is None:
                raise SuiteError(f"a quoted text in {value[:80]!r} does not end before a comma")
            parts.append(re.sub(r'\\(["\\])|""', lambda mark: mark[1] or '"', found[1]))
            place = found.end()
        else:
            end = value.find(",", place)
            end = len(value) if end < 0 else end
            parts.append(value[place:end].strip())
            place = end
        place = _end_of(_SEPARATORS, value, place)
    return tuple(parts)


def _end_of(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    return found.end() if found else place


def _check_finite(assertion: Assertion) -> None:
    if isinstance(assertion.value, str):
        return
    try:
        json.dumps(assertion.value, allow_nan=False)
    except ValueError as error:
        raise SuiteError(f"the value of `{assertion.type}` holds NaN or infinity, which equals nothing") from error
