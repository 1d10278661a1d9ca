"""Pure readings of a line's text: its comparable form, its words, and the shapes of its numbers."""

import re
import unicodedata
from functools import lru_cache

_CONFUSABLE = str.maketrans({"O": "0", "I": "1", "L": "1", "S": "5", "B": "8"})
_LETTERS_FOR_DIGITS = str.maketrans({"0": "O", "1": "I", "5": "S", "8": "B"})
_TOKEN = re.compile(r"[A-Z0-9]+(?:[-/:.,&'][A-Z0-9]+)*|[^\W\d_A-Z]+")
_RUN = re.compile(r"[A-Z]+|[0-9]+")
_LONGEST_NUMBER = 6
_LONGEST_PART = 4


def upright(text: str) -> str:
    """Return *text* in upper case with full-width letters and digits made half-width."""
    return unicodedata.normalize("NFKC", text).upper()


@lru_cache(maxsize=16384)
def squeezed(text: str) -> str:
    """Return the letters and digits of *text* in upper case: what is left when spacing and points go."""
    return "".join(character for character in upright(text) if character.isalnum())


@lru_cache(maxsize=16384)
def blurred(text: str) -> str:
    """Return *text* squeezed, with letters that OCR takes for digits made those digits (O and 0, I and 1)."""
    return squeezed(text).translate(_CONFUSABLE)


def shape(token: str) -> str:
    """Return a token with digits as ``<9-A>``: a number's length to six digits, other runs as one sign."""
    if token.isdigit():
        return "<" + "9" * min(len(token), _LONGEST_NUMBER) + ">"
    return "<" + _RUN.sub(lambda run: "9" if run.group()[0].isdigit() else "A", token) + ">"


@lru_cache(maxsize=16384)
def words(text: str) -> tuple[str, ...]:
    """Return what a cue may name in *text*, each once, in order.

    Words of Latin letters and pairs of neighbouring words; shapes of tokens with digits (``<99999>`` a
    five-digit number, ``<9-A>`` digits and letters); of other scripts, which set no spaces, every part of
    two to four signs, the whole run and its last sign.
    """
    found: dict[str, None] = {}
    before = ""
    for token in _TOKEN.findall(upright(text)):
        if not token.isascii():
            _add_parts(found, token)
            before = ""
            continue
        pieces = _pieces(token)
        for piece in pieces:
            found[piece] = None
            if before:
                found[f"{before} {piece}"] = None
            before = piece
    return tuple(found)


def _pieces(token: str) -> list[str]:
    digits = sum(character.isdigit() for character in token)
    if not digits:
        return [piece for piece in re.split(r"[^A-Z]+", token) if piece]
    letters = sum(character.isalpha() for character in token)
    if letters >= 3 and digits * 2 <= letters and token.isalnum():
        return [token.translate(_LETTERS_FOR_DIGITS)]
    return [shape(token)]


def _add_parts(found: dict[str, None], run: str) -> None:
    found[run] = None
    found[run[-1]] = None
    for size in range(2, _LONGEST_PART + 1):
        for start in range(len(run) - size + 1):
            found[run[start : start + size]] = None
