"""A record as the text that a store keeps, whatever hostile strings it holds."""

import json
from datetime import datetime
from typing import TypeVar

from pydantic_core import PydanticSerializationError, ValidationError

from naoshi.errors import StoreError
from naoshi.records.base import Record

T = TypeVar("T", bound=Record)

# What pydantic writes, without an error, for a lone surrogate in the key of a dict.
_LOST_KEY = "\ufffd\ufffd\ufffd"


def record_to_text(record: Record) -> str:
    """Return *record* as one line of JSON that is valid UTF-8 and holds no NUL.

    Raises:
        StoreError: the record cannot be said in JSON.
    """
    try:
        text = record.to_json()
    except PydanticSerializationError:
        return _escaped(record)
    return _escaped(record) if _LOST_KEY in text else text


def _escaped(record: Record) -> str:
    # pydantic writes UTF-8 and so refuses a lone surrogate; the escape \udXXX keeps it.
    try:
        return json.dumps(record.model_dump(), ensure_ascii=True, separators=(",", ":"), default=_plain)
    except (ValueError, TypeError, RecursionError) as error:
        raise StoreError(f"a {type(record).__name__} cannot be kept: {error}") from error


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"a {type(value).__name__} has no form in JSON")


def record_from_text(record: type[T], text: str, *, identifier: str) -> T:
    """Return the record that `record_to_text` wrote.

    Raises:
        StoreError: the stored text is damaged or of another shape; the record is named.
    """
    try:
        return record.model_validate_json(text)
    except ValidationError as first:
        try:
            return record.model_validate(json.loads(text))
        except (ValueError, RecursionError):
            fault = first.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in fault["loc"])
            said = f"{where}: {fault['msg']}" if where else fault["msg"]
            raise StoreError(f"the stored {record.__name__} {identifier!r} cannot be read: {said}") from first


def same_record(record: Record, text: str, stored: str) -> bool:
    """Return whether *record*, written as *text*, is the record in *stored*; the order of JSON keys does not count."""
    if text == stored:
        return True
    return record_from_text(type(record), stored, identifier="(compared)") == record
