"""Learning forms: the patterns of values (dates, sums), and what must be cut from a line around a value."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from naoshi.demo.agent.receipts_agent.document import Document
from naoshi.demo.agent.receipts_agent.text import squeezed, upright

_BEFORE: Final = r"(?<![0-9])(?<![0-9][.,/:-])"
_AFTER: Final = r"(?![0-9])(?![.,/:-][0-9])"
_RUN: Final = re.compile(r"[0-9]+|[A-Z]+|[^\W\d_A-Z]+|\s+|.", re.DOTALL)
_LONGEST_CUT: Final = 40
_ENOUGH_FOR_RANGE: Final = 12
_DIFFERENT_SIZES: Final = 2
_SHORT_RUN: Final = 2
_NARROW: Final = 3
_BRACKETS: Final = re.compile(r"\W*\([^()]*[0-9][^()]*\)?\W*$")
_BRACKETS_NAME: Final = "a bracket with a number at the end"


@dataclass(frozen=True, kw_only=True)
class LearnedForm:
    """A regular expression, the name of what it matches (``9/9/9``), and how many documents spoke for it."""

    name: str
    pattern: str
    support: int


def learn_value_forms(values: Iterable[tuple[Document, str]], *, least_support: int = 2) -> list[LearnedForm]:
    """Return the forms in which the values are printed on their documents, best supported first.

    Printed values with the same skeleton (``25/12/2018`` and ``5/3/18`` are both ``9/9/9``) make one form,
    which takes runs as long as those that were seen.
    """
    seen: dict[str, list[list[str]]] = defaultdict(list)
    for document, value in values:
        skeletons: set[str] = set()
        for printed in _printed(document, value):
            runs = _RUN.findall(printed)
            skeleton = _skeleton(runs)
            if skeleton not in skeletons:
                skeletons.add(skeleton)
                seen[skeleton].append(runs)
    forms = [
        LearnedForm(name=name, pattern=_BEFORE + _expression(examples) + _AFTER, support=len(examples))
        for name, examples in seen.items()
        if len(examples) >= least_support
    ]
    return sorted(forms, key=lambda form: (-form.support, form.name))


def learn_cuts(values: Iterable[tuple[Document, str]], *, least_support: int = 2) -> list[LearnedForm]:
    """Return what stands before or behind the values on their lines and does not belong to them."""
    seen: dict[tuple[str, bool], list[list[str]]] = defaultdict(list)
    brackets = 0
    for document, value in values:
        rests = dict.fromkeys(_rests(document, value))
        brackets += any(behind and _BRACKETS.match(rest) is not None for rest, behind in rests)
        for rest, behind in rests:
            runs = [run for run in _RUN.findall(rest) if run.isalnum()]
            name = " ".join(_cut_sign(run) for run in runs)
            seen[name, behind].append(runs)
    forms: list[LearnedForm] = []
    if brackets >= least_support:
        forms.append(LearnedForm(name=_BRACKETS_NAME, pattern=_BRACKETS.pattern, support=brackets))
    for (name, behind), examples in seen.items():
        if len(examples) >= least_support:
            body = r"\W*".join(_cut_expression(column) for column in zip(*examples, strict=True))
            pattern = rf"\W*(?<!\w){body}\W*$" if behind else rf"^\W*{body}(?!\w)\W*"
            title = f"{name} at the end" if behind else f"{name} at the start"
            forms.append(LearnedForm(name=title, pattern=pattern, support=len(examples)))
    return sorted(forms, key=lambda form: (-form.support, form.name))


def _printed(document: Document, value: str) -> Iterator[str]:
    """Yield each way in which *value* is printed on one line, with a currency sign that touches it."""
    wanted = squeezed(value)
    for line in document.lines:
        text = upright(line.text)
        for start, end in _places(text, wanted):
            if start and unicodedata.category(text[start - 1]) == "Sc":
                start -= 1
            yield text[start:end]


def _places(text: str, wanted: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each part of *text* whose letters and digits are *wanted*."""
    kept = [place for place, sign in enumerate(text) if sign.isalnum()]
    signs = "".join(text[place] for place in kept)
    found = signs.find(wanted) if wanted else -1
    while found >= 0:
        start, end = kept[found], kept[found + len(wanted) - 1] + 1
        if not (_touches(text, start - 1, text[start]) or _touches(text, end, text[end - 1])):
            yield start, end
        found = signs.find(wanted, found + 1)


def _touches(text: str, place: int, inner: str) -> bool:
    """Say whether the sign at *place* continues the run of digits or of Latin letters that ends there."""
    if not 0 <= place < len(text):
        return False
    outer = text[place]
    return (outer.isdigit() and inner.isdigit()) or (_latin(outer) and _latin(inner))


def _latin(sign: str) -> bool:
    return sign.isascii() and sign.isalpha()


def _skeleton(runs: Sequence[str]) -> str:
    return "".join(_sign(run) for run in runs)


def _sign(run: str) -> str:
    if run[0].isdigit():
        return "9"
    if run.isspace():
        return " "
    return "A" if _latin(run[0]) else run


def _expression(examples: Sequence[Sequence[str]]) -> str:
    return "".join(_run_expression(column) for column in zip(*examples, strict=True))


def _run_expression(column: Sequence[str]) -> str:
    first = column[0]
    if first.isspace():
        return " "
    if first[0].isdigit():
        return _digits_expression(column)
    if _latin(first[0]) and len(set(column)) > 1:
        return "[A-Z]" + _length(column)
    return re.escape(first)


def _digits_expression(column: Sequence[str]) -> str:
    """Return digits as long as those seen, and a little more where few examples were seen.

    Of many numbers of two digits whose first digit keeps to a narrow range (days, months) the range counts.
    """
    sizes, tens = {len(run) for run in column}, {run[0] for run in column}
    if len(sizes) > _DIFFERENT_SIZES:
        return "[0-9]+"
    if max(sizes) > _SHORT_RUN:
        return "[0-9]" + _length(column)
    if len(column) < _ENOUGH_FOR_RANGE or len(sizes) > 1:
        return "[0-9]{1,2}"
    narrow = sizes == {2} and 1 <= int(max(tens)) - int(min(tens)) <= _NARROW
    return f"[{min(tens)}-{max(tens)}]?[0-9]" if narrow else "[0-9]" + _length(column)


def _length(column: Sequence[str]) -> str:
    sizes = [len(run) for run in column]
    shortest, longest = min(sizes), max(sizes)
    return f"{{{shortest}}}" if shortest == longest else f"{{{shortest},{longest}}}"


def _rests(document: Document, value: str) -> Iterator[tuple[str, bool]]:
    wanted = squeezed(value)
    for line in document.lines:
        text = upright(line.text)
        for start, end in _places(text, wanted):
            for rest, behind in ((text[:start], False), (text[end:], True)):
                if squeezed(rest) and len(rest) <= _LONGEST_CUT:
                    yield rest, behind


def _cut_sign(run: str) -> str:
    if run[0].isdigit():
        return "9"
    return "A" if len(run) == 1 and _latin(run) else run


def _cut_expression(column: Sequence[str]) -> str:
    first = column[0]
    if first[0].isdigit():
        return "[0-9]+"
    return "[A-Z]" if len(first) == 1 and _latin(first) else re.escape(first)
