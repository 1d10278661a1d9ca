"""The output contract: required artifacts are there and not empty, JSON is valid, files that are named exist."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from naoshi.records.evidence import Evidence
from naoshi.records.signal import Signal, SignalSource
from naoshi.records.trace import Artifact, SpanStatus, Trace
from naoshi.signals.checked_file import FileFault, read_checked, read_checked_text
from naoshi.signals.failure_type import FailureType, is_blank
from naoshi.signals.named_signal import named
from naoshi.signals.schema_violation import parse_strictly, schema_violation
from naoshi.signals.settings import ArtifactContract, ArtifactKind, ContractSettings

_LONGEST_DETAIL = 300


@dataclass(frozen=True, kw_only=True)
class _Finding:
    failure_type: FailureType
    message: str
    field: str | None = None
    observed: JsonValue = None


@dataclass(frozen=True, kw_only=True)
class _Roots:
    outputs: Path
    schemas: Path
    largest: int


def check_contract(
    trace: Trace,
    settings: ContractSettings,
    *,
    outputs_root: Path,
    data_root: Path | None = None,
    schemas_root: Path | None = None,
) -> tuple[Signal, ...]:
    """Return a signal for each way in which the run breaks its output contract.

    An artifact called ``output`` stands for the run's output when the trace has no artifact of that name. Files are
    looked up below *outputs_root*, then below *data_root* if given; schemas below *schemas_root* (the outputs root
    if not given). Nothing outside these folders is opened.

    Raises:
        ConfigError: a schema of the settings is missing or is no valid JSON schema.
    """
    roots = _Roots(outputs=outputs_root, schemas=schemas_root or outputs_root, largest=settings.largest_file)
    signals = [_signal(trace, "run", finding) for finding in _run_findings(trace)]
    if not settings.artifacts and not _gives_anything(trace):
        finding = _Finding(failure_type=FailureType.artifact_missing, message="the run gave no output and no artifact")
        signals.append(_signal(trace, "output", finding))
    for name, contract in settings.artifacts.items():
        signals += [_signal(trace, name, finding) for finding in _artifact_findings(trace, name, contract, roots)]
    for artifact in trace.artifacts:
        if artifact.name not in settings.artifacts and artifact.path is not None:
            found = _file_findings(artifact.path, roots, binary=True)
            signals += [_signal(trace, artifact.name, finding) for finding in found]
    if data_root is not None:
        signals = [signal for signal in signals if not _stands_in(data_root, signal, settings.largest_file)]
    return tuple({signal.signal_id: signal for signal in signals}.values())


def _run_findings(trace: Trace) -> Iterator[_Finding]:
    for span in trace.spans:
        if span.parent_span_id is None and span.status is SpanStatus.error:
            why = _cut(span.status_message or "no reason given")
            yield _Finding(failure_type=FailureType.run_failed, message=f"the run ended in an error: {why}")


def _gives_anything(trace: Trace) -> bool:
    return not is_blank(trace.output) or any(item.path or not is_blank(item.value) for item in trace.artifacts)


def _artifact_findings(trace: Trace, name: str, contract: ArtifactContract, roots: _Roots) -> Iterable[_Finding]:
    artifact = trace.artifact(name)
    if artifact is None and name == "output" and trace.output is not None:
        artifact = Artifact(name=name, value=trace.output)
    if artifact is None:
        if not contract.required:
            return ()
        return (_Finding(failure_type=FailureType.artifact_missing, message=f"the artifact {name!r} is missing"),)
    if contract.kind is ArtifactKind.file:
        if artifact.path is None:
            reason = f"the artifact {name!r} must be a file but names none"
            return (_Finding(failure_type=FailureType.artifact_wrong_kind, message=reason),)
        return _file_findings(artifact.path, roots, binary=contract.binary)
    value = artifact.value
    if artifact.path is not None:
        content = read_checked_text(roots.outputs, artifact.path, largest=roots.largest)
        if isinstance(content, FileFault):
            return (_fault(artifact.path, content),)
        value = content
    return _value_findings(name, value, contract, roots)


def _value_findings(name: str, value: JsonValue, contract: ArtifactContract, roots: _Roots) -> Iterable[_Finding]:
    if contract.kind is ArtifactKind.text:
        return _text_findings(name, value)
    if contract.kind is ArtifactKind.table:
        return _table_findings(name, value)
    return _record_findings(name, value, contract, roots)


def _text_findings(name: str, value: JsonValue) -> Iterator[_Finding]:
    if is_blank(value):
        yield _empty(name)
    elif not isinstance(value, str):
        yield _wrong_kind(name, "text", value)


def _table_findings(name: str, value: JsonValue) -> Iterator[_Finding]:
    if isinstance(value, str):
        try:
            rows = list(csv.reader(io.StringIO(value, newline="")))
        except csv.Error as error:
            reason = f"the table {name!r} cannot be read as CSV: {error}"
            yield _Finding(failure_type=FailureType.artifact_wrong_kind, message=reason)
            return
        if not any(cell.strip() for row in rows[1:] for cell in row):
            yield _empty(name, "has no row below its header")
    elif is_blank(value):
        yield _empty(name)
    elif not isinstance(value, list) or not all(isinstance(row, list | dict) for row in value):
        yield _wrong_kind(name, "a table", value)
    elif isinstance(value[0], list) and all(is_blank(row) for row in value[1:]):
        yield _empty(name, "has no row below its header")


def _record_findings(name: str, value: JsonValue, contract: ArtifactContract, roots: _Roots) -> Iterator[_Finding]:
    if isinstance(value, str) and not is_blank(value):
        try:
            value = parse_strictly(value)
        except (ValueError, RecursionError) as error:
            reason = f"the artifact {name!r} is not valid JSON: {_cut(str(error))}"
            yield _Finding(failure_type=FailureType.artifact_invalid_json, message=reason)
            return
    if is_blank(value):
        yield _empty(name)
        return
    if not isinstance(value, list | dict):
        yield _wrong_kind(name, "a record", value)
        return
    if contract.json_schema is not None:
        yield from _schema_findings(name, value, contract.json_schema, roots)
    for field in contract.files:
        yield from _named_file_findings(value, field, contract, roots)


def _schema_findings(
    name: str, value: JsonValue, schema: Mapping[str, JsonValue] | str, roots: _Roots
) -> Iterator[_Finding]:
    broken = schema_violation(value, schema, schemas_root=roots.schemas, artifact=name)
    if broken is not None:
        reason = f"the artifact {name!r} breaks its schema at {_cut(broken.place)}: {_cut(broken.reason)}"
        kind = FailureType.artifact_schema_violation
        yield _Finding(failure_type=kind, message=reason, field=broken.field)


def _named_file_findings(value: JsonValue, field: str, contract: ArtifactContract, roots: _Roots) -> Iterator[_Finding]:
    records = value if isinstance(value, list) else [value]
    for record in records:
        named = record.get(field) if isinstance(record, dict) else None
        for path in named if isinstance(named, list) else [named]:
            if is_blank(path):
                reason = f"the field {field!r} names no file"
                yield _Finding(failure_type=FailureType.file_missing, message=reason, field=field)
            elif not isinstance(path, str):
                reason = f"the field {field!r} holds something other than a path"
                yield _Finding(failure_type=FailureType.file_missing, message=reason, field=field, observed=path)
            else:
                yield from _file_findings(path, roots, binary=contract.binary, field=field)


def _file_findings(path: str, roots: _Roots, *, binary: bool, field: str | None = None) -> Iterator[_Finding]:
    content = read_checked(roots.outputs, path, largest=roots.largest)
    if isinstance(content, FileFault):
        yield _fault(path, content, field)
    elif not content.strip(b"\xef\xbb\xbf \t\r\n\v\f\0"):
        reason = f"the file {_cut(path)!r} has nothing in it"
        yield _Finding(failure_type=FailureType.artifact_empty, message=reason, field=field, observed=path)
    elif not binary:
        text = read_checked_text(roots.outputs, path, largest=roots.largest)
        if isinstance(text, FileFault):
            yield _fault(path, text, field)
        elif is_blank(text):
            reason = f"the file {_cut(path)!r} has nothing but white space in it"
            yield _Finding(failure_type=FailureType.artifact_empty, message=reason, field=field, observed=path)


def _stands_in(root: Path, signal: Signal, largest: int) -> bool:
    """Return whether the file that *signal* misses among the outputs is a source below *root*."""
    if signal.failure_type != FailureType.file_missing or not isinstance(signal.observed, str):
        return False
    return isinstance(read_checked(root, signal.observed, largest=largest), bytes)


def _fault(path: str, fault: FileFault, field: str | None = None) -> _Finding:
    reason = f"the file {_cut(path)!r} is of no use: {fault.reason}"
    return _Finding(failure_type=fault.failure_type, message=reason, field=field, observed=path)


def _empty(name: str, why: str = "is empty") -> _Finding:
    return _Finding(failure_type=FailureType.artifact_empty, message=f"the artifact {name!r} {why}")


def _wrong_kind(name: str, wanted: str, value: JsonValue) -> _Finding:
    kinds: dict[type, str] = {dict: "a record", list: "a list", str: "text", bool: "true or false"}
    kind = kinds.get(type(value), "a number")
    reason = f"the artifact {name!r} must be {wanted} but is {kind}"
    return _Finding(failure_type=FailureType.artifact_wrong_kind, message=reason)


def _cut(text: str) -> str:
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= _LONGEST_DETAIL else text[: _LONGEST_DETAIL - 1] + "…"


def _signal(trace: Trace, artifact: str, finding: _Finding) -> Signal:
    return named(
        Signal(
            signal_id="",
            trace_id=trace.trace_id,
            agent_version=trace.agent_version,
            artifact=artifact,
            field=finding.field,
            failure_type=finding.failure_type.value,
            source=SignalSource.contract,
            message=finding.message,
            observed=finding.observed,
            evidence=(Evidence(trace_id=trace.trace_id),),
        )
    )
