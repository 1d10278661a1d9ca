"""Citations that stand in prose: identifiers of runs, steps, cases and corrections, and places in files. Pure."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

from naoshi.repair.engines.drafts import DraftEvidence

FILE_LINE = re.compile(r"(?<![\w./-])([\w-][\w./-]*\.[A-Za-z]\w{0,7}):(\d{1,6})(?!\d)")
_LABELLED = re.compile(
    r"\b(trace|span|case|eval|correction|feedback)(?:[_. ]?ids?)?[\"'`*]*[ \t]*[:=#]?[ \t]*[\"'`*]*"
    r"([A-Za-z0-9][\w.-]{5,199})",
    re.IGNORECASE,
)
_ALSO_CALLED: Final = {"eval": "case", "feedback": "correction"}
_OURS = re.compile(r"\b((trace|span|case|correction)_[A-Za-z0-9_]{3,100})\b")
_HEX = re.compile(r"(?<![0-9A-Za-z])([0-9a-f]{32}|[0-9a-f]{24}|[0-9a-f]{16})(?![0-9A-Za-z])")


@dataclass(frozen=True, kw_only=True)
class KnownNames:
    """Identifiers that are in the material, by kind: they are found in prose however they are written."""

    traces: Collection[str] = ()
    spans: Collection[str] = ()
    cases: Collection[str] = ()
    corrections: Collection[str] = ()


def cited(text: str, known: KnownNames) -> tuple[DraftEvidence, ...]:
    """Return every citation that stands in *text*, whether it exists or not, each once and in order."""
    found: dict[tuple[int, DraftEvidence], None] = {}
    for match in FILE_LINE.finditer(text):
        if int(match[2]) > 0:
            found[match.start(), DraftEvidence(file=match[1], line=int(match[2]))] = None
    for start, name, kind in _names(text, known):
        found[start, _of_kind(name, kind)] = None
    ordered = sorted(found, key=lambda item: item[0])
    return tuple(dict.fromkeys(item for _, item in ordered))


def _names(text: str, known: KnownNames) -> Iterator[tuple[int, str, str]]:
    kinds: dict[str, str] = {}
    for kind, names in (
        ("trace", known.traces), ("span", known.spans), ("case", known.cases), ("correction", known.corrections)
    ):  # fmt: skip
        kinds.update(dict.fromkeys(names, kind))
    for match in re.finditer(r"[A-Za-z0-9][\w.-]{3,199}", text):
        name = match[0].rstrip(".-_")
        if name in kinds:
            yield match.start(), name, kinds[name]
    for match in _OURS.finditer(text):
        if match[1] not in kinds and any(letter.isdigit() for letter in match[1]):
            yield match.start(), match[1], match[2]
    for match in _HEX.finditer(text):
        if match[1] not in kinds:
            yield match.start(), match[1], "trace" if len(match[1]) == 32 else "span"
    for match in _LABELLED.finditer(text):
        name = match[2].rstrip(".-_")
        if any(letter.isdigit() for letter in name) and name not in kinds and not _HEX.fullmatch(name):
            yield (
                match.start(2),
                name,
                {"eval": "case", "feedback": "correction"}.get(match[1].lower(), match[1].lower()),
            )


def _of_kind(name: str, kind: str) -> DraftEvidence:
    return DraftEvidence.model_validate({f"{kind}_id": name})
