"""Showing hostile text to a person: quoted, on one line, control characters visible, cut."""

import unicodedata

from naoshi.records.text_comparison import as_text
from naoshi.triage.settings import Language

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_NOTHING = {Language.ja: "(空)", Language.en: "(empty)"}
_MARKS = {Language.ja: ("「", "」"), Language.en: ("“", "”")}


def shown(value: object, *, language: Language, longest: int = 120) -> str:
    """Return *value* in quotation marks, with what cannot be seen escaped, and at most *longest* characters of it."""
    text = as_text(value)
    if not text:
        return _NOTHING[language]
    opening, closing = _MARKS[language]
    return f"{opening}{visible(text, longest=longest, also=opening + closing)}{closing}"


def visible(text: str, *, longest: int = 120, also: str = "") -> str:
    """Return *text* on one line with control and format characters, and those in *also*, escaped, and cut."""
    cut = len(text) > longest
    escaped = "".join(_escaped(character, also) for character in text[:longest])
    return f"{escaped}…" if cut else escaped


def _escaped(character: str, also: str) -> str:
    if character == "\\":
        return "\\\\"
    if unicodedata.category(character) not in _HIDDEN and character not in also:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
