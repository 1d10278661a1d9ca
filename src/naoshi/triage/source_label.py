"""The label that a value stands at: the words before it on its line, or the line above that announces it."""

from naoshi.records.field_rule import FieldKind
from naoshi.records.source_document import SourceDocument
from naoshi.records.text_comparison import loosened

_LONGEST_LABEL = 40


def label_at(source: SourceDocument, line: int, value: object, *, kind: FieldKind) -> str:
    """Return the label of *value* on *line* (its number in the file), or the empty text.

    Above a plain text only a line that ends with a colon counts as a label; above an amount or a date also one that
    has letters and no digits.
    """
    index = next((index for index, item in enumerate(source.lines) if item.number == line), None)
    if index is None:
        return ""
    before = _before(source.lines[index].text, value)
    if any(character.isalpha() for character in before):
        return before.strip(" :：=.-")[-_LONGEST_LABEL:]
    return _above(source, index, kind)


def label_key(label: str) -> str:
    """Return the letters of *label*, for comparison."""
    return "".join(character for character in loosened(label) if character.isalpha())


def _before(text: str, value: object) -> str:
    """Return the part of *text* before *value*, found by letters and digits."""
    wanted = loosened(value)
    counted = ""
    ends: list[int] = []
    for index, character in enumerate(text):
        key = loosened(character)
        counted += key
        ends += [index] * len(key)
    start = counted.find(wanted) if wanted else -1
    return text[: ends[start]] if start > 0 else ""


def _above(source: SourceDocument, index: int, kind: FieldKind) -> str:
    if index == 0:
        return ""
    text = source.lines[index - 1].text.strip()
    if len(text) > _LONGEST_LABEL or not any(character.isalpha() for character in text):
        return ""
    announces = text.endswith((":", "："))
    plain = kind is not FieldKind.text and not any(character.isdigit() for character in text)
    return text.strip(" :：=.-") if announces or plain else ""
