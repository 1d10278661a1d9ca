"""What a field's value could be: parts of lines, blocks of lines, and a known merchant's entry.

Each candidate comes with its features, texts such as ``left|TOTAL`` or ``row|1``; the harness gives some of
them a score.
"""

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from .document import Document, TextLine
from .harness import Harness, Pattern, feature
from .text import blurred, squeezed, upright, words

_LONGEST_TEXT = 300
_PARTS = 5
_TALL = 1.3
_SHORT = 5
_SIGNS = "@:#*="
_SHORTEST_MARK = 5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible value with the lines that it stands on and the features that speak for or against it."""

    value: str
    lines: tuple[TextLine, ...]
    features: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Hit:
    value: str
    pattern: str
    row: int
    column: int
    start: int
    end: int


def value_candidates(document: Document, harness: Harness, field: str) -> list[Candidate]:
    """Return every part of a line that has one of the field's forms, in reading order."""
    hits = list(_hits(document, harness.patterns[field]))
    times = Counter(_digits(hit.value) for hit in hits)
    numbers = [_number(hit.value) for hit in hits]
    amounts = sorted({number for number in numbers if number})
    sums = {one + other for one in amounts for other in amounts if one < other}
    rests = {one - other for one in amounts for other in amounts if other < one}
    found: list[Candidate] = []
    for position, hit in enumerate(hits):
        line = document.rows[hit.row][hit.column]
        features = [feature("pattern", hit.pattern)]
        features += _around(document, hit)
        if hit.end - hit.start == len(upright(line.text)):
            features.append(feature("form", "the whole line"))
        features.append(feature("place", f"part {1 + hit.row * _PARTS // len(document.rows)} of {_PARTS}"))
        if position == 0:
            features.append(feature("place", "first"))
        if position == len(hits) - 1:
            features.append(feature("place", "last"))
        if (number := numbers[position]) is not None:
            features += _arithmetic(number, amounts, sums, rests)
        if (count := times[_digits(hit.value)]) > 1:
            features.append(feature("repeated", str(min(count, 4))))
        if line.bottom - line.top > _TALL * document.usual_height:
            features.append(feature("print", "tall"))
        found.append(Candidate(hit.value, (line,), tuple(dict.fromkeys(features))))
    return found


def block_candidates(document: Document, harness: Harness, field: str) -> list[Candidate]:
    """Return every run of neighbouring lines in the field's zone, whole and with each cut that applies."""
    zone = harness.zones[field]
    order = document.reading_order
    within = order[: zone.within]
    marks = [_line_marks(document, line) for line in order[: zone.within + 1]]
    found: list[Candidate] = []
    for start in range(len(within)):
        opening = [feature("row", str(min(start, 9)))]
        opening += _named("first", marks[start])
        opening += _named("before", marks[start - 1]) if start else [feature("before", "top of the page")]
        inside: list[str] = []
        for end in range(start, min(start + zone.longest, len(within))):
            inside += _named("inside", marks[end])
            features = [*opening, *inside, *_named("last", marks[end])]
            features.append(feature("lines", str(end - start + 1)))
            features += _named("after", marks[end + 1]) if end + 1 < len(marks) else []
            found += _cut_variants(within[start : end + 1], tuple(features), harness, field)
    return found


def merchant_candidates(document: Document, harness: Harness, field: str) -> list[tuple[str, Candidate]]:
    """Return (merchant's name, candidate) for each merchant that the document names and who has the field.

    The merchant with the most of its identifying texts on the document comes first.
    """
    found: list[tuple[int, str, Candidate]] = []
    page = [(blurred(line.text), line) for line in document.reading_order]
    for merchant in harness.merchants:
        value = merchant.company if field == "company" else merchant.address
        if value is None:
            continue
        marks = [blurred(text) for text in merchant.identify]
        cited = [
            next((line for text, line in page if mark in text), None) for mark in marks if len(mark) >= _SHORTEST_MARK
        ]
        if lines := tuple(dict.fromkeys(line for line in cited if line is not None)):
            weight = sum(line is not None for line in cited)
            found.append((weight, merchant.name, Candidate(value, lines, ())))
    found.sort(key=lambda item: -item[0])
    return [(name, candidate) for _, name, candidate in found]


