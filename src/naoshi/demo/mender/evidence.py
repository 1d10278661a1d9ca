"""What the handoff proves: for a document and a field, the value that a person confirmed or left standing."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from naoshi.demo.agent.receipts_agent.document import Document, DocumentError, read_document
from naoshi.demo.agent.receipts_agent.harness import FIELDS
from naoshi.demo.receipts import letters_and_digits

LEFT_STANDING: Final = 0.5
"""The weight of a value that nobody corrected in a cited document; one that a person confirmed has weight 1."""

_FENCE: Final = "```json\n"


class HandoffError(Exception):
    """The handoff cannot be used; the message says what is wrong with it."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One field of one document. ``broken`` tells that the present harness gets it wrong."""

    document: str
    field: str
    value: str
    weight: float
    broken: bool

    @property
    def confirmed(self) -> bool:
        """Whether a person gave the value, rather than left it standing."""
        return self.weight > LEFT_STANDING


@dataclass(frozen=True, kw_only=True)
class Handoff:
    """The machine-readable part of ``codex_handoff.md``, and the documents that it cites.

    ``every_case`` says that each case is true as it stands and has to pass.
    """

    attempt: int
    previous_failures: tuple[str, ...]
    evidence: tuple[Evidence, ...]
    documents: Mapping[str, Document]
    every_case: bool = False

    def of(self, field: str) -> list[Evidence]:
        """Return the evidence on one field, sorted by document."""
        return sorted((item for item in self.evidence if item.field == field), key=lambda item: item.document)


def read_handoff(path: Path, *, data_root: Path) -> Handoff:
    """Read the handoff at *path* and the documents that it cites under *data_root*.

    A cited document that cannot be read, or a pair of document and field with two different values, proves
    nothing and is left out.

    Raises:
        HandoffError: there is no such file, or its last ``json`` block is missing or has another form.
    """
    try:
        block = _last_block(path.read_text(encoding="utf-8"))
        cases = [*_confirmed(block, "cases", "expected"), *_confirmed(block, "confirmed", "value")]
        attempt = int(block.get("attempt", 1))
        failures = [str(reason) for reason in cast("list[Any]", block.get("previous_failures") or [])]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise HandoffError(f"{path.name}: {type(error).__name__}: {error}") from error
    documents = _read_documents(data_root, sorted({case.document for case in cases}))
    evidence = _without_contradictions([case for case in cases if case.document in documents])
    evidence += _left_standing(evidence, _recorded_outputs(block, path.parent), documents)
    return Handoff(
        attempt=attempt,
        previous_failures=tuple(failures),
        evidence=tuple(sorted(evidence, key=lambda item: (FIELDS.index(item.field), item.document))),
        documents=documents,
        every_case=block.get("every_case") is True,
    )


def _last_block(text: str) -> dict[str, Any]:
    start = text.rfind(_FENCE)
    if start < 0:
        raise ValueError("there is no ```json block")
    body = text[start + len(_FENCE) :]
    end = body.find("\n```")
    if end < 0:
        raise ValueError("the last ```json block has no end")
    block: Any = json.loads(body[:end])
    if not isinstance(block, dict):
        raise ValueError("the last ```json block is not an object")
    return cast("dict[str, Any]", block)


def _confirmed(block: Mapping[str, Any], part: str, value: str) -> list[Evidence]:
    entries: Sequence[Mapping[str, Any]] = block.get(part) or []
    return [
        Evidence(
            document=str(entry["vars"]["document"]),
            field=str(entry["field"]),
            value=str(entry[value]),
            weight=1.0,
            broken=part == "cases",
        )
        for entry in entries
        if entry["field"] in FIELDS and isinstance(entry.get(value), str)
    ]


def _read_documents(data_root: Path, paths: Sequence[str]) -> dict[str, Document]:
    found: dict[str, Document] = {}
    for path in paths:
        try:
            found[path] = read_document(data_root, path)
        except DocumentError:
            continue
    return found


def _without_contradictions(cases: Sequence[Evidence]) -> list[Evidence]:
    by_place: dict[tuple[str, str], list[Evidence]] = {}
    for case in cases:
        by_place.setdefault((case.document, case.field), []).append(case)
    return [
        same[0]
        for same in by_place.values()
        if len({letters_and_digits(case.value) for case in same}) == 1 and letters_and_digits(same[0].value)
    ]


def _recorded_outputs(block: Mapping[str, Any], folder: Path) -> dict[str, Mapping[str, Any]]:
    """Return for each document what the agent had put out when people looked at it, from the cited traces."""
    found: dict[str, Mapping[str, Any]] = {}
    for trace in cast("list[Mapping[str, Any]]", block.get("traces") or []):
        path = folder / str(trace.get("path", ""))
        if not path.is_file():
            continue
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if (read := _agent_output(line)) is not None:
                found[read[0]] = read[1]
    return found


def _agent_output(line: str) -> tuple[str, Mapping[str, Any]] | None:
    try:
        attributes = json.loads(line)["attributes"]
        if attributes["openinference.span.kind"] != "AGENT":
            return None
        output = json.loads(attributes["output.value"])
        return str(json.loads(attributes["input.value"])["document"]), {field: output[field] for field in FIELDS}
    except (ValueError, KeyError, TypeError):
        return None


def _left_standing(
    confirmed: Sequence[Evidence], outputs: Mapping[str, Mapping[str, Any]], documents: Mapping[str, Document]
) -> list[Evidence]:
    taken = {(item.document, item.field) for item in confirmed}
    return [
        Evidence(document=path, field=field, value=value, weight=LEFT_STANDING, broken=False)
        for path, output in sorted(outputs.items())
        for field in FIELDS
        if path in documents
        and (path, field) not in taken
        and isinstance(value := output[field], str)
        and letters_and_digits(value)
    ]
