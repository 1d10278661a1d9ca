"""Contradictions and near-duplicates, shown with where each case comes from."""

from collections.abc import Iterator, Sequence
from typing import Any

from naoshi.flow.case_check import check_cases
from naoshi.flow.loop import Loop
from naoshi.records import EvalCase, Split
from naoshi.ui.cli.output import Output, counted, one_line

_SHOWN = 20
_MEMBERS = 6


def check_and_show(loop: Loop, out: Output, *, strict: bool) -> int:
    """Show what is wrong with the cases as a whole; return 1 for contradictions, if *strict* for both."""
    found = check_cases(loop)
    for contradicting in found.contradictions[:_SHOWN]:
        out.say(f"contradiction: {one_line(contradicting.field)} of one input, and different values wanted")
        wanted = [one_line(text, most=60) for text in contradicting.wanted]
        out.say(*_members(contradicting.cases, wanted))
    for alike in found.near_duplicates[:_SHOWN]:
        out.say(f"near-duplicates: {counted(len(alike.cases), 'case')}, alike by {alike.likeness:.0%}")
        out.say(*_members(alike.cases))
    hidden = max(0, len(found.contradictions) - _SHOWN) + max(0, len(found.near_duplicates) - _SHOWN)
    if hidden:
        out.say(f"and {hidden} more (all of them with --json)")
    out.say(
        f"{counted(found.cases, 'case')}: {counted(len(found.contradictions), 'contradiction')}, "
        f"{counted(len(found.near_duplicates), 'group')} of near-duplicates"
    )
    out.result(
        {
            "cases": found.cases,
            "contradictions": [
                {"field": item.field, "cases": [_entry(case, wanted) for case, wanted in _zipped(item)]}
                for item in found.contradictions
            ],
            "near_duplicates": [
                {"likeness": item.likeness, "cases": [_entry(case) for case in item.cases]}
                for item in found.near_duplicates
            ],
        }
    )
    return 1 if found.contradictions or (strict and found.near_duplicates) else 0


def _zipped(item: Any) -> Iterator[tuple[EvalCase, str]]:
    return zip(item.cases, item.wanted, strict=True)


def _members(cases: Sequence[EvalCase], wanted: Sequence[str] = ()) -> Iterator[str]:
    for place, case in enumerate(cases[:_MEMBERS]):
        if case.split is Split.holdout:
            yield f"  {case.case_id} (holdout; not shown)"
            continue
        value = f" wants {wanted[place]}" if wanted else ""
        yield f"  {case.case_id}{value}; {_origin(case)}"
    if len(cases) > _MEMBERS:
        yield f"  and {len(cases) - _MEMBERS} more"


def _origin(case: EvalCase) -> str:
    origin = case.provenance
    named = (
        ("correction", origin.correction_id),
        ("trace", origin.trace_id),
        ("source", case.source_key or None),
    )
    told = ", ".join(f"{what} {one_line(name, most=60)}" for what, name in named if name)
    return told if origin.correction_id or origin.trace_id else f"written by a person ({told or 'no source'})"


def _entry(case: EvalCase, wanted: str | None = None) -> dict[str, Any]:
    if case.split is Split.holdout:
        return {"case_id": case.case_id, "split": "holdout"}
    return {
        "case_id": case.case_id,
        "split": case.split.value,
        "description": case.description,
        "source_key": case.source_key,
        "provenance": case.provenance,
        **({} if wanted is None else {"wanted": wanted}),
    }