def label_text(text: str) -> str:
    """Return the letters of the text before a value: the form in which whole labels are compared."""
    return "".join(character for character in upright(text) if character.isalpha())


def _hits(document: Document, patterns: Sequence[Pattern]) -> Iterator[_Hit]:
    for row, lines in enumerate(document.rows):
        for column, line in enumerate(lines):
            text = upright(line.text)[:_LONGEST_TEXT]
            taken: set[tuple[int, int]] = set()
            for pattern in patterns:
                for match in pattern.expression.finditer(text):
                    if match.group() and match.span() not in taken:
                        taken.add(match.span())
                        yield _Hit(match.group(), pattern.name, row, column, *match.span())


def _arithmetic(number: int, amounts: Sequence[int], sums: Container[int], rests: Container[int]) -> Iterator[str]:
    if number % 5 == 0:
        yield feature("amount", "a multiple of five")
    if amounts and number == amounts[-1]:
        yield feature("amount", "the largest")
    if number in sums:
        yield feature("amount", "the sum of two others")
    if number in rests:
        yield feature("amount", "the difference of two others")


def _around(document: Document, hit: _Hit) -> list[str]:
    row = document.rows[hit.row]
    text = upright(row[hit.column].text)
    left = " ".join([*(line.text for line in row[: hit.column]), text[: hit.start]])
    right = " ".join([text[hit.end :], *(line.text for line in row[hit.column + 1 : hit.column + 2])])
    features = [feature("left", word) for word in words(left)]
    features += [feature("right", word) for word in words(right)]
    if label := label_text(left):
        features.append(feature("label", label))
    else:
        above = _above(document, hit)
        features += [feature("above", word) for word in words(above)]
        features.append(feature("above", f"label {label_text(above)}") if above else feature("above", "nothing"))
    return features


def _above(document: Document, hit: _Hit) -> str:
    if hit.row == 0:
        return ""
    line, row = document.rows[hit.row][hit.column], document.rows[hit.row - 1]
    over = [other for other in row if other.left < line.right and line.left < other.right]
    return " ".join(other.text for other in over or row)


def _line_marks(document: Document, line: TextLine) -> tuple[str, ...]:
    text = line.text[:_LONGEST_TEXT]
    known = words(text)
    marks = list(known)
    if known:
        marks.append(f"begins with {known[0]}")
    if not text[-1].isalnum():
        marks.append(f"ends with {text[-1]}")
    marks += [f"has {sign}" for sign in _SIGNS if sign in text]
    if len(squeezed(text)) < _SHORT:
        marks.append("short")
    if line.bottom - line.top > _TALL * document.usual_height:
        marks.append("tall print")
    return tuple(marks)


def _named(where: str, marks: Sequence[str]) -> list[str]:
    return [feature(where, mark) for mark in marks]


def _cut_variants(
    lines: Sequence[TextLine], features: tuple[str, ...], harness: Harness, field: str
) -> Iterator[Candidate]:
    joiner = harness.output[field].join
    text = joiner.join(line.text for line in lines)
    if text.count("(") != text.count(")"):
        features = (*features, feature("form", "a bracket is open"))
    yield Candidate(text, tuple(lines), features)
    for cut in harness.cuts[field]:
        rest = cut.expression.sub("", text)
        if rest != text and squeezed(rest):
            yield Candidate(rest, tuple(lines), (*features, feature("cut", cut.name)))


def _digits(value: str) -> str:
    return "".join(character for character in value if character.isdigit())


def _number(value: str) -> int | None:
    """Return the sum of money in its smallest unit, or None for what is no sum, such as a date."""
    digits = _digits(value)
    return int(digits) if digits and len(digits) < 12 and not any(sign in value for sign in "/-:年") else None
