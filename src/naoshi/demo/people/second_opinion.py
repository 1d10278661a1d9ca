"""Another reading of the same document, as a colleague may have it: the wrong sum, the wrong part of an address."""

import re
from random import Random
from typing import Final

from naoshi.records.field_rule import FieldKind
from naoshi.records.source_document import SourceDocument
from naoshi.records.text_comparison import loosened

_AMOUNT: Final = re.compile(r"(?<![\d.,/:-])\d[\d,]*\.\d{2}(?![\d.,/:-])|(?<![\d.,/:-])\d{1,3}(?:,\d{3})+(?![\d.,/:-])")
_DATE: Final = re.compile(r"(?<!\d)\d{1,4}[-/.年]\d{1,2}[-/.月]\d{1,4}(?!\d)日?")
_NEAR: Final = 1
_NEAR_A_BLOCK: Final = 3
_LETTERS: Final = 4


def second_opinion(
    document: SourceDocument, kind: FieldKind, truth: str, *, lot: Random, never: frozenset[str]
) -> str | None:
    """Return what else in *document* a person may take for a field whose truth is *truth*, or None.

    For an amount or a date that is another one of the document, such as the subtotal. For text it is a line near
    the right one, such as the address of the branch, or a part of the truth. The letters and digits (`loosened`) of
    the result are none of *never*.
    """
    if kind is FieldKind.text:
        found = _other_text(document, truth)
    else:
        pattern = _AMOUNT if kind is FieldKind.amount else _DATE
        found = [match.group() for line in document.lines for match in pattern.finditer(line.text)]
    fitting = sorted({value for value in found if loosened(value) and loosened(value) not in never})
    return lot.choice(fitting) if fitting else None


def _other_text(document: SourceDocument, truth: str) -> list[str]:
    parts = [part.strip() for part in truth.split(",")]
    shortened = [", ".join(parts[:end]) for end in range(1, len(parts))]
    near = [text.strip() for text in _lines_near(document, truth)]
    lines = [text for text in near if sum(character.isalpha() for character in text) >= _LETTERS]
    return lines + [text for text in shortened if len(loosened(text)) >= _LETTERS]


def _lines_near(document: SourceDocument, truth: str) -> list[str]:
    standing = {evidence.line for place in document.places(truth)[:1] for evidence in place}
    places = [index for index, line in enumerate(document.lines) if line.number in standing] or [0]
    near = _NEAR if len(places) == 1 else _NEAR_A_BLOCK
    reach = range(min(places) - near, max(places) + near + 1)
    return [line.text for index, line in enumerate(document.lines) if index in reach]
