"""The machine-readable block of a handoff: all that is in it, as JSON that any program can read."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, cast

from pydantic import JsonValue, ValidationError

from naoshi.errors import InputError
from naoshi.records import FailureGroup, Handoff, HandoffCase
from naoshi.repair.handoff_lines import main_cause
from naoshi.repair.markdown import safe_json

SCHEMA = "naoshi.handoff/1"
_BLOCK = re.compile(r"^```json\n(.*?)\n```[ \t]*$", re.MULTILINE | re.DOTALL)
_OWN_KEYS = {
    "handoff_id",
    "agent_version",
    "editable",
    "attempt",
    "previous_failures",
    "every_case",
    "left_out",
    "diagnosis",
}


def handoff_block(handoff: Handoff) -> dict[str, JsonValue]:
    """Return the machine-readable block of *handoff*."""
    dumped = handoff.model_dump(mode="json")
    return {
        "schema": SCHEMA,
        **{
            name: dumped[name]
            for name in ("handoff_id", "agent_version", "editable", "attempt", "previous_failures", "every_case")
        },
        "groups": [_group_entry(group) for group in handoff.diagnosis.groups],
        "cases": [_case_entry(case) for case in handoff.cases],
        "confirmed": [_without(item, "schema_version") for item in dumped["confirmed"]],
        "traces": [_without(item, "schema_version") for item in dumped["traces"]],
        "left_out": dumped["left_out"],
        "diagnosis": dumped["diagnosis"],
    }


def fenced(block: dict[str, JsonValue]) -> str:
    """Return *block* between fences, with one entry of a list a line, so that a diff of two handoffs can be read."""
    return f"```json\n{_block_text(block)}\n```"


def handoff_in(text: str) -> Handoff:
    """Return the handoff that the last block of *text* holds.

    Raises:
        InputError: there is no block, or it is not of our schema.
    """
    blocks = _BLOCK.findall(text)
    if not blocks:
        raise InputError("this is no handoff: the machine-readable block at its end is missing")
    return _handoff_of(_loaded(blocks[-1]))


def _block_text(block: dict[str, JsonValue]) -> str:
    return "{\n" + ",\n".join(f"{safe_json(name)}: {_value_text(value)}" for name, value in block.items()) + "\n}"


def _value_text(value: JsonValue) -> str:
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(f"  {safe_json(item)}" for item in value) + "\n]"
    return safe_json(value)


def _group_entry(group: FailureGroup) -> dict[str, JsonValue]:
    return {
        "group_id": group.group_id,
        "rank": group.rank,
        "artifact": group.artifact,
        "failure_type": group.failure_type,
        "field": group.field,
        "cause": main_cause(group),
        "count": group.count,
    }


def _case_entry(case: HandoffCase) -> dict[str, JsonValue]:
    dumped = case.model_dump(mode="json", exclude={"schema_version", "places", "rule"})
    places: list[JsonValue] = [
        place.model_dump(mode="json", exclude={"schema_version"}, exclude_none=True) for place in case.places
    ]
    return {**dumped, "source": {"path": _source_path(case)}, "places": places, "rule": case.rule}


def _source_path(case: HandoffCase) -> str | None:
    """Return the document of *case*: where its value stands, or else its only input that looks like a path."""
    stands = next((place.path for place in case.places if place.path), None)
    paths = [value for value in case.vars.values() if isinstance(value, str) and re.fullmatch(r"[^\s]+\.\w+", value)]
    return stands or (paths[0] if len(paths) == 1 else None)


def _without(item: dict[str, Any], name: str) -> dict[str, JsonValue]:
    return {key: value for key, value in item.items() if key != name}


def _loaded(block: str) -> dict[str, Any]:
    try:
        loaded: Any = json.loads(block)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the machine-readable block of the handoff is not JSON: {error}") from error
    if not isinstance(loaded, dict) or cast("dict[str, Any]", loaded).get("schema") != SCHEMA:
        raise InputError(f"the machine-readable block of the handoff is not of the schema {SCHEMA}")
    return cast("dict[str, Any]", loaded)


def _handoff_of(block: dict[str, Any]) -> Handoff:
    try:
        record: dict[str, Any] = {name: value for name, value in block.items() if name in _OWN_KEYS}
        record["cases"] = [_without(item, "source") for item in _entries(block, "cases")]
        record["confirmed"] = list(_entries(block, "confirmed"))
        record["traces"] = list(_entries(block, "traces"))
        return Handoff.model_validate(record)
    except (ValidationError, TypeError, AttributeError, KeyError) as error:
        told = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise InputError(f"the machine-readable block of the handoff does not fit its schema: {told}") from error


def _entries(block: dict[str, Any], name: str) -> Iterable[dict[str, Any]]:
    return cast("Sequence[dict[str, Any]]", block[name])
