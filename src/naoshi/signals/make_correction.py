"""Making one correction from what a practitioner said and what the run did."""

import json
from collections.abc import Iterator, Mapping
from datetime import datetime

from pydantic import JsonValue

from naoshi.errors import InputError
from naoshi.records.base import content_id
from naoshi.records.correction import Correction
from naoshi.records.field_rule import FieldRules
from naoshi.records.text_comparison import as_text
from naoshi.records.trace import Span, Trace


def make_correction(
    *,
    trace: Trace,
    artifact: str,
    field: str,
    corrected: JsonValue,
    practitioner: str,
    at: datetime,
    fields: FieldRules | None = None,
    reason: str = "",
    document: str | None = None,
) -> Correction:
    """Return the correction of *field* of *artifact* of the run.

    What was submitted comes from the run; what was extracted, and from which document and text, from the run's span
    for the field (attribute ``naoshi.field``) and its claim, where it has them. A corrected text takes the type of
    the submitted value where it can be read as one (``"12"`` for a submitted 11 is 12). The identifier depends on
    run, artifact, field, practitioner and corrected value alone: the same correction twice is one. ``output`` names
    the run's output when it has no artifact of that name.

    Raises:
        InputError: the run has no such artifact, or the artifact no such field (and *fields* does not name it).
    """
    submitted = _submitted(trace, artifact, field, fields or FieldRules())
    value = typed_as(submitted, corrected) if isinstance(corrected, str) else corrected
    claim = _claim(trace, field)
    span = next((item for item in trace.spans if item.attributes.get("naoshi.field") == field), None)
    return Correction(
        correction_id=content_id("correction", trace.trace_id, artifact, field, practitioner, as_text(value)),
        trace_id=trace.trace_id,
        artifact=artifact,
        field=field,
        source_value=" ".join(_texts(claim, "quote")) or None,
        extracted=span.attributes.get("output.value") if span is not None else None,
        submitted=submitted,
        corrected=value,
        practitioner=practitioner,
        reason=reason,
        document=document or _document(trace, claim, span),
        at=at,
    )


def typed_as(example: JsonValue, text: str) -> JsonValue:
    """Return *text* as a JSON value of the type of *example* if it is one, else as it stands."""
    if example is None or isinstance(example, str):
        return text
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return text
    both_numbers = _is_number(example) and _is_number(value)
    return value if both_numbers or type(value) is type(example) else text


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _submitted(trace: Trace, artifact: str, field: str, fields: FieldRules) -> JsonValue:
    found = trace.artifact(artifact)
    if found is None and not (artifact == "output" and trace.output is not None):
        if field in fields.artifacts.get(artifact, {}):
            return None
        raise InputError(f"the run {trace.trace_id!r} has no artifact {artifact!r}")
    value = found.value if found is not None else trace.output
    record = value if isinstance(value, dict) else {}
    if field not in record and field not in fields.artifacts.get(artifact, {}):
        raise InputError(f"the artifact {artifact!r} of the run {trace.trace_id!r} has no field {field!r}")
    return record.get(field)


def _claim(trace: Trace, field: str) -> Mapping[str, JsonValue]:
    found = trace.artifact("claims")
    claims = found.value if found is not None else None
    for claim in claims if isinstance(claims, list) else []:
        if isinstance(claim, dict) and claim.get("field") == field:
            return claim
    return {}


def _texts(claim: Mapping[str, JsonValue], name: str) -> Iterator[str]:
    citations = claim.get("citations")
    for citation in citations if isinstance(citations, list) else []:
        text = citation.get(name) if isinstance(citation, dict) else None
        if isinstance(text, str):
            yield text


def _document(trace: Trace, claim: Mapping[str, JsonValue], span: Span | None) -> str | None:
    read = {source.path for source in trace.sources}
    named = [*_texts(claim, "path"), span.attributes.get("naoshi.source.path") if span is not None else None]
    for path in named:
        if isinstance(path, str) and (path in read or not read):
            return path
    if len(read) == 1:
        return next(iter(read))
    stated = trace.vars.get("document")
    return stated if isinstance(stated, str) else None
