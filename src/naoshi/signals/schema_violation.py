"""Whether a value keeps to a JSON schema, without ever fetching anything."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from jsonschema import SchemaError, exceptions
from jsonschema.validators import validator_for
from pydantic import JsonValue
from referencing import Registry
from referencing.exceptions import Unresolvable

from naoshi.errors import ConfigError, NaoshiError
from naoshi.system.files import inside, read_text


@dataclass(frozen=True, kw_only=True)
class SchemaViolation:
    """The worst breach of a schema: a JSON path, the reason, and the topmost field it lies in (None in a list)."""

    place: str
    reason: str
    field: str | None


def schema_violation(
    value: JsonValue, schema: Mapping[str, JsonValue] | str, *, schemas_root: Path, artifact: str
) -> SchemaViolation | None:
    """Return the worst way in which *value* breaks *schema* (a schema, or its path below *schemas_root*), or None.

    Raises:
        ConfigError: the schema cannot be read, is not valid, or refers to what is not in it.
    """
    loaded = _load_schema(schema, schemas_root) if isinstance(schema, str) else dict(schema)
    validator_class = validator_for(loaded)
    try:
        validator_class.check_schema(loaded)
        # An empty registry keeps a `$ref` from being fetched over the network.
        validator = cast("Any", validator_class)(loaded, registry=cast("Any", Registry)())
        worst = cast("Any", exceptions).best_match(validator.iter_errors(value))
    except SchemaError as error:
        raise ConfigError(f"the JSON schema of the artifact {artifact!r} is not valid: {error.message}") from error
    except Unresolvable as error:
        reason = f"the JSON schema of the artifact {artifact!r} refers to what is not in it: {error}"
        raise ConfigError(reason) from error
    except RecursionError:
        return SchemaViolation(place="$", reason="it is nested too deeply to be checked", field=None)
    if worst is None:
        return None
    first = next(iter(worst.absolute_path), None)
    return SchemaViolation(place=worst.json_path, reason=worst.message, field=first if isinstance(first, str) else None)


def parse_strictly(text: str) -> JsonValue:
    """Return the JSON value of *text*.

    Raises:
        ValueError: it is not JSON; NaN and the infinities are not.
        RecursionError: it is nested too deeply.
    """

    def refuse(constant: str) -> JsonValue:
        raise ValueError(f"{constant} is not JSON")

    return cast("JsonValue", json.loads(text.removeprefix("\ufeff"), parse_constant=refuse))


def _load_schema(path: str, root: Path) -> dict[str, JsonValue]:
    try:
        loaded = parse_strictly(read_text(inside(root, path)))
    except (NaoshiError, ValueError, RecursionError) as error:
        raise ConfigError(f"the JSON schema {path!r} cannot be read: {error}") from error
    if not isinstance(loaded, dict):
        raise ConfigError(f"the JSON schema {path!r} is not a JSON object")
    return loaded
