"""Cases that cannot all pass: the same input and field, and different things wanted of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from naoshi.evals.suites.likeness import normalised
from naoshi.records.base import canonical_json
from naoshi.records.eval_case import Assertion, EvalCase

_LONGEST_SHOWN = 80


@dataclass(frozen=True, kw_only=True)
class Contradicting:
    """Cases that want different things of one ``field`` of one input.

    ``wanted`` is what each of ``cases`` wants, in the same order, as JSON. ``field`` is ``artifact.field`` where the
    cases say it, else how the assertions pick it from the output.
    """

    cases: tuple[EvalCase, ...]
    field: str
    wanted: tuple[str, ...]


def contradictions(cases: Sequence[EvalCase]) -> tuple[Contradicting, ...]:
    """Return every set of *cases* that contradict each other, in the order of the suites.

    Inputs are the same when they differ in capitals, character width and spacing alone. An ``equals`` contradicts one
    with another value, and a ``not-`` assertion its opposite with the same value. Cases that were made of corrections
    of one field contradict each other when the corrected values differ in letters or digits.
    """
    found: dict[str, list[_Claim]] = {}
    for case in cases:
        asked = _loose(case.vars)
        for claim in _claims(case):
            found.setdefault(canonical_json([asked, claim.subject]), []).append(claim)
    told = (_told(claims) for claims in found.values())
    distinct = {tuple(item.case_id for item in one.cases): one for one in told if len(set(one.wanted)) > 1}
    return tuple(distinct.values())


@dataclass(frozen=True, kw_only=True)
class _Claim:
    """What one case says of one subject; two claims on one subject with different values contradict each other."""

    case: EvalCase
    subject: JsonValue
    value: str
    field: str


def _claims(case: EvalCase) -> Iterator[_Claim]:
    origin = case.provenance
    named = f"{origin.artifact or 'output'}.{origin.field}" if origin.field else ""
    for item in case.assertions:
        if item.weight <= 0:
            continue
        plain, negated = item.type.removeprefix("not-"), item.type.startswith("not-")
        field = named or item.transform or "output"
        if item.type == "equals":
            yield _Claim(case=case, subject=["equals", item.transform], value=canonical_json(item.value), field=field)
        if plain not in ("latency", "cost", "python"):
            subject: JsonValue = ["either", plain, item.transform, item.threshold, canonical_json(item.value)]
            yield _Claim(case=case, subject=subject, value=_either(item, negated=negated), field=field)
    if named and origin.corrected is not None:
        yield _Claim(case=case, subject=["field", named], value=_bare(origin.corrected), field=named)


def _either(item: Assertion, *, negated: bool) -> str:
    return f"{'not ' if negated else ''}{item.type.removeprefix('not-')} {canonical_json(item.value)[:_LONGEST_SHOWN]}"


def _told(claims: Sequence[_Claim]) -> Contradicting:
    by_case = {claim.case.case_id: claim for claim in claims}
    ordered = tuple(by_case.values())
    return Contradicting(
        cases=tuple(claim.case for claim in ordered),
        field=ordered[0].field,
        wanted=tuple(claim.value for claim in ordered),
    )


def _bare(value: JsonValue) -> str:
    text = normalised(value) if isinstance(value, str) else canonical_json(value)
    return "".join(mark for mark in text if mark.isalnum())


def _loose(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return normalised(value)
    if isinstance(value, list):
        return [_loose(item) for item in value]
    if isinstance(value, dict):
        return {key: _loose(item) for key, item in value.items()}
    return value
