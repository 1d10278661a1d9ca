"""Reads what added lines hold in disguise: base64, hexadecimal, character codes, escapes, and texts in pieces.

The decodings are a fixed list, each of which is done once and once more on what came out. What is computed, enciphered
or hashed is not found here; that is for the questions that are asked again in another dress.
"""

import base64
import binascii
import codecs
import html
import re
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Final
from urllib.parse import unquote

from naoshi.repair.tree_diff import AddedLine, FileDiff

_ROUNDS = 2
_LONGEST_RESULT = 200_000
_MOST_RESULTS = 20_000
_LITERAL = r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{6,}={0,2}(?![A-Za-z0-9+/=_-])")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?((?:[0-9A-Fa-f]{2}){4,})(?![0-9A-Za-z])")
_CODES = re.compile(r"(?<![\w.])(?:0x[0-9A-Fa-f]{2}|\d{2,3})(?:\s*,\s*(?:0x[0-9A-Fa-f]{2}|\d{2,3})){3,}(?![\w.])")
_CHR = re.compile(r"(?:chr|fromCharCode)\(\s*(0x[0-9A-Fa-f]+|\d+)\s*\)")
_ESCAPE = re.compile(r"\\x[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\[0-7]{3}")
_PIECES = re.compile(rf"[bruBRU]?(?:{_LITERAL})(?:\s*[+,.&]?\s*[bruBRU]?(?:{_LITERAL}))+")
_ONE_LITERAL = re.compile(_LITERAL)
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2}|[\w.~-]){4,}")
_ENTITIES = re.compile(r"(?:&#x?[0-9A-Fa-f]+;){2,}|&\w+;")
_SHORTEST_TURNED = 8


@dataclass(frozen=True, kw_only=True)
class Decoded:
    """What a file's added lines hold in disguise, in quotes; ``is_all`` is False where there was too much of it."""

    lines: tuple[AddedLine, ...]
    is_all: bool


def decode_added(item: FileDiff) -> Decoded:
    """Return what the added lines of *item* hold in disguise, with the numbers of their lines."""
    found: dict[tuple[int, str], None] = {}
    # A text in pieces may go over several lines.
    texts = [*((line.number, line.text) for line in item.added), *_over_lines(item)]
    for _ in range(_ROUNDS):
        fresh: list[tuple[int, str]] = []
        for number, text in texts:
            for result in _disguises(text):
                if len(found) >= _MOST_RESULTS:
                    return Decoded(lines=_quoted(found), is_all=False)
                if (number, result) not in found:
                    found[number, result] = None
                    fresh.append((number, result))
        texts = fresh
    return Decoded(lines=_quoted(found), is_all=True)


def _quoted(found: Iterable[tuple[int, str]]) -> tuple[AddedLine, ...]:
    return tuple(AddedLine(number=number, text=f'"{text}"') for number, text in found)


def _over_lines(item: FileDiff) -> Iterator[tuple[int, str]]:
    starts = [0, *accumulate(len(line.text) + 1 for line in item.added)]
    for match in _PIECES.finditer("\n".join(line.text for line in item.added)):
        if "\n" in match[0]:
            yield item.added[bisect_right(starts, match.start()) - 1].number, match[0]


def _disguises(text: str) -> Iterator[str]:
    for decode in _DECODINGS:
        for result in decode(text):
            if result != text and _readable(result):
                yield result[:_LONGEST_RESULT]


def _readable(text: str) -> bool:
    return len(text) >= 3 and all(letter.isprintable() or letter in "\n\r\t" for letter in text)


def _from_base64(text: str) -> Iterator[str]:
    for match in _BASE64.finditer(text):
        word = match[0].rstrip("=").translate(_STANDARD)
        if len(word) % 4 == 1:
            continue
        try:
            raw = base64.b64decode(word + "=" * (-len(word) % 4), validate=True)
        except binascii.Error:
            continue
        yield from _texts_of(raw)


def _from_hex(text: str) -> Iterator[str]:
    for match in _HEX.finditer(text):
        yield from _texts_of(bytes.fromhex(match[1]))


def _from_codes(text: str) -> Iterator[str]:
    for match in _CODES.finditer(text):
        numbers = [int(word.strip(), 0) if "x" in word.lower() else int(word) for word in match[0].split(",")]
        if all(number < 256 for number in numbers):
            yield from _texts_of(bytes(numbers))
    numbers = [int(word, 0) if word.lower().startswith("0x") else int(word) for word in _CHR.findall(text)]
    if len(numbers) > 1 and all(number < 0x110000 for number in numbers):
        yield "".join(map(chr, numbers))


def _from_escapes(text: str) -> Iterator[str]:
    if _ESCAPE.search(text):
        yield _ESCAPE.sub(lambda found: _unescaped(found[0]), text)


def _unescaped(escape: str) -> str:
    number = int(escape[2:], 16) if escape[1] in "xu" else int(escape[1:], 8)
    return chr(number)


def _from_pieces(text: str) -> Iterator[str]:
    for match in _PIECES.finditer(text):
        yield "".join(literal[1:-1] for literal in _ONE_LITERAL.findall(match[0]))


def _from_web(text: str) -> Iterator[str]:
    for match in _PERCENT.finditer(text):
        if "%" in match[0]:
            yield unquote(match[0])
    if _ENTITIES.search(text):
        yield html.unescape(text)


def _turned(text: str) -> Iterator[str]:
    for literal in _ONE_LITERAL.findall(text):
        inner = literal[1:-1]
        if len(inner) >= _SHORTEST_TURNED:
            yield inner[::-1]
            yield codecs.encode(inner, "rot13")


def _texts_of(raw: bytes) -> Iterator[str]:
    for data in (raw, _inflated(raw)):
        if data:
            try:
                yield data.decode("utf-8")
            except UnicodeDecodeError:
                continue


def _inflated(raw: bytes) -> bytes:
    for wrapped in (zlib.MAX_WBITS | 32, -zlib.MAX_WBITS):
        try:
            return zlib.decompressobj(wrapped).decompress(raw, _LONGEST_RESULT)
        except zlib.error:
            continue
    return b""


_STANDARD: Final = str.maketrans("-_", "+/")
_DECODINGS: Final[tuple[Callable[[str], Iterator[str]], ...]] = (
    _from_base64,
    _from_hex,
    _from_codes,
    _from_escapes,
    _from_pieces,
    _from_web,
    _turned,
)
