"""JSON Schema for `is-json`: no schema is fetched from anywhere, and no pattern hangs."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, cast

from pydantic import JsonValue

from naoshi.errors import SuiteError
from naoshi.evals.javascript_pattern import PatternTimeoutError, check_pattern, found_in
from naoshi.evals.json_formats import FORMATS
from naoshi.records.base import canonical_json

_LONGEST_REASON = 300
_DRAFT = re.compile(r"http://json-schema\.org/draft-07/schema#?")
_KEYWORDS = frozenset(
    {"$comment", "$defs", "$id", "$ref", "$schema", "additionalItems", "additionalProperties", "allOf", "anyOf",
     "const", "contains", "contentEncoding", "contentMediaType", "default", "definitions", "dependencies", "deprecated",
     "description", "else", "enum", "examples", "exclusiveMaximum", "exclusiveMinimum", "format", "if", "items",
     "maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength", "minProperties", "minimum",
     "multipleOf", "not", "oneOf", "pattern", "patternProperties", "properties", "propertyNames", "readOnly",
     "required", "then", "title", "type", "uniqueItems", "writeOnly"}
)  # fmt: skip
_OF_SCHEMAS = frozenset({"$defs", "definitions", "dependencies", "patternProperties", "properties"})
_DATA = frozenset({"const", "default", "enum", "examples"})


def check_schema(schema: JsonValue) -> None:
    """Check that *schema* is a JSON Schema (draft 7) that we apply as Promptfoo does.

    Raises:
        SuiteError: it is not, or has a keyword or a format that Promptfoo or we do not know.
    """
    _validator(_as_text(schema))


def schema_violation(schema: JsonValue, value: JsonValue) -> str | None:
    """Return how *value* breaks *schema*, in words, or None when it keeps it."""
    try:
        error = next(iter(_validator(_as_text(schema)).iter_errors(value)), None)
    except PatternTimeoutError as late:
        return str(late)
    except _unresolvable() as missing:
        return f"the schema refers to something that is not in it ({str(missing)[:100]})"
    except RecursionError:
        return "the schema leads back into itself without end"
    if error is None:
        return None
    where = "".join(f"[{part!r}]" for part in error.absolute_path)
    return f"{'output' + where + ': ' if where else ''}{error.message}"[:_LONGEST_REASON]


def _as_text(schema: JsonValue) -> str:
    if not isinstance(schema, dict | bool):
        raise SuiteError("the value of `is-json` must be a JSON Schema, written as a mapping")
    try:
        return canonical_json(schema)
    except ValueError as error:
        raise SuiteError("the schema of `is-json` holds NaN or infinity") from error


@lru_cache(maxsize=256)
def _validator(schema_text: str) -> Any:
    schema: Any = json.loads(schema_text)
    library = _jsonschema()
    base = library.Draft7Validator
    try:
        base.check_schema(schema)
    except library.SchemaError as error:
        raise SuiteError(f"the schema of `is-json` is invalid: {error.message[:_LONGEST_REASON]}") from error
    except RecursionError as error:
        raise SuiteError("the schema of `is-json` is nested too deeply") from error
    _check_keywords(schema)
    kind = library.validators.extend(
        base,
        {"pattern": _pattern, "patternProperties": _pattern_properties},
        type_checker=base.TYPE_CHECKER.redefine("number", _is_number),
    )
    return kind(schema, registry=_empty_registry(), format_checker=_format_checker(library))


def _jsonschema() -> Any:
    # A tenth of a second, and few suites have a schema.
    import jsonschema

    return jsonschema


def _unresolvable() -> type[Exception]:
    # It comes with jsonschema, and costs as much.
    from referencing.exceptions import Unresolvable

    return Unresolvable


def _empty_registry() -> Any:
    # As above.
    from referencing import Registry

    return cast("Any", Registry)()


def _is_number(_: Any, value: Any) -> bool:
    """Return whether *value* is a number to JavaScript: what is too large for one is infinite there, and none."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _format_checker(library: Any) -> Any:
    checker = library.FormatChecker(formats=())
    for name, holds in FORMATS.items():
        checker.checks(name)(_for_text(holds))
    return checker


def _for_text(holds: Callable[[str], bool]) -> Callable[[object], bool]:
    return lambda value: not isinstance(value, str) or holds(value)


def _check_keywords(schema: Any) -> None:
    """Refuse what is unknown anywhere in *schema*: a misspelt keyword would check nothing."""
    if not isinstance(schema, dict):
        return
    entries = cast("dict[str, Any]", schema)
    unknown = sorted(entries.keys() - _KEYWORDS)
    if unknown:
        raise SuiteError(f"the keyword {unknown[0][:80]!r} in a schema is not known to Promptfoo")
    if not _DRAFT.fullmatch(str(entries.get("$schema", "http://json-schema.org/draft-07/schema"))):
        raise SuiteError(f"the schema is of {str(entries['$schema'])[:80]}; Promptfoo reads draft 7")
    if "format" in entries and entries["format"] not in FORMATS:
        raise SuiteError(
            f"the format {str(entries['format'])[:80]!r} in a schema is not supported",
            hint=f"use one of {', '.join(sorted(FORMATS))}, or a `pattern`",
        )
    _check_patterns(entries)
    for key, item in entries.items():
        for inner in _inner_schemas(key, item):
            _check_keywords(inner)


def _inner_schemas(key: str, item: Any) -> list[Any]:
    if key in _DATA:
        return []
    if key in _OF_SCHEMAS:
        return list(cast("dict[str, Any]", item).values())
    return cast("list[Any]", item) if isinstance(item, list) else [item]


def _check_patterns(entries: dict[str, Any]) -> None:
    if isinstance(entries.get("pattern"), str):
        check_pattern(entries["pattern"])
    if "patternProperties" in entries and entries.keys() & {"additionalProperties", "unevaluatedProperties"}:
        # jsonschema searches those patterns with `re`, which has no limit on time.
        raise SuiteError("`patternProperties` beside `additionalProperties` in a schema is not supported")
    for pattern in cast("dict[str, Any]", entries.get("patternProperties") or {}):
        check_pattern(pattern)


def _pattern(_: Any, pattern: str, value: Any, __: Any) -> Iterator[Exception]:
    if isinstance(value, str) and not found_in(pattern, value, by_code_point=True):
        yield _jsonschema().ValidationError(f"{value[:80]!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: dict[str, Any], value: Any, _: Any) -> Iterator[Exception]:
    if not isinstance(value, dict):
        return
    for pattern, schema in patterns.items():
        for key, item in cast("dict[str, Any]", value).items():
            if found_in(pattern, key, by_code_point=True):
                yield from validator.descend(item, schema, path=key, schema_path=pattern)
