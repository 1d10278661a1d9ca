"""Evidence coverage: every filled field has a claim, every claim cites, and what is cited says so.

A claim is ``{"field" or "id", "value" or "text", "citations": [{"path", "line", "quote"}]}``. ``path`` is relative
to the data root, ``line`` counts from 1, ``quote`` is a part of that line (or of the file, without ``line``).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from naoshi.records.evidence import Evidence
from naoshi.records.signal import Signal, SignalSource
from naoshi.records.text_comparison import as_text
from naoshi.records.trace import Artifact, Trace
from naoshi.signals.checked_file import FileFault, read_checked_text
from naoshi.signals.failure_type import FailureType, is_blank
from naoshi.signals.named_signal import named
from naoshi.signals.quoted_values import missing_numbers, number_of, states_the_same, value_stands_in
from naoshi.signals.schema_violation import parse_strictly
from naoshi.signals.settings import EvidenceSettings

_LONGEST_DETAIL = 200


@dataclass(frozen=True, kw_only=True)
class _Finding:
    failure_type: FailureType
    message: str
    field: str | None = None
    observed: JsonValue = None
    place: Evidence | None = None


@dataclass(frozen=True, kw_only=True)
class _Claim:
    name: str
    field: str | None
    value: JsonValue
    text: str | None
    citations: JsonValue


class _Sources:
    """The lines of cited files, each read once."""

    def __init__(self, root: Path, largest: int) -> None:
        self._root = root
        self._largest = largest
        self._read: dict[str, list[str] | FileFault] = {}

    def lines(self, path: str) -> list[str] | FileFault:
        """Return the lines of the file, or why it is no source."""
        if path not in self._read:
            content = read_checked_text(self._root, path, largest=self._largest)
            if isinstance(content, str) and is_blank(content):
                content = FileFault(failure_type=FailureType.citation_without_source, reason="it has nothing in it")
            self._read[path] = content if isinstance(content, FileFault) else _lines(content)
        return self._read[path]


def _lines(content: str) -> list[str]:
    lines = [line.removesuffix("\r") for line in content.split("\n")]
    return lines if lines[-1] else lines[:-1]


def check_evidence(
    trace: Trace, settings: EvidenceSettings, *, data_root: Path, outputs_root: Path | None = None
) -> tuple[Signal, ...]:
    """Return a signal for each gap in the evidence of the run's claims.

    Nothing outside *data_root* is opened (and, for claims that are kept in a file, *outputs_root*). A run that has
    neither the claims artifact nor, with ``required``, the covered record gives no signals.
    """
    findings = _findings(trace, settings, _Sources(data_root, settings.largest_file), outputs_root)
    signals = (_signal(trace, settings, finding) for finding in findings)
    return tuple({signal.signal_id: signal for signal in signals}.values())


def _findings(
    trace: Trace, settings: EvidenceSettings, sources: _Sources, outputs_root: Path | None
) -> Iterator[_Finding]:
    filled = _filled_fields(trace, settings.covers)
    artifact = trace.artifact(settings.claims)
    if artifact is None:
        if settings.required and filled:
            reason = f"the artifact {settings.claims!r} is missing though {len(filled)} fields have values"
            yield _Finding(failure_type=FailureType.claims_missing, message=reason)
        return
    listed = _claim_list(artifact, settings, outputs_root)
    if isinstance(listed, _Finding):
        yield listed
        listed = []
    claims: list[_Claim] = []
    for index, item in enumerate(listed):
        claim = _as_claim(item, index)
        if isinstance(claim, _Finding):
            yield claim
        else:
            claims.append(claim)
            yield from _claim_findings(claim, settings, sources)
    yield from _omissions(filled, claims)


def _claim_list(
    artifact: Artifact, settings: EvidenceSettings, outputs_root: Path | None
) -> list[JsonValue] | _Finding:
    value = artifact.value
    if artifact.path is not None and outputs_root is not None:
        content = read_checked_text(outputs_root, artifact.path, largest=settings.largest_file)
        if isinstance(content, FileFault):
            return _malformed(f"the file of the claims is of no use: {content.reason}")
        try:
            value = parse_strictly(content)
        except (ValueError, RecursionError) as error:
            return _malformed(f"the file of the claims is not JSON: {_cut(str(error))}")
    if not isinstance(value, list):
        kind = "nothing" if value is None else "a text" if isinstance(value, str) else "no list"
        return _malformed(f"the claims must be a list but are {kind}")
    return value


def _malformed(reason: str) -> _Finding:
    return _Finding(failure_type=FailureType.claims_malformed, message=reason)


def _filled_fields(trace: Trace, covers: str) -> Mapping[str, JsonValue]:
    artifact = trace.artifact(covers) if covers else None
    record = artifact.value if artifact is not None else None
    return {name: value for name, value in record.items() if not is_blank(value)} if isinstance(record, dict) else {}


def _as_claim(item: JsonValue, index: int) -> _Claim | _Finding:
    if not isinstance(item, dict):
        kind = FailureType.claim_malformed
        return _Finding(failure_type=kind, message=f"claim {index + 1} is not a record", observed=item)
    field, text = item.get("field"), item.get("text")
    name = field if isinstance(field, str) and field else item.get("id")
    if not isinstance(name, str | int) or isinstance(name, bool) or name == "":
        reason = f"claim {index + 1} has neither `field` nor `id`"
        return _Finding(failure_type=FailureType.claim_malformed, message=reason, observed=item)
    if is_blank(item.get("value")) and (not isinstance(text, str) or is_blank(text)):
        reason = f"the claim {_cut(str(name))!r} says nothing"
        return _Finding(failure_type=FailureType.claim_malformed, message=reason, field=_field(field))
    return _Claim(
        name=_cut(str(name)),
        field=_field(field),
        value=item.get("value"),
        text=text if isinstance(text, str) else None,
        citations=item.get("citations"),
    )


def _field(value: JsonValue) -> str | None:
    return _cut(value) if isinstance(value, str) and value else None


def _claim_findings(claim: _Claim, settings: EvidenceSettings, sources: _Sources) -> Iterator[_Finding]:
    if isinstance(claim.citations, str | dict | int | float):
        reason = f"the citations of {claim.name!r} must be a list"
        yield _Finding(
            failure_type=FailureType.citation_malformed, message=reason, field=claim.field, observed=claim.citations
        )
        return
    if not claim.citations:
        reason = f"the claim {claim.name!r} cites nothing"
        kind = FailureType.claim_without_citation
        yield _Finding(failure_type=kind, message=reason, field=claim.field, observed=claim.value)
        return
    quotes: list[str] = []
    for citation in claim.citations:
        checked = _check_citation(claim, citation, settings, sources)
        if isinstance(checked, _Finding):
            yield checked
        else:
            quotes.append(checked)
    if len(quotes) == len(claim.citations):
        yield from _support_findings(claim, " ".join(quotes))


def _check_citation(
    claim: _Claim, citation: JsonValue, settings: EvidenceSettings, sources: _Sources
) -> str | _Finding:
    """Return the quoted text if it stands where the citation says, else what is wrong."""
    if not isinstance(citation, dict):
        return _citation_fault(claim, FailureType.citation_malformed, "is not a record", citation)
    path, line, quote = citation.get("path"), citation.get("line"), citation.get("quote")
    if not isinstance(path, str) or not path:
        return _citation_fault(claim, FailureType.citation_malformed, "names no file", citation)
    if line is not None and (not isinstance(line, int) or isinstance(line, bool)):
        reason = f"has a line that is no whole number ({_cut(as_text(line))})"
        return _citation_fault(claim, FailureType.citation_malformed, reason, citation)
    if not isinstance(quote, str) or is_blank(quote):
        return _citation_fault(claim, FailureType.citation_malformed, "quotes nothing", citation)
    lines = sources.lines(path)
    if isinstance(lines, FileFault):
        reason = f"names {_cut(path)!r}, but {lines.reason}"
        return _citation_fault(claim, FailureType.citation_without_source, reason, citation)
    if line is not None and not 1 <= line <= len(lines):
        reason = f"names line {_cut(str(line))} of {_cut(path)!r}, which has {len(lines)} lines"
        return _citation_fault(claim, FailureType.citation_line_out_of_range, reason, citation)
    comparison = settings.quote_comparison
    there = comparison.key(lines[line - 1] if line is not None else "\n".join(lines))
    wanted = comparison.key(quote)
    if not wanted or wanted not in there:
        where = f"line {line} of {_cut(path)!r}" if line is not None else f"{_cut(path)!r}"
        return _citation_fault(claim, FailureType.quote_not_on_line, f"quotes what does not stand on {where}", citation)
    return quote


def _citation_fault(claim: _Claim, kind: FailureType, reason: str, citation: JsonValue) -> _Finding:
    record = citation if isinstance(citation, dict) else {}
    path, line, quote = record.get("path"), record.get("line"), record.get("quote")
    return _Finding(
        failure_type=kind,
        message=f"a citation of {claim.name!r} {reason}",
        field=claim.field,
        observed=claim.value,
        place=Evidence(
            path=_cut(path) if isinstance(path, str) else None,
            line=line if isinstance(line, int) and not isinstance(line, bool) else None,
            quote=_cut(quote) if isinstance(quote, str) else None,
        ),
    )


def _support_findings(claim: _Claim, quotes: str) -> Iterator[_Finding]:
    if not is_blank(claim.value) and not value_stands_in(claim.value, quotes):
        number = number_of(claim.value) is not None
        kind = FailureType.number_not_in_source if number else FailureType.value_not_in_source
        reason = f"the value {_cut(as_text(claim.value))!r} of {claim.name!r} does not stand in what it quotes"
        yield _Finding(failure_type=kind, message=reason, field=claim.field, observed=claim.value)
    if claim.text is not None:
        for number in missing_numbers(claim.text, quotes):
            reason = f"the number {_cut(str(number))} of {claim.name!r} does not stand in what it quotes"
            yield _Finding(failure_type=FailureType.number_not_in_source, message=reason, field=claim.field)


def _omissions(filled: Mapping[str, JsonValue], claims: list[_Claim]) -> Iterator[_Finding]:
    claimed: dict[str, list[JsonValue]] = {}
    for claim in claims:
        if claim.field is not None:
            claimed.setdefault(claim.field, []).append(claim.value)
    for field, value in filled.items():
        if field not in claimed:
            reason = f"the field {_cut(field)!r} has a value but no claim"
            kind = FailureType.field_without_claim
            yield _Finding(failure_type=kind, message=reason, field=field, observed=value)
            continue
        stated = [item for item in claimed[field] if not is_blank(item)]
        if stated and not any(states_the_same(item, value) for item in stated):
            reason = f"the claim for {_cut(field)!r} states another value than the field has"
            kind = FailureType.claim_differs_from_field
            yield _Finding(failure_type=kind, message=reason, field=field, observed=value)


def _cut(text: str) -> str:
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= _LONGEST_DETAIL else text[: _LONGEST_DETAIL - 1] + "…"


def _signal(trace: Trace, settings: EvidenceSettings, finding: _Finding) -> Signal:
    omitted = finding.failure_type in {FailureType.field_without_claim, FailureType.claim_differs_from_field}
    artifact = settings.covers if omitted else settings.claims
    place = finding.place or Evidence()
    return named(
        Signal(
            signal_id="",
            trace_id=trace.trace_id,
            agent_version=trace.agent_version,
            artifact=artifact,
            field=finding.field,
            failure_type=finding.failure_type.value,
            source=SignalSource.evidence,
            message=finding.message,
            observed=finding.observed,
            evidence=(place.model_copy(update={"trace_id": trace.trace_id}),),
        )
    )
