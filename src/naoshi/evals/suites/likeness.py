"""Cases that ask nearly the same: found by sketches of their texts, so that ten thousand cases take seconds."""

import re
import unicodedata
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import JsonValue
from rapidfuzz import fuzz

from naoshi.records.base import canonical_json
from naoshi.records.eval_case import EvalCase

_SHINGLE = 5
_LONGEST = 20_000
_BANDS, _ROWS = 20, 3
_COMPARED = 8
_PRIME = (1 << 31) - 1
_RANDOM = np.random.default_rng(20260308)
_FACTORS = _RANDOM.integers(1, _PRIME, size=(_BANDS * _ROWS, 1), dtype=np.uint64)
_OFFSETS = _RANDOM.integers(0, _PRIME, size=(_BANDS * _ROWS, 1), dtype=np.uint64)
_RUBRIC = "llm-rubric"
# A word with a digit in it, as far as no script without spaces begins; and a number written in Chinese characters.
_IN_WORD = r"[^\s\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff]"
_NUMBERED = re.compile(rf"{_IN_WORD}*\d{_IN_WORD}*|[〇一二三四五六七八九十百千万億兆壱弐参拾]+")

Text = Callable[[str], str]


@dataclass(frozen=True, kw_only=True)
class NearDuplicates:
    """Cases that ask nearly the same and want the same, in the order of the suites; ``likeness`` (0–1) is the least."""

    cases: tuple[EvalCase, ...]
    likeness: float


def near_duplicates(
    cases: Sequence[EvalCase], *, threshold: float = 0.9, text_of: Text = str
) -> tuple[NearDuplicates, ...]:
    """Return the groups of *cases* whose inputs are alike by at least *threshold* and that check the same.

    Texts are compared without regard to case, width and spacing (rapidfuzz's normalised edit similarity). What has a
    digit in it has to be the same on both sides: two orders with other numbers are two orders. *text_of* turns a text
    of the input into what it stands for, a path into the document's text, say. Each case is compared with the few that
    a MinHash sketch puts beside it, so that the time grows with the number of cases and not with its square.
    """
    texts = [_text(case, text_of) for case in cases]
    alike = _Groups(len(cases))
    for mine, others in _candidates(cases, texts):
        for other in others:
            if not alike.joined(mine, other):
                likeness = fuzz.ratio(texts[mine], texts[other], score_cutoff=threshold * 100) / 100
                if likeness >= threshold:
                    alike.join(mine, other, likeness)
    return tuple(
        NearDuplicates(cases=tuple(cases[place] for place in places), likeness=likeness)
        for places, likeness in alike.found()
    )


def normalised(text: str) -> str:
    """Return *text* with one form for each character, no capitals, and single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


class _Groups:
    """Which places belong together, and the least likeness that joined them."""

    def __init__(self, size: int) -> None:
        self._parent = list(range(size))
        self._least = [1.0] * size

    def joined(self, one: int, other: int) -> bool:
        return self._root(one) == self._root(other)

    def join(self, one: int, other: int, likeness: float) -> None:
        first, second = sorted((self._root(one), self._root(other)))
        self._parent[second] = first
        self._least[first] = min(self._least[first], self._least[second], likeness)

    def found(self) -> Iterator[tuple[list[int], float]]:
        members: dict[int, list[int]] = {}
        for place in range(len(self._parent)):
            members.setdefault(self._root(place), []).append(place)
        for root, places in members.items():
            if len(places) > 1:
                yield places, self._least[root]

    def _root(self, place: int) -> int:
        while self._parent[place] != place:
            self._parent[place] = self._parent[self._parent[place]]
            place = self._parent[place]
        return place


def _candidates(cases: Sequence[EvalCase], texts: Sequence[str]) -> Iterator[tuple[int, list[int]]]:
    """Yield each place with the earlier ones that share a band of its sketch, the first and the last few of them."""
    buckets: dict[tuple[str, int, bytes], list[int]] = {}
    sketches: dict[str, Any] = {}
    for place, (case, text) in enumerate(zip(cases, texts, strict=True)):
        checked = canonical_json([_checked(case), sorted(_NUMBERED.findall(text))])
        sketch = sketches.get(text)
        if sketch is None:
            sketch = sketches[text] = _sketch(text)
        beside: dict[int, None] = {}
        for band in range(_BANDS):
            bucket = buckets.setdefault((checked, band, sketch[band].tobytes()), [])
            beside.update(dict.fromkeys(bucket))
            bucket.append(place)
            # A crowd is alike by way of its first and its latest members; all pairs of it would take for ever.
            del bucket[_COMPARED // 2 : -_COMPARED // 2]
        yield place, list(beside)


def _checked(case: EvalCase) -> JsonValue:
    """Return what *case* asks of the output, loosely written texts made alike; rules in words are compared as texts."""
    return [
        [item.type, item.transform, None if item.type == _RUBRIC else _loosely(item.value)] for item in case.assertions
    ]


def _loosely(value: JsonValue) -> JsonValue:
    return normalised(value) if isinstance(value, str) else value


def _text(case: EvalCase, text_of: Text) -> str:
    rules = (item.value for item in case.assertions if item.type == _RUBRIC and isinstance(item.value, str))
    return normalised(" ".join((*_texts(case.vars, text_of), *rules)))[:_LONGEST]


def _texts(value: JsonValue, text_of: Text) -> Iterator[str]:
    if isinstance(value, str):
        yield text_of(value)
    elif isinstance(value, dict):
        for key in sorted(value):
            yield key
            yield from _texts(value[key], text_of)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, text_of)
    else:
        yield canonical_json(value)


def _sketch(text: str) -> Any:
    """Return the MinHash of the runs of five characters in *text*, a row of numbers for each band."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32).astype(np.uint64)
    if len(points) < _SHINGLE:
        hashes = np.array([zlib.crc32(text.encode("utf-8", "surrogatepass"))], dtype=np.uint64)
    else:
        runs = np.lib.stride_tricks.sliding_window_view(points, _SHINGLE)
        powers = np.array([pow(1_000_003, place, _PRIME) for place in range(_SHINGLE)], dtype=np.uint64)
        hashes = np.unique((runs * powers % _PRIME).sum(axis=1) % _PRIME)
    return ((_FACTORS * (hashes % _PRIME) + _OFFSETS) % _PRIME).min(axis=1).reshape(_BANDS, _ROWS)
