"""Finds answers of known cases that were written into a harness instead of rules that give them."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import PurePosixPath

from pydantic import JsonValue

from naoshi.records import EvalCase, FieldKind, FieldRules, as_text, loosened
from naoshi.repair.protect import named
from naoshi.repair.tree_diff import FileDiff, TreeDiff

_NEAR_LINES = 5
_WHOLE_ANSWER_FIELDS = 3
_SHORTEST_TEXT = 6
_SHORTEST_DIGITS = 3
_SHORTEST_INPUT = 24
_PATH_LIKE = re.compile(r"[^\s/]+(/[^\s/]+)+|[^\s/]+\.[A-Za-z0-9]{1,8}")
_DIGIT_MASK = re.compile(r"[9\W_]+")


@dataclass(frozen=True, kw_only=True)
class WrittenAnswer:
    """An answer, or the name of a case or document, found in added lines; ``told`` names nothing that is hidden."""

    name: str
    reason: str
    told: str


def find_answers(
    diff: TreeDiff, *, cases: Sequence[EvalCase], fields: FieldRules, other_names: Sequence[str] = ()
) -> tuple[WrittenAnswer, ...]:
    """Return the names and answers of *cases* that stand in lines which *diff* adds.

    What the file held before is not counted. A merchant's name and address, which many documents share, are knowledge;
    an amount, a date, or three fields of one document close together are that document's answer.
    """
    documents = _documents(cases, fields)
    found: list[WrittenAnswer] = []
    for item in diff.files:
        if item.added and item.is_text:
            text = _AddedText.of(item)
            found += _names(text, cases, other_names)
            found += _literals(text, documents)
            found += _whole_answers(text, documents)
    return tuple(found)


@dataclass(frozen=True, kw_only=True)
class _Answer:
    """What one document's cases expect: the value and kind of each field."""

    source: str
    values: Mapping[str, tuple[str, FieldKind]]


@dataclass(frozen=True, kw_only=True)
class _AddedText:
    """The added lines of one file, as they are and as letters and digits only, with the line of every position."""

    path: str
    before: str
    raw: str
    loose: str
    loose_before: str
    raw_starts: tuple[int, ...]
    loose_starts: tuple[int, ...]
    numbers: tuple[int, ...]

    @classmethod
    def of(cls, item: FileDiff) -> "_AddedText":
        lines = [(line.number, line.text, loosened(line.text)) for line in item.added]
        return cls(
            path=item.path,
            before=item.before,
            raw="\n".join(text for _, text, _ in lines),
            loose="".join(key for _, _, key in lines),
            loose_before=loosened(item.before),
            raw_starts=(0, *accumulate(len(text) + 1 for _, text, _ in lines)),
            loose_starts=(0, *accumulate(len(key) for _, _, key in lines)),
            numbers=tuple(number for number, _, _ in lines),
        )

    def lines_of_text(self, value: str) -> set[int]:
        """Return the lines where the letters and digits of *value* begin, unless the file had them before."""
        key = loosened(value)
        if len(key) < _SHORTEST_TEXT or key not in self.loose or key in self.loose_before:
            return set()
        found = re.finditer(re.escape(key), self.loose)
        return {self.numbers[bisect_right(self.loose_starts, match.start()) - 1] for match in found}

    def lines_of_literal(self, value: str, *, in_quotes: bool = False) -> set[int]:
        """Return the lines where *value* stands as a word of its own (*in_quotes*: as a whole quoted text)."""
        words = r"\s+".join(re.escape(word) for word in value.split())
        if not words or value.split()[0] not in self.raw:
            return set()
        pattern = rf"([\"'`])\s*{words}\s*\1" if in_quotes else rf"(?<![\w.,/-]){words}(?![\w/-]|[.,]\w)"
        if re.search(pattern, self.before):
            return set()
        found = re.finditer(pattern, self.raw)
        return {self.numbers[bisect_right(self.raw_starts, match.start()) - 1] for match in found}

    def lines_of(self, value: str, kind: FieldKind) -> set[int]:
        """Return the lines where *value*, a field of *kind*, stands; one too short to tell anything stands nowhere."""
        if kind is FieldKind.text:
            return self.lines_of_text(value)
        return self.lines_of_literal(value) if _telling(value) else set()


def _telling(value: str) -> bool:
    """Return whether a date or amount says anything; a mask such as 99/99 is a form, not a value."""
    return sum(letter.isdigit() for letter in value) >= _SHORTEST_DIGITS and not _DIGIT_MASK.fullmatch(value)


