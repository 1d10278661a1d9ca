"""HALO's report, in either layout, as drafts of recommendations. Pure."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from pydantic import ValidationError

from naoshi.errors import HaloError
from naoshi.records import Defect, Layer
from naoshi.repair.engines.drafts import DraftEvidence, DraftRecommendation
from naoshi.repair.engines.prose_citations import FILE_LINE, KnownNames, cited
from naoshi.repair.handoff_file import SECTIONS as FOUR
from naoshi.repair.seven_sections import CHAPTERS
from naoshi.repair.seven_sections import SECTIONS as SEVEN

_FENCE = re.compile(r"^[ \t]*```[ \t]*(?:json)?[ \t]*\n(.*?)\n[ \t]*```[ \t]*$", re.MULTILINE | re.DOTALL)
_ITEM = re.compile(r"^(?:[-*+]|\d{1,3}[.)])[ \t]+(.*)$")
_CELL = re.compile(r"(?<!\\)\|")
_WORDS: Final = {"high": 0.9, "large": 0.9, "medium": 0.5, "med": 0.5, "moderate": 0.5, "low": 0.2, "small": 0.2}
_FIGURE = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*%|\b([01](?:\.\d+)?)\b")
_WORD = re.compile(r"\b(high|large|medium|med|moderate|low|small)\b", re.IGNORECASE)
_KINDS: Final = (
    (Defect.requirement_not_followed, re.compile(r"not[\w -]{0,24}followed|already[ -]present", re.IGNORECASE)),
    (Defect.observability, re.compile(r"observab", re.IGNORECASE)),
    (Defect.implementation, re.compile(r"implementation[\w/ -]{0,24}defect|defect|bug", re.IGNORECASE)),
)


def drafts_of_report(report: str, known: KnownNames) -> tuple[DraftRecommendation, ...]:
    """Return what *report* recommends, the most valuable first.

    Seven sections: the machine-readable summary, and rows of the table that are not in it. Four sections: each change
    with the diagnosis beside it.

    Raises:
        HaloError: it has the sections of neither layout, or recommends nothing.
    """
    seven = _sections(report, SEVEN)
    four = _sections(report, FOUR) if seven is None else None
    if seven is not None:
        drafts = _of_seven(seven, known)
    elif four is not None:
        drafts = _of_four(four, known)
    else:
        raise HaloError("HALO's report has the sections of neither layout")
    if not drafts:
        raise HaloError("HALO's report recommends nothing")
    return tuple(drafts)


def _sections(report: str, names: Sequence[str]) -> dict[str, str] | None:
    """Return the bodies of the sections *names* in the last place where all of them stand in order, or None."""
    lines = report.splitlines()
    heads = [(index, _heading(line)) for index, line in _outside_fences(lines)]
    end = len(lines)
    bodies: dict[str, str] = {}
    for name in reversed(names):
        start = max((index for index, head in heads if head == name.casefold() and index < end), default=None)
        if start is None:
            return None
        bodies[name] = "\n".join(lines[start + 1 : end]).strip()
        end = start
    return bodies


def _outside_fences(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    inside = False
    for index, line in enumerate(lines):
        if line.lstrip().startswith("```"):
            inside = not inside
        elif not inside:
            yield index, line


def _heading(line: str) -> str:
    match = re.fullmatch(r"##[ \t]+(?:\d+[.)][ \t]*)?[`*]*(.*?)[`*:]*[ \t]*#*", line.rstrip())
    return match[1].casefold() if match else ""


def _of_seven(sections: Mapping[str, str], known: KnownNames) -> list[DraftRecommendation]:
    details = _details(sections["Detailed recommendations"])
    evidence = sections["Supporting diagnosis and evidence"]
    drafts = [_enriched(item, details, evidence, known) for item in _priorities(sections["Machine-readable summary"])]
    titles = {_plain(item.title) for item in drafts}
    for row in _rows(sections["Ranked recommendation table"]):
        draft = _of_row(row, details, known)
        if draft is not None and _plain(draft.title) not in titles:
            titles.add(_plain(draft.title))
            drafts.append(draft)
    return drafts


def _priorities(body: str) -> list[dict[str, Any]]:
    """Return the entries of ``top_priorities``; what cannot be read is left to the table."""
    found: list[str] = _FENCE.findall(body)
    for text in reversed(found):
        try:
            block: Any = json.loads(text)
        except (ValueError, RecursionError):
            continue
        entries: Any = cast("dict[str, Any]", block).get("top_priorities") if isinstance(block, dict) else None
        if isinstance(entries, list):
            return [_entry(item) for item in cast("list[Any]", entries)]
    return []


def _entry(item: Any) -> dict[str, Any]:
    if isinstance(item, dict):
        return cast("dict[str, Any]", item)
    return {"title": str(item)}


def _enriched(
    entry: Mapping[str, Any], details: Sequence[tuple[Layer, str]], evidence: str, known: KnownNames
) -> DraftRecommendation:
    title = _line(entry.get("title") or entry.get("recommendation") or entry.get("name") or "a change without a title")
    statement = _line(entry.get("statement") or entry.get("rationale") or entry.get("description") or "")
    layer, detail = _detail_of(title, details)
    kind = _one_of(Defect, entry.get("kind") or entry.get("classification"))
    given = [_evidence_entry(item, known) for item in _listed(entry.get("evidence"))]
    named = tuple(piece for pieces in given for piece in pieces)
    return DraftRecommendation(
        title=title,
        statement=statement or detail[:2000],
        kind=kind or _kind_in(f"{entry.get('kind', '')} {detail}"),
        layer=_one_of(Layer, entry.get("layer")) or layer,
        group=str(entry["group"]) if entry.get("group") else None,
        impact=share(entry.get("impact")),
        confidence=share(entry.get("confidence")),
        effort=share(entry.get("effort") or entry.get("implementation_effort")),
        evidence=named or cited(f"{statement}\n{detail}", known) or cited(_paragraph_about(title, evidence), known),
    )


def _evidence_entry(item: Any, known: KnownNames) -> tuple[DraftEvidence, ...]:
    if not isinstance(item, dict):
        return cited(str(item), known)
    pairs = cast("dict[str, Any]", item)
    given = {key: value for key, value in pairs.items() if value not in (None, "", 0)}
    if "file" in given and "line" not in given and (match := FILE_LINE.fullmatch(str(given["file"]))):
        given = {**given, "file": match[1], "line": int(match[2])}
    try:
        return (DraftEvidence.model_validate(given),)
    except ValidationError:
        return cited(json.dumps(given, ensure_ascii=False), known)


def _of_row(row: Sequence[str], details: Sequence[tuple[Layer, str]], known: KnownNames) -> DraftRecommendation | None:
    if len(row) < 6 or not row[0].strip("# ").rstrip(".").isdigit():
        return None
    title = _line(row[1]).strip("*` ")
    if not title:
        return None
    layer, detail = _detail_of(title, details)
    return DraftRecommendation(
        title=title,
        statement=detail[:2000],
        kind=_kind_in(f"{title} {detail}"),
        layer=layer,
        impact=share(row[2]),
        confidence=share(row[3]),
        effort=share(row[4]),
        evidence=cited(row[5], known) or cited(detail, known),
    )


def _rows(body: str) -> Iterator[list[str]]:
    for line in body.splitlines():
        stripped = line.strip()
        if stripped.startswith("|"):
            yield [cell.strip().replace("\\|", "|") for cell in _CELL.split(stripped.strip("|"))]


def _details(body: str) -> list[tuple[Layer, str]]:
    """Return each part of the detailed recommendations with its layer."""
    layers = {name.casefold(): layers[0] for _, parts in CHAPTERS for name, layers in parts}
    found: list[tuple[Layer, str]] = []
    current: Layer | None = None
    lines: list[str] = []
    for line in [*body.splitlines(), "#### "]:
        if line.startswith("###"):
            if current is not None and "\n".join(lines).strip():
                found.append((current, "\n".join(lines).strip()))
            current, lines = layers.get(line.strip("# `*").casefold()), []
        else:
            lines.append(line)
    return found


def _detail_of(title: str, details: Sequence[tuple[Layer, str]]) -> tuple[Layer, str]:
    for layer, text in details:
        paragraph = _paragraph_about(title, text)
        if paragraph:
            return layer, paragraph
    return Layer.prompt, ""


def _paragraph_about(title: str, text: str) -> str:
    """Return the paragraph of *text* that names *title*, or nothing."""
    wanted = _plain(title)
    paragraphs = re.split(r"\n[ \t]*\n|\n(?=(?:[-*+]|\d{1,3}[.)])[ \t])", text)
    return next((part.strip() for part in paragraphs if wanted and wanted in _plain(part)), "")


def _of_four(sections: Mapping[str, str], known: KnownNames) -> list[DraftRecommendation]:
    causes = _items(sections["HALO Diagnosis"])
    changes = _items(sections["Recommended Changes"])
    everything = cited(sections["Supporting Traces"], known)
    drafts: list[DraftRecommendation] = []
    for number, change in enumerate(changes):
        cause = causes[number] if number < len(causes) else ""
        head = change.splitlines()[0]
        drafts.append(
            DraftRecommendation(
                title=_line(head).strip("*` ")[:200] or "a change without a title",
                statement=_line(f"{cause} {change if change != head else ''}"),
                kind=_kind_in(f"{cause} {change}"),
                layer=_layer_in(change),
                impact=_told(cause, "impact") or share(cause),
                confidence=_told(change, "confidence") or 0.5,
                effort=_told(change, "effort") or 0.5,
                evidence=cited(f"{change}\n{cause}", known) or everything,
            )
        )
    return drafts


def _items(body: str) -> list[str]:
    """Return the entries of a list at the margin, each with the lines that are indented below it."""
    found: list[list[str]] = []
    for line in body.splitlines():
        match = _ITEM.match(line)
        if match:
            found.append([match[1]])
        elif found and line.strip() and line[0].isspace():
            found[-1].append(line.strip())
    return ["\n".join(lines) for lines in found]


def _layer_in(text: str) -> Layer:
    spaced = text.casefold().replace("_", " ")
    places = {layer: spaced.find(layer.value.replace("_", " ").removesuffix("s")) for layer in Layer}
    return min((layer for layer in Layer if places[layer] >= 0), key=lambda layer: places[layer], default=Layer.prompt)


def _kind_in(text: str) -> Defect:
    return next((kind for kind, pattern in _KINDS if pattern.search(text)), Defect.requirement_missing)


def _told(text: str, name: str) -> float | None:
    match = re.search(rf"{name}[ \t:=]*([^,;\n]*)", text, re.IGNORECASE)
    return share(match[1]) if match and (_FIGURE.search(match[1]) or _WORD.search(match[1])) else None


def share(value: object) -> float:
    """Return a share (0 to 1) from a number, a percentage or a word; a half where nothing can be read."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return min(1.0, max(0.0, float(value))) if value == value else 0.5
    text = str(value or "")
    word = _WORD.search(text)
    if word:
        return _WORDS[word[1].casefold()]
    figure = _FIGURE.search(text)
    if figure is None:
        return 0.5
    return min(1.0, float(figure[1]) / 100 if figure[1] else float(figure[2]))


def _one_of(kind: Any, value: object) -> Any:
    name = str(value or "").strip().casefold().replace(" ", "_").replace("-", "_")
    return next((item for item in kind if item.value == name), None)


def _listed(value: Any) -> list[Any]:
    if isinstance(value, list):
        return cast("list[Any]", value)
    return [] if value in (None, "") else [value]


def _line(text: object) -> str:
    return " ".join(str(text).split())


def _plain(text: str) -> str:
    return " ".join(re.sub(r"[^\w]+", " ", text).casefold().split())
