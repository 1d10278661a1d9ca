"""Finds long passages of one document or case in the lines that a change adds."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import JsonValue

from naoshi.errors import InputError
from naoshi.records import EvalCase, as_text, loosened
from naoshi.repair.protect import named
from naoshi.repair.scan_answers import WrittenAnswer
from naoshi.repair.tree_diff import TreeDiff
from naoshi.system.files import inside

_PASSAGE = 120
_STEP = 40
_COLUMNS = re.compile(r"(?m)^(?:\s*-?\d+(?:\.\d+)?\s*[,;\t])+")
_LARGEST = 4 * 1024 * 1024
_LONGEST_PATH = 1024


def texts_of_cases(cases: Sequence[EvalCase], *, data_root: Path | None) -> dict[str, str]:
    """Return all that *cases* give and expect, by source: their texts, and those of the documents in *data_root*."""
    found: dict[str, dict[str, None]] = defaultdict(dict)
    for case in cases:
        texts = found[case.source_key or case.case_id]
        for value in (*_texts(list(case.vars.values())), as_text(case.provenance.corrected)):
            texts[value] = None
    read = {value: _document(data_root, value) for texts in found.values() for value in texts}
    return {source: "\n".join(read[value] or value for value in texts) for source, texts in found.items()}


def _document(root: Path | None, path: str) -> str:
    """Return the text of the document at *path*, empty where there is none."""
    if root is None or len(path) > _LONGEST_PATH:
        return ""
    try:
        place = inside(root, path)
        return place.read_bytes()[:_LARGEST].decode("utf-8", "replace") if place.is_file() else ""
    except (InputError, OSError, ValueError):
        return ""


def _texts(values: Sequence[JsonValue]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from _texts(value)
        elif isinstance(value, dict):
            yield from _texts(list(value.values()))


def find_copies(diff: TreeDiff, *, documents: Mapping[str, str]) -> tuple[WrittenAnswer, ...]:
    """Return the files of *diff* that hold a passage of a document: 160 letters and digits or more in a row.

    A passage of at least 120 is found; one that two *documents* (text by path) share, such as the head of a form, is
    nobody's own and is not counted, nor is what the file held before.
    """
    added = {
        item.path: (loosened("\n".join(line.text for line in item.added)), loosened(item.before))
        for item in diff.files
        if item.is_text
    }
    added = {path: texts for path, texts in added.items() if len(texts[0]) >= _PASSAGE}
    if not added:
        return ()
    read = {path: _ways_to_read(text) for path, text in documents.items()}
    found: list[WrittenAnswer] = []
    for path, (text, before) in added.items():
        for document, ways in read.items():
            if passage := _passage(ways, text, before):
                if not any(passage in way for other, all_ways in read.items() if other != document for way in all_ways):
                    told = f"{named([path])} holds a long passage of one document"
                    found.append(WrittenAnswer(name="long_copy", reason=f"{told}: {named([document])}", told=told))
    return tuple(found)


def _ways_to_read(text: str) -> tuple[str, ...]:
    """Return *text* as letters and digits, with and without the columns of numbers that its lines begin with."""
    return tuple(dict.fromkeys((loosened(text), loosened(_COLUMNS.sub("", text)))))


def _passage(ways: tuple[str, ...], text: str, before: str) -> str:
    for way in ways:
        for start in range(0, len(way) - _PASSAGE + 1, _STEP):
            passage = way[start : start + _PASSAGE]
            if passage in text and passage not in before:
                return passage
    return ""