def _documents(cases: Sequence[EvalCase], fields: FieldRules) -> tuple[_Answer, ...]:
    values: dict[str, dict[str, tuple[str, FieldKind]]] = defaultdict(dict)
    for case in cases:
        origin = case.provenance
        if origin.field is not None and origin.corrected is not None:
            kind = fields.rule(origin.artifact or "", origin.field).kind
            values[_source(case)][origin.field] = (as_text(origin.corrected), kind)
    return tuple(_Answer(source=source, values=known) for source, known in sorted(values.items()))


def _source(case: EvalCase) -> str:
    return case.source_key or case.case_id


def _names(text: _AddedText, cases: Sequence[EvalCase], other_names: Sequence[str]) -> Iterator[WrittenAnswer]:
    identifiers = dict.fromkeys(other_names, "a record")
    for case in cases:
        origin = case.provenance
        named_records = ((case.case_id, "a case"), (origin.trace_id, "a run"), (origin.correction_id, "a correction"))
        identifiers |= {name: what for name, what in named_records if name}
    for name, what in sorted(identifiers.items()):
        if len(name) >= _SHORTEST_TEXT and name in text.raw and name not in text.before:
            told = f"{named([text.path])} names {what}"
            yield WrittenAnswer(name="case_named", reason=f"{told}: {named([name])}", told=told)
    for value in _identifying_inputs(cases):
        if lines := _input_lines(text, value):
            told = f"{named([text.path])} line {min(lines)} names the input of one case"
            yield WrittenAnswer(name="document_named", reason=f"{told}: {named([value[:120]])}", told=told)


def _identifying_inputs(cases: Sequence[EvalCase]) -> list[str]:
    """Return the inputs that only one document has: paths, and texts too long to be a setting."""
    sources: dict[str, set[str]] = defaultdict(set)
    for case in cases:
        for value in _texts(list(case.vars.values())):
            sources[value].add(_source(case))
    return sorted(
        value
        for value, seen in sources.items()
        if len(seen) == 1 and (_PATH_LIKE.fullmatch(value) or len(loosened(value)) >= _SHORTEST_INPUT)
    )


def _input_lines(text: _AddedText, value: str) -> set[int]:
    if not _PATH_LIKE.fullmatch(value):
        return text.lines_of_text(value)
    return text.lines_of_literal(value) | text.lines_of_literal(PurePosixPath(value).name)


def _texts(values: Sequence[JsonValue]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str) and value.strip():
            yield value
        elif isinstance(value, list):
            yield from _texts(value)
        elif isinstance(value, dict):
            yield from _texts(list(value.values()))


def _literals(text: _AddedText, documents: Sequence[_Answer]) -> Iterator[WrittenAnswer]:
    seen: set[tuple[str, str]] = set()
    for document in documents:
        for field, (value, kind) in document.values.items():
            if kind is FieldKind.text or (field, value) in seen or not _telling(value):
                continue
            seen.add((field, value))
            # A bare number may be a score or a limit of the harness; a quoted one is a value.
            lines = text.lines_of_literal(value, in_quotes=kind is FieldKind.amount)
            if lines:
                told = f"{named([text.path])} line {min(lines)} holds the expected {field} of a case"
                yield WrittenAnswer(name="answer_written", reason=f"{told}: {named([value])}", told=told)


def _whole_answers(text: _AddedText, documents: Sequence[_Answer]) -> Iterator[WrittenAnswer]:
    shared = _shared_answers(documents)
    for document in documents:
        if len(document.values) < _WHOLE_ANSWER_FIELDS:
            continue
        places = {field: text.lines_of(value, kind) for field, (value, kind) in document.values.items()}
        places = {field: lines for field, lines in places.items() if lines}
        if len(places) < _WHOLE_ANSWER_FIELDS or frozenset(_keys(document, places)) in shared:
            continue
        if len(places) == len(document.values) or _stand_together(places):
            told = f"{named([text.path])} holds {len(places)} expected fields of one document"
            yield WrittenAnswer(
                name="whole_answer", reason=f"{told} ({named([document.source])}: {', '.join(places)})", told=told
            )


def _keys(document: _Answer, fields: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    return ((field, loosened(document.values[field][0])) for field in fields)


def _shared_answers(documents: Sequence[_Answer]) -> set[frozenset[tuple[str, str]]]:
    """Return the sets of texts that several documents have in common: a merchant, not one document's answer."""
    counts: dict[frozenset[tuple[str, str]], int] = defaultdict(int)
    for document in documents:
        texts = {field: value for field, value in document.values.items() if value[1] is FieldKind.text}
        counts[frozenset(_keys(document, texts))] += 1
    return {keys for keys, count in counts.items() if count > 1}


def _stand_together(places: Mapping[str, set[int]]) -> bool:
    starts = sorted({line for lines in places.values() for line in lines})
    return any(
        sum(any(start <= line < start + _NEAR_LINES for line in lines) for lines in places.values())
        >= _WHOLE_ANSWER_FIELDS
        for start in starts
    )
