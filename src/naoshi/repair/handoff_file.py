"""`codex_handoff.md` in either layout: sections for reading, and a machine-readable block that holds everything."""

from itertools import pairwise

from naoshi.errors import InputError
from naoshi.records import Handoff
from naoshi.repair import seven_sections
from naoshi.repair.handoff_block import fenced, handoff_block, handoff_in
from naoshi.repair.handoff_lines import (
    case_lines,
    group_line,
    guidance_lines,
    recommendation_lines,
    standing_line,
    struck_line,
)
from naoshi.repair.settings import Layout

SECTIONS = ("HALO Diagnosis", "Recommended Changes", "Supporting Traces", "Implementation Guidance")
"""The four sections of the first layout; `seven_sections` has those of the second."""


def render_handoff(handoff: Handoff, *, listed: int = 20, layout: Layout = "four") -> str:
    """Return *handoff* as Markdown. Text of strangers cannot change its layout; the same handoff gives the same bytes.

    At most *listed* cases are shown for reading; the block at the end has them all.

    Raises:
        ValueError: a value is NaN or infinite (`build_handoff` leaves none).
    """
    if layout == "seven":
        return seven_sections.render(handoff, listed=listed)
    bodies = (_diagnosis(handoff), _changes(handoff), case_lines(handoff, listed), _guidance(handoff))
    parts = [f"## {name}\n\n{body}" for name, body in zip(SECTIONS, bodies, strict=True)]
    return "\n\n".join(parts) + "\n"


def parse_handoff(text: str) -> Handoff:
    """Return the handoff that *text* was rendered from, in either layout.

    Raises:
        InputError: a section or the machine-readable block is missing, or the block is not of our schema.
    """
    if missing := (missing_section(text, SECTIONS) and missing_section(text, seven_sections.SECTIONS)):
        first = missing_section(text, SECTIONS)
        told = missing if f"## {seven_sections.SECTIONS[0]}" in text.splitlines() else first
        raise InputError(f"this is no handoff: its four or seven sections do not hold ({told})")
    return handoff_in(text)


def missing_section(text: str, sections: tuple[str, ...]) -> str | None:
    """Return the first of *sections* that *text* lacks, "their order" where only that is wrong, or None."""
    lines = text.splitlines()
    places = [lines.index(f"## {name}") if f"## {name}" in lines else -1 for name in sections]
    lacking = next((name for name, place in zip(sections, places, strict=True) if place < 0), None)
    if lacking is not None:
        return lacking
    return "their order" if any(first >= second for first, second in pairwise(places)) else None


def _diagnosis(handoff: Handoff) -> str:
    groups = [group_line(group) for group in handoff.diagnosis.groups] or ["No group of failures was found."]
    told = struck_line(handoff)
    return "\n".join([standing_line(handoff), "", *groups, *(["", told] if told else [])])


def _changes(handoff: Handoff) -> str:
    items = handoff.diagnosis.recommendations
    return "\n\n".join(recommendation_lines(item) for item in items) or (
        "None: the failing cases below are all there is."
    )


def _guidance(handoff: Handoff) -> str:
    return "\n".join(guidance_lines(handoff)) + f"\n\n{fenced(handoff_block(handoff))}"
