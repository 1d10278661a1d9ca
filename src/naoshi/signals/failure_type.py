"""The stable names of failures. Groups, suites and reports refer to them, so a name never changes its meaning."""

from enum import StrEnum

from pydantic import JsonValue

_INVISIBLE = "\ufeff\u200b\0"


class FailureType(StrEnum):
    """A failure that a coded check finds.

    Output contract: ``run_failed`` (the run ended in an error), ``artifact_missing``, ``artifact_empty`` (nothing but
    white space, no row below the header, ``{}``, ``[]``, only empty values), ``artifact_wrong_kind``,
    ``artifact_invalid_json``, ``artifact_schema_violation``, ``file_missing``, ``file_outside_root``,
    ``file_not_a_file`` (a folder, a pipe), ``file_not_utf8``, ``file_unreadable``, ``file_too_large``.

    Evidence coverage: ``claims_missing``, ``claims_malformed`` (a text where a list belongs),
    ``claim_malformed``, ``field_without_claim``, ``claim_differs_from_field``, ``claim_without_citation``,
    ``citation_malformed``, ``citation_without_source`` (no such file, outside the data root, a folder, nothing but
    white space, not UTF-8, too large), ``citation_line_out_of_range``, ``quote_not_on_line``,
    ``number_not_in_source``, ``value_not_in_source``.
    """

    run_failed = "run_failed"
    artifact_missing = "artifact_missing"
    artifact_empty = "artifact_empty"
    artifact_wrong_kind = "artifact_wrong_kind"
    artifact_invalid_json = "artifact_invalid_json"
    artifact_schema_violation = "artifact_schema_violation"
    file_missing = "file_missing"
    file_outside_root = "file_outside_root"
    file_not_a_file = "file_not_a_file"
    file_not_utf8 = "file_not_utf8"
    file_unreadable = "file_unreadable"
    file_too_large = "file_too_large"

    claims_missing = "claims_missing"
    claims_malformed = "claims_malformed"
    claim_malformed = "claim_malformed"
    field_without_claim = "field_without_claim"
    claim_differs_from_field = "claim_differs_from_field"
    claim_without_citation = "claim_without_citation"
    citation_malformed = "citation_malformed"
    citation_without_source = "citation_without_source"
    citation_line_out_of_range = "citation_line_out_of_range"
    quote_not_on_line = "quote_not_on_line"
    number_not_in_source = "number_not_in_source"
    value_not_in_source = "value_not_in_source"


def is_blank(value: JsonValue) -> bool:
    """Return whether *value* says nothing: None, white space, an empty list or record, or only such values."""
    waiting: list[JsonValue] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += item
        elif isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, str):
            if not all(character.isspace() or character in _INVISIBLE for character in item):
                return False
        elif item is not None:
            return False
    return True


def correction_failure(field: str, *, submitted: JsonValue, corrected: JsonValue) -> str:
    """Return the failure type of a corrected field: ``missing_``, ``spurious_`` or ``wrong_`` and the field's name."""
    if is_blank(submitted):
        return f"missing_{field}"
    return f"spurious_{field}" if is_blank(corrected) else f"wrong_{field}"
