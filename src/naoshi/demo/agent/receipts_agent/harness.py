"""The harness: what the agent knows of receipts, read from the JSON files in ``harness/``.

    labels.json     cues around a value: words left of it, above it, where it stands
    patterns.json   the forms of values, and what is cut from a line that holds more than the value
    layouts.json    cues for blocks of lines (company, address), and how far down they are sought
    merchants.json  merchants known by a text on their receipts
    output.json     how a value is written

A cue is ``{"where", "text", "score", "support"}``. The score of a candidate is the sum of the scores of the
cues that hold for it; the best candidate becomes the value. ``support`` tells readers how many documents
spoke for a cue; the agent does not use it.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar, cast

VALUE_FIELDS: Final = ("date", "total")
"""Fields whose value is a part of one line."""

BLOCK_FIELDS: Final = ("company", "address")
"""Fields whose value is one line or several."""

FIELDS: Final = ("company", "date", "address", "total")
FILES: Final = ("labels.json", "layouts.json", "merchants.json", "output.json", "patterns.json")

_Item = TypeVar("_Item")


class HarnessError(Exception):
    """A file of the harness cannot be used; the message names the file and what is wrong in it."""


@dataclass(frozen=True, kw_only=True)
class Pattern:
    """A regular expression with the name by which cues and provenance speak of it."""

    name: str
    expression: re.Pattern[str]


@dataclass(frozen=True, kw_only=True)
class Zone:
    """Where a block is sought: among the first ``within`` lines, at most ``longest`` lines long."""

    within: int
    longest: int


@dataclass(frozen=True, kw_only=True)
class Merchant:
    """A merchant, known by any of ``identify``; a field that is None is left to the other rules."""

    name: str
    identify: tuple[str, ...]
    company: str | None
    address: str | None


@dataclass(frozen=True, kw_only=True)
class OutputRule:
    """How a field is written: what stands between joined lines, and which signs are taken off the ends."""

    join: str = " "
    trim: str = ""


@dataclass(frozen=True, kw_only=True)
class Harness:
    """All rules. ``scores[field]`` maps a feature of a candidate (``where|text``) to its score."""

    scores: Mapping[str, Mapping[str, float]]
    patterns: Mapping[str, tuple[Pattern, ...]]
    cuts: Mapping[str, tuple[Pattern, ...]]
    zones: Mapping[str, Zone]
    merchants: tuple[Merchant, ...] = ()
    output: Mapping[str, OutputRule] = field(default_factory=dict[str, OutputRule])


def feature(where: str, text: str) -> str:
    """Return the name under which a cue is looked up."""
    return f"{where}|{text}"


def load_harness(folder: Path) -> Harness:
    """Read the harness in *folder*.

    Raises:
        HarnessError: a file is missing, is not JSON, or does not have the form described above.
    """
    return parse_harness({name: _read(folder / name) for name in FILES})


def parse_harness(files: Mapping[str, Any]) -> Harness:
    """Build the harness from the decoded content of its files (file name to JSON value).

    Raises:
        HarnessError: a file does not have the form described above.
    """
    scores: dict[str, dict[str, float]] = {name: {} for name in FIELDS}

    def score(name: str) -> Callable[[Mapping[str, Any]], None]:
        def add(entry: Mapping[str, Any]) -> None:
            value = float(entry["score"])
            if not math.isfinite(value):
                raise ValueError("a score must be a finite number")
            scores[name][feature(_text(entry, "where"), _text(entry, "text"))] = value

        return add

    def pattern(name: str, kind: str) -> Callable[[Mapping[str, Any]], Pattern]:
        def build(entry: Mapping[str, Any]) -> Pattern:
            title = _text(entry, "name")
            scores[name][feature(kind, title)] = float(entry["score"])
            return Pattern(name=title, expression=re.compile(_text(entry, "pattern")))

        return build

    labels, layouts, patterns = files["labels.json"], files["layouts.json"], files["patterns.json"]
    for name in VALUE_FIELDS:
        _each("labels.json", labels, name, score(name))
    zones: dict[str, Zone] = {}
    for name in BLOCK_FIELDS:
        layout = _part("layouts.json", layouts, name)
        _each("layouts.json", layout, "cues", score(name))
        zones[name] = _checked("layouts.json", _zone, layout)
    return Harness(
        scores=scores,
        patterns={
            name: _each("patterns.json", _part("patterns.json", patterns, "values"), name, pattern(name, "pattern"))
            for name in VALUE_FIELDS
        },
        cuts={
            name: _each("patterns.json", _part("patterns.json", patterns, "cuts"), name, pattern(name, "cut"))
            for name in BLOCK_FIELDS
        },
        zones=zones,
        merchants=_each("merchants.json", files["merchants.json"], "merchants", _merchant),
        output={
            name: _checked("output.json", _output_rule, _part("output.json", files["output.json"], name))
            for name in FIELDS
        },
    )


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise HarnessError(f"{path.name}: {error.strerror or error}") from error
    except ValueError as error:
        raise HarnessError(f"{path.name}: not JSON: {error}") from error


def _part(file: str, content: Any, name: str) -> Mapping[str, Any]:
    if not isinstance(content, dict) or not isinstance(cast("dict[str, Any]", content).get(name), dict):
        raise HarnessError(f"{file}: there must be an object `{name}`")
    return cast("dict[str, Mapping[str, Any]]", content)[name]


def _each(file: str, content: Any, name: str, build: Callable[[Mapping[str, Any]], _Item]) -> tuple[_Item, ...]:
    entries: Any = cast("dict[str, Any]", content).get(name) if isinstance(content, dict) else None
    if not isinstance(entries, list):
        raise HarnessError(f"{file}: there must be a list `{name}`")
    return tuple(_checked(file, build, entry) for entry in cast("list[Any]", entries))


def _checked(file: str, build: Callable[[Mapping[str, Any]], _Item], entry: Any) -> _Item:
    try:
        return build(entry)
    except (KeyError, TypeError, ValueError, re.error) as error:
        raise HarnessError(f"{file}: {type(error).__name__}: {error} in {str(entry)[:120]}") from error


def _text(entry: Mapping[str, Any], name: str) -> str:
    value = entry[name]
    if not isinstance(value, str) or not value:
        raise ValueError(f"`{name}` must be text")
    return value


def _zone(entry: Mapping[str, Any]) -> Zone:
    zone = Zone(within=int(entry["within"]), longest=int(entry["longest"]))
    if not (0 < zone.within <= 60 and 0 < zone.longest <= 12):
        raise ValueError("`within` must be 1 to 60 and `longest` 1 to 12")
    return zone


def _merchant(entry: Mapping[str, Any]) -> Merchant:
    identify: Any = entry["identify"]
    if not isinstance(identify, list) or not identify:
        raise ValueError("`identify` must be a list of texts")
    return Merchant(
        name=_text(entry, "name"),
        identify=tuple(str(text) for text in cast("list[Any]", identify)),
        company=_text(entry, "company") if entry.get("company") is not None else None,
        address=_text(entry, "address") if entry.get("address") is not None else None,
    )


def _output_rule(entry: Mapping[str, Any]) -> OutputRule:
    return OutputRule(join=str(entry["join"]), trim=str(entry["trim"]))
