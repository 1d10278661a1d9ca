"""Learning the merchant master: which text on a receipt tells the merchant, and what its entry says."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from naoshi.demo.agent.receipts_agent.document import Document
from naoshi.demo.agent.receipts_agent.text import blurred, upright
from naoshi.demo.mender.evidence import Evidence

_NUMBER: Final = re.compile(r"[A-Z]?[0-9][0-9-]*[0-9](?:-?[A-Z])?(?![0-9A-Z])")
_DIGITS_OF_A_NUMBER: Final = 8
_DIGITS_BESIDE_A_LETTER: Final = 6
_SHORTEST_NAME: Final = 6
_MOST_MARKS: Final = 4
_HEADER_LINES: Final = 16


@dataclass(frozen=True, kw_only=True)
class LearnedMerchant:
    """One field of one merchant: its value, the texts that tell the merchant, and the documents behind it."""

    field: str
    value: str
    identify: tuple[str, ...]
    documents: tuple[str, ...]

    def entry(self, name: str) -> dict[str, Any]:
        """Return the entry for ``merchants.json``."""
        return {
            "name": name,
            "identify": list(self.identify),
            self.field: self.value,
            "support": len(self.documents),
        }


def learn_merchants(
    evidence: Sequence[Evidence],
    documents: Mapping[str, Document],
    *,
    field: str,
    least_support: int = 2,
    excluded: Mapping[str, frozenset[str]] | None = None,
) -> list[LearnedMerchant]:
    """Return the merchants that *evidence* on one field (company or address) proves, sorted by value.

    Documents with the same value (case, spacing and the signs that OCR confuses aside) are of one merchant.
    What tells it must stand on at least *least_support* of its documents and on no document with another
    value. *excluded* names for a document texts that tell nothing, such as its date and its sums.
    """
    groups: dict[str, list[Evidence]] = defaultdict(list)
    for item in evidence:
        groups[blurred(item.value)].append(item)
    pages = {item.document: _page(documents[item.document]) for item in evidence}
    found: list[LearnedMerchant] = []
    for key, items in sorted(groups.items()):
        if len(items) < least_support or not any(item.confirmed for item in items):
            continue
        others = [pages[item.document] for item in evidence if blurred(item.value) != key]
        marks = _telling_marks(
            [(documents[item.document], (excluded or {}).get(item.document, frozenset())) for item in items],
            key,
            others,
            least_support,
        )
        if marks:
            value = most_common(" ".join(item.value.split()) for item in items)
            proof = tuple(item.document for item in items)
            found.append(LearnedMerchant(field=field, value=value, identify=marks, documents=proof))
    return found


def _telling_marks(
    pages: Sequence[tuple[Document, frozenset[str]]], key: str, others: Sequence[tuple[str, ...]], least: int
) -> tuple[str, ...]:
    """Return the best supported marks of *pages* that stand on none of *others*, as they are printed."""
    counts: Counter[str] = Counter()
    printed: dict[str, list[str]] = defaultdict(list)
    for document, excluded in pages:
        marks = {blurred(text): text for text in _marks(document, key)}
        for mark, text in marks.items():
            if mark not in excluded:
                counts[mark] += 1
                printed[mark].append(text)
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], -len(pair[0]), pair[0]))
    telling = [
        mark for mark, count in ranked if count >= least and not any(mark in text for page in others for text in page)
    ]
    return tuple(most_common(printed[mark]) for mark in telling[:_MOST_MARKS])


def most_common(texts: Iterable[str]) -> str:
    """Return the text that comes most often, of several the first in the alphabet."""
    counts = Counter(texts)
    most = max(counts.values())
    return min(text for text, count in counts.items() if count == most)


def _page(document: Document) -> tuple[str, ...]:
    return tuple(blurred(line.text) for line in document.lines)


def _marks(document: Document, value: str) -> Iterator[str]:
    """Yield what on the document could tell the merchant: lines of its name or address, and its numbers."""
    for line in document.reading_order[:_HEADER_LINES]:
        whole = blurred(line.text)
        if len(whole) >= _SHORTEST_NAME and (whole in value or value in whole):
            yield line.text
        for number in _NUMBER.findall(upright(line.text)):
            digits = sum(sign.isdigit() for sign in number)
            if digits >= _DIGITS_OF_A_NUMBER or (digits >= _DIGITS_BESIDE_A_LETTER and number[-1].isalpha()):
                yield number
